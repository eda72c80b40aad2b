# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score`` on the report of a scan, in a process that is ended in time.

A process, as nothing else can be ended whatever it hangs in: a pipe that nobody
writes to, a network file system, a computation in C that holds the interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace

from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED
from garak_tbsa.files import remove_parts
from garak_tbsa.gates.options import GATE_OPTIONS
from garak_tbsa.host.settings import AfterScanSettings, output_paths
from garak_tbsa.outputs.registry import FORMATS, JSON

SCORE_ALONE = 15.0
"""Seconds for the score alone, where nothing else gave one."""

FLAGS = {form.name: form.options[-1] for form in FORMATS}
INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How the command ended.

    Attributes
    ----------
    printed : str
        The score, where there is one, and lines for GitHub's runner.
    passed : bool
        Whether the scan passes its gate, if it has one.
    problem : str
        Why not all is done that the settings ask for; empty where it is.
    """

    printed: str = ""
    passed: bool = False
    problem: str = ""

    @property
    def has_score(self) -> bool:
        """Whether it printed more than lines for GitHub's runner."""
        lines = self.printed.split("\n")
        return any(line and not line.startswith("::") for line in lines)


def score_scan(report: str, settings: AfterScanSettings) -> Ending:
    """Run the command; its errors go to standard error.

    Parameters
    ----------
    report : str
        The report that garak has closed.
    settings : AfterScanSettings
    """
    paths = output_paths(report, settings)
    outputs = {name: f"{FLAGS[name]}={path}" for name, path in paths.items()}
    score = ["score", f"--report_path={report}"]
    asked = [*score, *outputs.values(), *_options(settings)]
    ending = _run(asked, settings.time_limit, paths.values())
    if ending.has_score:
        return ending
    # whatever a range, a baseline or a page took or broke, and whoever got tired of
    # it, a scan has its score
    alone = [*score, "--no-interval", *filter(None, [outputs.get(JSON.name)])]
    found = _run(alone, SCORE_ALONE, paths.values(), stderr=subprocess.DEVNULL)
    return replace(ending, printed=ending.printed + found.printed)


def _options(settings: AfterScanSettings) -> Iterable[str]:
    """The options of ``score`` that the settings mean, but for paths of outputs."""
    for option in GATE_OPTIONS:
        value = getattr(settings.rules, option.name)
        if value != option.default:
            yield option.flag if value is True else f"{option.flag}={value}"
    if settings.repeat is not None:
        yield f"--repeat={settings.repeat}"
    if not settings.evidence:
        yield "--no-evidence"


def _run(
    arguments: list[str], limit: float, writes: Iterable[str], stderr: int | None = None
) -> Ending:
    """Run our command line, and leave no process and no part of an output."""
    # it imports what garak imports, and nothing of the folder where garak is started
    paths = os.pathsep.join(entry for entry in sys.path if isinstance(entry, str))
    own = {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"}
    try:
        process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-m", "garak_tbsa", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=os.environ | own,
            encoding="utf-8",
            # Ctrl-C is for garak; the process is ended by us then
            start_new_session=True,
        )
    except OSError as error:
        reason = f"{sys.executable or 'Python'} cannot be started ({error})"
        return Ending(problem=reason)
    with process:
        try:
            printed, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            setting = "the setting reporting.tbsa.time_limit"
            return Ending(problem=f"stopped after {limit:g} s ({setting})")
        except KeyboardInterrupt:
            return Ending(problem=INTERRUPTED)
        finally:
            process.kill()
            process.wait()
            for path in writes:
                remove_parts(path, process.pid)
    # a defect that ends the process early is no verdict, whatever its code
    code = process.returncode
    if code == EXIT_GATE_FAILED or (code == EXIT_DONE and printed):
        return Ending(printed=printed, passed=code == EXIT_DONE)
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return Ending(printed=printed, problem=f"garak-tbsa score {how}")
