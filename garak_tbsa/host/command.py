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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED
from garak_tbsa.files import remove_parts
from garak_tbsa.gates.options import GATE_OPTIONS
from garak_tbsa.host.settings import AfterScanSettings, output_paths
from garak_tbsa.outputs.registry import FORMATS, JSON

BYTES_A_SECOND = 10e6
"""Of a report whose attempts are read; a quiet machine reads several times as many."""

SCORE_ALONE, LAST_WORDS = 15.0, 2.0
"""Seconds for the score alone, where nothing else gave one; until a kill is done."""

FLAGS = {form.name: form.options[-1] for form in FORMATS}
INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How the command ended.

    Attributes
    ----------
    printed : str
        The score, where there is one, and lines for GitHub's runner.
    passed : bool or None
        Whether the scan passes its gate, if it has one; None where it was not judged.
    problem : str
        Why not all is done that the settings ask for; empty where it is.
    """

    printed: str = ""
    passed: bool | None = None
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
    if why_not_read(report, settings) is not None:
        asked += ["--no-interval", "--no-evidence"]
    ending = _run(asked, settings.time_limit, [*paths.values()])
    if ending.has_score:
        return ending
    # whatever a range, a baseline or a page took or broke, and whoever got tired of
    # it, a scan has its score
    alone = [*score, "--no-interval"]
    if JSON.name in outputs:
        alone.append(outputs[JSON.name])
    found = _run(alone, SCORE_ALONE, [*paths.values()], stderr=subprocess.DEVNULL)
    return replace(ending, printed=ending.printed + found.printed)


def why_not_read(report: str, settings: AfterScanSettings) -> str | None:
    """Say that reading a report's attempts could take all the time that there is."""
    size = os.path.getsize(report) if os.path.exists(report) else 0
    if size <= settings.time_limit * BYTES_A_SECOND:
        return None
    return (
        f"{size / 1e9:.1f} GB of attempts were not read for a range and hits within a"
        f" time_limit of {settings.time_limit:g} s; raise reporting.tbsa.time_limit"
    )


def _options(settings: AfterScanSettings) -> list[str]:
    """The options of ``score`` that the settings mean, but for paths of outputs."""
    found = []
    for option in GATE_OPTIONS:
        value = getattr(settings.rules, option.name)
        if value != option.default:
            found.append(option.flag if value is True else f"{option.flag}={value}")
    if settings.repeat is not None:
        found.append(f"--repeat={settings.repeat}")
    if not settings.evidence:
        found.append("--no-evidence")
    return found


def _run(
    arguments: list[str],
    limit: float,
    writes: Sequence[str] = (),
    stderr: int | None = None,
) -> Ending:
    """Run our command line in a process of its own."""
    # Ctrl-C is for garak; the process is ended by us then
    group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", None)
    apart = {"start_new_session": True} if group is None else {"creationflags": group}
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
            **apart,
        )
    except OSError as error:
        reason = f"{sys.executable or 'Python'} cannot be started ({error})"
        return Ending(problem=reason)
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        setting = "the setting reporting.tbsa.time_limit"
        return Ending(problem=f"stopped after {limit:g} s ({setting})")
    except KeyboardInterrupt:
        return Ending(problem=INTERRUPTED)
    finally:
        _end(process, writes)
    return _ending(process.returncode, printed)


def _ending(code: int, printed: str) -> Ending:
    # a defect that ends the process early is no verdict, whatever its code
    if code == EXIT_GATE_FAILED or (code == EXIT_DONE and printed):
        return Ending(printed=printed, passed=code == EXIT_DONE)
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return Ending(printed=printed, problem=f"garak-tbsa score {how}")


def _end(process: subprocess.Popen[str], writes: Sequence[str]) -> None:
    """End a process, if it has not ended, and remove outputs that are not whole."""
    process.kill()
    if process.stdout is not None:
        process.stdout.close()
    # it may wait in the kernel, for a network file system perhaps, and dies later
    with suppress(subprocess.TimeoutExpired):
        process.wait(LAST_WORDS)
        for path in writes:
            remove_parts(path, process.pid)
