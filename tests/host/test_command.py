# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever hangs, dies or is interrupted after a scan: it has its score, and a line."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from garak_tbsa.host import command
from tests.host.scans import Pretended, end_scan, replacing

LIMIT = 6
"""Seconds in which all is done on a machine that is busy, too, but what hangs."""
IN_C = "lambda *_, **__: sum(range(10 ** 15))"
BLOCKED = "lambda *_, **__: open(os.environ['PIPE'], 'rb')"
UNCHANGED = "; garak's own report is unchanged (GARAK_TBSA=0 turns this off)"
FAILS = "; so the gate fails"
STOPPED = "stopped after {} s (the setting reporting.tbsa.time_limit)"
ENDED = "garak-tbsa score ended with code"


@pytest.fixture
def pipe(pretended: Pretended) -> str:
    """A pipe that nobody writes to, known to the process that scores."""
    path = pretended.folder / "pipe"
    os.mkfifo(path)
    pretended.patch.setenv("PIPE", str(path))
    return str(path)


@pytest.mark.parametrize(("hanging", "gate"), [(IN_C, False), (BLOCKED, True)])
def test_a_range_that_hangs_costs_no_score(
    hanging: str, gate: bool, pretended: Pretended, pipe: str
) -> None:
    """It is printed and written after the time limit; a gate fails."""
    pretended.first(replacing("statistics.repeat", "repeat_distribution", hanging))
    rules = {"fail_under": 1} if gate else {}
    shown = pretended.end({**rules, "time_limit": LIMIT, "html": True})
    assert shown.code == (3 if gate else 0)
    assert "TBSA: 4.1" in shown.out
    assert "a repeat of this scan" not in shown.out
    assert pretended.files == {"scan.tbsa.json", "pipe"}
    assert pretended.json["tbsa"] == 4.1
    stopped = STOPPED.format(LIMIT)
    said = f"TBSA is incomplete: {stopped}{FAILS * gate}{UNCHANGED}"
    assert shown.err == f"garak-tbsa: {said}\n"


def test_a_baseline_that_hangs_fails_the_gate_and_costs_no_score(
    pretended: Pretended, pipe: str
) -> None:
    shown = pretended.end({"time_limit": 4, "baseline": pipe})
    assert shown.code == 3
    assert "TBSA: 4.1" in shown.out
    assert "gate" not in shown.out
    assert f"{STOPPED.format(4)}{FAILS}{UNCHANGED}\n" in shown.err


@pytest.mark.parametrize(
    ("baseline", "problem"),
    [
        ("nowhere.jsonl", "cannot be opened (No such file or directory)"),
        ("/dev/zero", "parsing the line may take more than"),
        (".", "is a folder"),
        ("-", "is empty"),
    ],
)
def test_a_baseline_that_cannot_be_read_fails_the_gate_and_costs_no_score(
    baseline: str, problem: str, pretended: Pretended
) -> None:
    """The command says why; GitHub's runner is told that, and what follows."""
    shown = pretended.end({"baseline": baseline, "github": True})
    assert shown.code == 3
    assert "TBSA: 4.1" in shown.out
    why, what = shown.err.splitlines()
    assert why.startswith(f"garak-tbsa: {baseline}")
    assert problem in why
    assert what == f"garak-tbsa: TBSA is incomplete: {ENDED} 1{FAILS}{UNCHANGED}"
    told = [line for line in shown.lines if line.startswith("::error ")]
    assert len(told) == 2
    assert problem in told[0]
    assert told[1].endswith(FAILS)


IMPORT_HANGS = """
class Hanging:
    def find_spec(self, name, *_):
        if name == 'garak_tbsa.cli.main':
            time.sleep(1000)
sys.meta_path.insert(0, Hanging())
"""


