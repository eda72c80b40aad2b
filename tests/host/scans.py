# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real offline scans for tests, and runs of garak that only pretend to scan."""

from __future__ import annotations

import json
import os
import re
from argparse import Namespace
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

from garak_tbsa.host import hook
from garak_tbsa.host._register import asks_for_gate
from tests.installed import HOST_VARIABLE, with_wheel

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.installed import Environment

QUICK = "web_injection.MarkdownXSS,goodside.ThreatenJSON"
UNSCORED = "test.Blank"
SMALLEST = "goodside.ThreatenJSON"
ENDED = "✔️  garak run complete in"
KEEPER = """
# keeps garak's files as they were before our hook
import shutil
from garak_tbsa.garak_api.scan import ended_report
from garak_tbsa.host import hook
def run(score=hook.score_ended_scan):
    path = ended_report()
    for ending in (".report.jsonl", ".report.html", ".hitlog.jsonl"):
        file = path.removesuffix(".report.jsonl") + ending
        shutil.copyfile(file, file + ".before")
    return score()
hook.score_ended_scan = run
"""
MAIN = """
import sys
import garak.cli
arguments = sys.argv[1:]
garak.cli.main(arguments)
"""


class Scan:
    """One real scan: its process and its files."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.runs = folder / "data" / "garak" / "garak_runs"

    def file(self, ending: str) -> Path:
        return self.runs / f"scan{ending}"

    @property
    def after_garak(self) -> str:
        """What was printed below garak's own output."""
        assert ENDED in self.out, self.out + self.err
        return self.out.split(ENDED)[1].split("\n", 1)[1]

    @property
    def our_errors(self) -> list[str]:
        return re.findall(r"^garak-tbsa: .*", self.err, re.MULTILINE)

    @property
    def tbsa_files(self) -> set[str]:
        names = (path.name for path in self.runs.iterdir())
        return {name for name in names if ".tbsa" in name}

    def assert_garaks_files_unchanged(self) -> None:
        for ending in (".report.jsonl", ".report.html", ".hitlog.jsonl"):
            before = self.file(ending + ".before").read_bytes()
            assert self.file(ending).read_bytes() == before


def scan(
    folder: Path,
    *options: str,
    probes: str = QUICK,
    start: tuple[str, ...] = ("-m", "garak"),
    settings: dict[str, str] | None = None,
    host: Path | None = None,
    environment: Environment | None = None,
) -> Scan:
    older = host is not None or HOST_VARIABLE in os.environ
    spec = (
        ("--probes", probes)
        if older or version("garak") < "0.16"
        else ("--spec", ",".join(f"probes.{name}" for name in probes.split(",")))
    )
    done = (environment or with_wheel()).run(
        *start,
        *("--target_type", "function.Single"),
        *("--target_name", "garak_tbsa.demo_target#respond"),
        *("--generations", "2", "--seed", "1", "--report_prefix", "scan"),
        *spec,
        *options,
        folder=folder,
        settings=settings,
        host=host,
    )
    return Scan(done, folder)


def keeping(folder: Path) -> tuple[str, ...]:
    """Start garak so that its files are kept as they were before our hook."""
    program = folder / "keeping.py"
    program.write_text(KEEPER + MAIN)
    return (str(program),)


def ended_with(monkeypatch: pytest.MonkeyPatch, report: str, settings: object) -> None:
    """Have garak's configuration say that a scan wrote this report."""
    from garak_tbsa.garak_api import scan

    monkeypatch.setattr(scan, "ended_report", lambda: report)
    monkeypatch.setattr(scan, "reporting_settings", lambda: settings)


def pretended_run(
    scanning: Callable[[ModuleType], Any],
    parsed: Namespace | None = None,
    arguments: tuple[str, ...] = (),
) -> Any:
    """Run a main of garak's that parses its command line and calls ``scanning``."""
    from garak import _config

    command, cli = ModuleType("garak.command"), ModuleType("garak.cli")
    vars(command)["end_run"] = lambda *given, **named: (given, named)
    vars(command)["start_run"] = lambda: None
    hook.wrap(command, asks_for_gate)

    def main(_: object = None) -> Any:
        _config.transient.cli_args = parsed or Namespace()
        return scanning(command)

    vars(cli)["main"] = main
    hook.wrap(cli, asks_for_gate)
    return cli.main(list(arguments))


def end_scan(*arguments: Any, **options: Any) -> Any:
    """End a scan as garak does: end_run within main, both wrapped."""
    return pretended_run(lambda command: command.end_run(*arguments, **options))


TARGETS = """
import os, signal
from garak.exception import GarakException
behaviour = ""
def respond(prompt, **_):
    if behaviour.endswith("garak_exception"):
        raise GarakException("the target is gone")
    if behaviour.endswith("value_error"):
        raise ValueError("no such thing")
    if behaviour == "runtime_error":
        raise RuntimeError("boom")
    if behaviour == "sigint":
        os.kill(os.getpid(), signal.SIGINT)
    if behaviour == "exit_0_in_mid_scan":
        raise SystemExit(0)
    if behaviour == "exit_with_words":
        raise SystemExit("farewell")
    return ["I cannot."]
"""
MANY = """
import json, os, sys
import garak.cli, targets
from garak import _config
for name, arguments in json.load(open("cases.json")).items():
    # each as in a process of its own
    _config.config_files.clear()
    vars(_config.reporting).pop("tbsa", None)
    vars(_config.plugins).pop("target_type", None)
    vars(_config.transient).pop("report_filename", None)
    ending = None
    targets.behaviour = name
    os.environ["GARAK_TBSA"] = "0" if name == "switched_off" else ""
    try:
        garak.cli.main(arguments)
    except SystemExit as end:
        ending = end.code
    except BaseException as error:
        ending = type(error).__name__
    for stream in (sys.stdout, sys.stderr):
        print(f"\\n@@ {name} {json.dumps(ending)}", file=stream, flush=True)
"""


class Ended:
    """How one of several runs in a process ended, and what it said."""

    def __init__(self, code: object, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def our_errors(self) -> list[str]:
        return re.findall(r"^garak-tbsa: .*", self.err, re.MULTILINE)


def small_scan(probe: str = SMALLEST) -> list[str]:
    """Arguments for a scan of a target that behaves as the case is called."""
    newest = version("garak") >= "0.16" and HOST_VARIABLE not in os.environ
    return [
        *("--target_type", "function.Single", "--target_name", "targets#respond"),
        *("--generations", "1", "--report_prefix", probe),
        *(("--spec", f"probes.{probe}") if newest else ("--probes", probe)),
    ]


def run_many(
    folder: Path,
    cases: dict[str, list[str]],
    *,
    settings: dict[str, str] | None = None,
    host: Path | None = None,
) -> dict[str, Ended]:
    """Run garak's main once for each case, all in one process."""
    (folder / "targets.py").write_text(TARGETS)
    (folder / "many.py").write_text(MANY)
    (folder / "cases.json").write_text(json.dumps(cases))
    done = with_wheel().run("many.py", folder=folder, settings=settings, host=host)
    outs, errs = (_by_case(text) for text in (done.stdout, done.stderr))
    assert list(outs) == list(errs) == list(cases), done.stdout + done.stderr
    return {
        name: Ended(json.loads(code), out, errs[name][1])
        for name, (code, out) in outs.items()
    }


def _by_case(text: str) -> dict[str, tuple[str, str]]:
    parts = re.split(r"^@@ (\S+) (.*)\n", text, flags=re.MULTILINE)
    return {
        name: (code, said)
        for said, name, code in zip(parts[::3], parts[1::3], parts[2::3], strict=False)
    }
