# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real offline scans for tests, and runs of garak that only pretend to scan."""

from __future__ import annotations

import json
import os
import re
from argparse import Namespace
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from garak import _config

from garak_tbsa.host import hook
from garak_tbsa.host._register import asks_for_gate
from tests.behaviour.product import GOLD, Shown
from tests.installed import HOST_VARIABLE, with_wheel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

QUICK = "web_injection.MarkdownXSS,goodside.ThreatenJSON"
UNSCORED = "test.Blank"
SMALLEST = "goodside.ThreatenJSON"
ENDED = "✔️  garak run complete in"
IS_OLDER = HOST_VARIABLE in os.environ or version("garak") < "0.16"
DEMO = ("--target_name", "garak_tbsa.demo_target#respond", "--seed", "1")
CASE = "GARAK_CASE"
"""The environment variable that names the case to processes that a run starts."""

ENVIRONMENTS = {
    "switched_off": {"GARAK_TBSA": "0"},
    "all_garaks": {"GARAK_TBSA": "garak"},
    "formula": {"GARAK_TBSA_FORMULA": "garak"},
    "formula_gated": {"GARAK_TBSA_FORMULA": "garak"},
}
"""What a case sets besides its name."""

TARGETS = """
import os, signal
from garak.exception import GarakException
from garak_tbsa import demo_target
behaviour = ""
ERRORS = {
    "garak_exception": GarakException("the target is gone"),
    "value_error": ValueError("no such thing"),
    "runtime_error": RuntimeError("boom"),
    "exit_0_in_mid_scan": SystemExit(0),
    "exit_with_words": SystemExit("farewell"),
}
def respond(prompt, **_):
    if error := ERRORS.get(behaviour.removeprefix("ungated_")):
        raise error
    if behaviour == "sigint":
        os.kill(os.getpid(), signal.SIGINT)
    if behaviour.startswith("demo"):
        return demo_target.respond(prompt)
    return ["I cannot."]
"""
MANY = """
import copy, gc, json, os, shutil, sys
import garak.cli, targets
from garak import _config
from garak_tbsa.garak_api.scan import ended_report
from garak_tbsa.host import hook
def keeping(score=hook.score_ended_scan):
    # garak's files as they were before our hook
    prefix = ended_report().removesuffix(".report.jsonl")
    for ending in (".report.jsonl", ".report.html", ".hitlog.jsonl"):
        if os.path.exists(prefix + ending):
            shutil.copyfile(prefix + ending, prefix + ending + ".before")
    return with_broken_streams(score) if name == "broken_streams" else score()
def with_broken_streams(score):
    sys.stdout.flush()
    codes = {}
    gc.freeze()  # else each process copies all that garak has imported, to end
    for streams in ("stdout", "stderr", "stdout-closed+stderr-closed"):
        process = os.fork()
        if process == 0:
            break_(streams)
            return score()
        codes[streams] = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(json.dumps(codes))
def break_(streams):
    print("##", streams, file=sys.stderr, flush=True)
    for each in streams.split("+"):
        stream = getattr(sys, each.removesuffix("-closed"))
        if each.endswith("-closed"):
            stream.close()
        else:
            os.dup2(os.open("/dev/full", os.O_WRONLY), stream.fileno())
hook.score_ended_scan = keeping
own_process = os.getpid()
parts = [getattr(_config, name) for name in (
    "system", "run", "plugins", "reporting", "transient"
)]
fresh = [copy.deepcopy(vars(part)) for part in parts]
cases, environments, case = json.load(open("cases.json"))
for name, arguments in cases.items():
    # each as in a process of its own
    _config.config_files.clear()
    for part, before in zip(parts, fresh):
        vars(part).clear()
        vars(part).update(copy.deepcopy(before))
    ending = None
    targets.behaviour = name
    own = {case: name} | environments.get(name, {})
    os.environ.update(own)
    try:
        garak.cli.main(arguments)
    except SystemExit as end:
        ending = end.code
    except BaseException as error:
        ending = type(error).__name__
    if os.getpid() != own_process:
        sys.exit(ending)
    for variable in own:
        del os.environ[variable]
    for stream in (sys.stdout, sys.stderr):
        print(f"\\n@@ {name} {json.dumps(ending)}", file=stream, flush=True)
"""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a run of garak ended, what it said, and its files."""

    code: object
    out: str
    err: str
    runs: Path
    prefix: str

    def file(self, ending: str) -> Path:
        """A file of the scan."""
        return self.runs / f"{self.prefix}{ending}"

    @property
    def json(self) -> Any:
        """Our document beside the report."""
        return json.loads(self.file(".tbsa.json").read_text("utf-8"))

    @property
    def after_garak(self) -> str:
        """What was printed below garak's own output."""
        assert ENDED in self.out, self.out + self.err
        return self.out.split(ENDED)[1].split("\n", 1)[1]

    @property
    def our_errors(self) -> list[str]:
        """The lines that we wrote on stderr, among garak's."""
        return re.findall(r"^garak-tbsa: .*", self.err, re.MULTILINE)

    @property
    def ours(self) -> set[str]:
        """What is ours beside the report, by its ending."""
        start = f"{self.prefix}.tbsa."
        names = (path.name for path in self.runs.iterdir())
        return {name.removeprefix(start) for name in names if name.startswith(start)}

    def assert_garaks_files_unchanged(self) -> None:
        """Compare them with those before our hook."""
        for ending in (".report.jsonl", ".report.html", ".hitlog.jsonl"):
            before = self.file(ending + ".before").read_bytes()
            assert self.file(ending).read_bytes() == before