@pytest.mark.parametrize(
    ("line", "settings", "problem"),
    [
        (IMPORT_HANGS, {"time_limit": 1, "fail_under": 1}, STOPPED.format(1) + FAILS),
        ("os._exit(7)", None, f"{ENDED} 7"),
        ("os._exit(0)", {"fail_under": 1}, f"{ENDED} 0{FAILS}"),
        ("os.fsync = lambda _: time.sleep(1000)", {"time_limit": LIMIT}, "stopped"),
    ],
)
def test_what_hangs_or_dies_before_it_has_written_leaves_nothing(
    line: str, settings: Any, problem: str, pretended: Pretended
) -> None:
    """Nor does it cost anything where there is no gate."""
    pretended.patch.setattr(command, "SCORE_ALONE", 1.0)
    pretended.first(line)
    shown = pretended.end(settings)
    assert shown.code == (3 if settings and "fail_under" in settings else 0)
    (line,) = shown.err.splitlines()
    assert line.startswith("garak-tbsa: no TBSA for this scan: ")
    assert problem in line
    assert line.endswith(UNCHANGED)
    assert pretended.files == set()


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("raise_(SystemExit(0))", f"{ENDED} 0"),
        ("raise_(GeneratorExit())", f"{ENDED} 1"),
        ("raise_(KeyboardInterrupt())", f"{ENDED} 130"),
        ("raise_(MemoryError())", f"{ENDED} 1"),
        ("os._exit(0)", f"{ENDED} 0"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "garak-tbsa score was killed by signal 9",
        ),
    ],
)
def test_a_gate_does_not_pass_however_our_code_ends(
    ending: str, told: str, pretended: Pretended
) -> None:
    raising = "def raise_(error):\n    raise error\n"
    judging = replacing("gates.verdict", "consistency", f"lambda _: {ending}")
    pretended.first(raising + judging)
    shown = pretended.end({"fail_under": 1})
    assert shown.code == 3
    assert "TBSA: 4.1" in shown.out
    line = shown.err.splitlines()[-1]
    assert line == f"garak-tbsa: TBSA is incomplete: {told}{FAILS}{UNCHANGED}"


REFUSING = """
import builtins
def refusing(name, mode='r', *rest, opened=open, **options):
    if 'x' in mode:
        raise PermissionError(13, 'Permission denied', name)
    return opened(name, mode, *rest, **options)
builtins.open = refusing
"""


@pytest.mark.parametrize("gate", [False, True])
def test_an_output_that_cannot_be_written_is_said_once_with_what_follows(
    gate: bool, pretended: Pretended
) -> None:
    """The score is printed, once; not all that was asked for is done, so 3."""
    pretended.first(REFUSING)
    rules = {"fail_under": 1} if gate else {}
    shown = pretended.end({**rules, "html": True})
    assert shown.code == (3 if gate else 0)
    assert shown.out.count("TBSA: 4.1") == 1
    assert ("gate passed" in shown.out) is gate
    why, what = shown.err.splitlines()
    path = f"{pretended.folder / 'scan'}.tbsa.json"
    assert f"{path}: cannot be written (Permission denied)" in why
    said = f"TBSA is incomplete: {ENDED} 1{FAILS * gate}{UNCHANGED}"
    assert what == f"garak-tbsa: {said}"
    assert pretended.files == set()


@pytest.mark.parametrize("gate", [False, True])
def test_an_interrupt_ends_the_process(gate: bool, pretended: Pretended) -> None:
    started = pretended.folder / "started"
    pretended.patch.setenv("STARTED", str(started))
    pretended.first(
        "if not os.path.exists(os.environ['STARTED']):\n"
        "    open(os.environ['STARTED'], 'w').write(f'{os.getpid()} ')\n"
        "    time.sleep(1000)"
    )
    pretended.configured({"fail_under": 1} if gate else None)

    def interrupt() -> None:
        while not (started.exists() and started.read_text().endswith(" ")):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(SystemExit if gate else KeyboardInterrupt) as end:
        end_scan()
    assert not gate or getattr(end.value, "code", None) == 3
    with suppress(ChildProcessError):
        os.waitpid(int(started.read_text()), 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    out, err = pretended.capfd.readouterr()
    assert "TBSA: 4.1" in out
    said = f"TBSA is incomplete: interrupted{FAILS * gate}{UNCHANGED}"
    assert err == f"garak-tbsa: {said}\n"


@pytest.mark.parametrize("executable", ["", "/nowhere/python"])
def test_a_program_without_an_interpreter(
    executable: str, pretended: Pretended
) -> None:
    pretended.patch.setattr("sys.executable", executable)
    shown = pretended.end({"fail_under": 1})
    assert shown.code == 3
    assert f"{executable or 'Python'} cannot be started (" in shown.error


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python cannot be told so")
def test_modules_of_the_folder_where_garak_is_started_are_none_of_ours(
    pretended: Pretended,
) -> None:
    """Nor are options that a path looks like."""
    (pretended.folder / "msgspec.py").write_text("raise SystemExit(0)")
    (pretended.folder / "-b.jsonl").write_text("")
    pretended.patch.chdir(pretended.folder)
    assert pretended.end(None).code == 0
    assert pretended.json["tbsa"] == 4.1
    shown = pretended.end({"baseline": "-b.jsonl"})
    assert "garak-tbsa: -b.jsonl: is empty" in shown.err