def spec(probes: str, *, is_older: bool = IS_OLDER) -> tuple[str, str]:
    """The option that chooses probes."""
    if is_older:
        return ("--probes", probes)
    return ("--spec", ",".join(f"probes.{name}" for name in probes.split(",")))


def small_scan(
    prefix: str = "scan", probes: str = SMALLEST, *, is_older: bool = IS_OLDER
) -> list[str]:
    """Arguments for a scan of a target that behaves as the case is called."""
    return [
        *("--target_type", "function.Single", "--target_name", "targets#respond"),
        *("--generations", "1", "--report_prefix", prefix),
        *spec(probes, is_older=is_older),
    ]


def run(
    folder: Path,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
    host: Path | None = None,
) -> Ended:
    """Run a Python, ``-m garak`` for instance, with garak's files below a folder."""
    (folder / "targets.py").write_text(TARGETS)
    path = os.pathsep.join(filter(None, ((settings or {}).get("PYTHONPATH"), ".")))
    given = {**(settings or {}), "PYTHONPATH": path}
    done = with_wheel().run(*arguments, folder=folder, settings=given, host=host)
    return Ended(
        code=done.returncode,
        out=done.stdout,
        err=done.stderr,
        runs=folder / "data" / "garak" / "garak_runs",
        prefix="scan",
    )


def run_many(
    folder: Path,
    cases: Mapping[str, list[str]],
    *,
    settings: Mapping[str, str] | None = None,
    host: Path | None = None,
) -> dict[str, Ended]:
    """Run garak's main once for each case, all in one process."""
    (folder / "many.py").write_text(MANY)
    (folder / "cases.json").write_text(json.dumps([cases, ENVIRONMENTS, CASE]))
    done = run(folder, "many.py", settings=settings, host=host)
    outs, errs = (_by_case(text) for text in (done.out, done.err))
    assert list(outs) == list(errs) == list(cases), done.out + done.err
    return {
        name: Ended(
            code=json.loads(code),
            out=out,
            err=errs[name][1],
            runs=done.runs,
            prefix=name,
        )
        for name, (code, out) in outs.items()
    }


def _by_case(text: str) -> dict[str, tuple[str, str]]:
    parts = re.split(r"^@@ (.*) (\S+)\n", text, flags=re.MULTILINE)
    return {
        name: (code, said)
        for said, name, code in zip(parts[::3], parts[1::3], parts[2::3], strict=False)
    }


def pretended_run(
    scanning: Callable[[ModuleType], Any],
    parsed: Namespace | None = None,
    arguments: tuple[str, ...] = (),
) -> Any:
    """Run a main of garak's that parses its command line and calls ``scanning``."""
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


def replacing(module: str, name: str, value: str) -> str:
    """Return a line with which a name of ours is another in the process that scores."""
    return f"import garak_tbsa.{module} as found; found.{name} = {value}"


@dataclass(kw_only=True)
class Pretended:
    """A scan that has written a gold report, and ends with some settings."""

    folder: Path
    patch: pytest.MonkeyPatch
    capfd: pytest.CaptureFixture[str]
    report: Path = field(init=False)

    def __post_init__(self) -> None:
        self.wrote(self.folder)

    def wrote(self, folder: Path, gold: str = "garak-0.17.1") -> None:
        """Let the scan have written its report into a folder."""
        self.report = folder / "scan.report.jsonl"
        self.report.write_bytes((GOLD / f"{gold}.report.jsonl").read_bytes())

    def first(self, line: str) -> None:
        """Have the process that scores run a line of Python before anything else."""
        first = self.folder / "first"
        first.mkdir(exist_ok=True)
        program = f"import os, signal, sys, time\n{line}\n"
        (first / "sitecustomize.py").write_text(program)
        self.patch.syspath_prepend(first)

    def configured(self, settings: object) -> None:
        """Have garak's configuration say that a scan wrote the report."""
        transient, reporting = _config.transient, _config.reporting
        self.patch.setattr(transient, "report_filename", str(self.report))
        self.patch.setattr(reporting, "tbsa", settings, raising=False)

    def end(self, settings: object) -> Shown:
        """End the scan with these settings."""
        self.configured(settings)
        return self.end_as_it_is()

    def end_as_it_is(self) -> Shown:
        """End the scan with the settings that garak has."""
        code = 0
        try:
            end_scan()
        except SystemExit as end:
            code = int(str(end.code))
        out, err = self.capfd.readouterr()
        return Shown(code=code, out=out, err=err)

    def written(self, ending: str) -> str:
        """Return an output beside the report."""
        path = f"{str(self.report).removesuffix('.report.jsonl')}.tbsa.{ending}"
        return Path(path).read_text("utf-8")

    @property
    def json(self) -> Any:
        """Our document beside the report."""
        return json.loads(self.written("json"))

    @property
    def files(self) -> set[str]:
        """What stands beside the report."""
        names = {path.name for path in self.report.parent.iterdir()}
        return names - {"first", self.report.name}
