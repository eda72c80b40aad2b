# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever hangs, dies or is interrupted after a scan: the score first, one line."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

from garak_tbsa.host import relay
from tests.behaviour.scans import of_another_run
from tests.host.scans import Pretended, end_scan, replacing

LIMIT = 3
"""Seconds in which a score is printed on a machine that is busy, too."""
IN_C = "lambda *_, **__: sum(range(10 ** 15))"
ASLEEP = "lambda *_, **__: time.sleep(1000)"
BLOCKED = "lambda *_, **__: open(os.environ['PIPE'], 'rb')"
UNCHANGED = "; garak's own report is unchanged (GARAK_TBSA=0 turns this off)"
FAILS = "; the gate fails, because it was not judged"
STOPPED = "stopped after {} s (the setting reporting.tbsa.time_limit) while"


@pytest.mark.parametrize("hanging", [IN_C, BLOCKED])
def test_what_hangs_is_given_up_after_the_time_limit(
    hanging: str, pretended: Pretended
) -> None:
    """The score is printed and written; what was judged before it counts."""
    pipe = pretended.folder / "pipe"
    os.mkfifo(pipe)
    pretended.patch.setenv("PIPE", str(pipe))
    pretended.first(replacing("statistics.repeat", "repeat_distribution", hanging))
    shown = pretended.end({"time_limit": LIMIT, "fail_under": 1, "html": True})
    assert shown.code == 0
    assert "TBSA: 4.1" in shown.out
    assert "gate passed: fail-under" in shown.out
    assert pretended.files == {"scan.tbsa.json", "pipe"}
    assert pretended.json["tbsa"] == 4.1
    stopped = STOPPED.format(LIMIT)
    assert shown.err == (
        f"garak-tbsa: TBSA is incomplete: {stopped} computing the repeat interval"
        f"{UNCHANGED}\n"
    )


def test_a_baseline_that_hangs_fails_the_gate_and_not_the_score(
    pretended: Pretended,
) -> None:
    pretended.first(replacing("gates.against_baseline", "compare_assessments", ASLEEP))
    earlier = pretended.folder / "earlier.report.jsonl"
    baseline = str(of_another_run(pretended.report, earlier))
    shown = pretended.end({"time_limit": LIMIT, "baseline": baseline})
    assert shown.code == 3
    assert "TBSA: 4.1" in shown.out
    assert "gate" not in shown.out
    stopped = f"{STOPPED.format(LIMIT)} comparing with the baseline {baseline}"
    assert f"{stopped}{FAILS}{UNCHANGED}\n" in shown.err


IMPORT_HANGS = """
class Hanging:
    def find_spec(self, name, *_):
        if name == 'garak_tbsa.host.after_scan':
            time.sleep(1000)
sys.meta_path.insert(0, Hanging())
"""


@pytest.mark.parametrize(
    ("line", "settings", "problem"),
    [
        (
            IMPORT_HANGS,
            {"time_limit": 1, "fail_under": 1},
            f"{STOPPED.format(1)} starting{FAILS}",
        ),
        ("os._exit(7)", None, "the scoring process ended with code 7 while starting"),
        (
            "os.fsync = lambda _: time.sleep(1000)",
            {"time_limit": 1},
            STOPPED.format(1),
        ),
    ],
)
def test_what_hangs_or_dies_before_it_has_written_leaves_nothing(
    line: str, settings: Any, problem: str, pretended: Pretended
) -> None:
    """Nor does it cost anything where there is no gate."""
    pretended.first(line)
    shown = pretended.end(settings)
    assert shown.code == (3 if settings and "fail_under" in settings else 0)
    (line,) = shown.err.splitlines()
    assert problem in line
    assert line.startswith("garak-tbsa: ")
    assert line.endswith(UNCHANGED)
    assert pretended.files == set()


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("raise_(SystemExit(0))", "SystemExit: 0 while judging the gate"),
        ("raise_(GeneratorExit())", "GeneratorExit while judging the gate"),
        ("raise_(KeyboardInterrupt())", "KeyboardInterrupt while judging the gate"),
        ("raise_(MemoryError())", "MemoryError while judging the gate"),
        ("os._exit(0)", "the scoring process ended with code 0 while judging the gate"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "the scoring process was killed by signal 9 while judging the gate",
        ),
        ("os.abort()", "the scoring process was killed by signal 6 while judging"),
        ("os.closerange(0, 256) or time.sleep(9)", "the scoring process closed its"),
    ],
)
def test_a_gate_does_not_pass_however_our_code_ends(
    ending: str, told: str, pretended: Pretended
) -> None:
    pretended.patch.setattr(relay, "LAST_WORDS", 0.3)
    raising = "def raise_(error):\n    raise error\n"
    judging = replacing("gates.verdict", "consistency", f"lambda _: {ending}")
    pretended.first(raising + judging)
    shown = pretended.end({"fail_under": 1})
    assert shown.code == 3
    assert "TBSA: 4.1" in shown.out
    (line,) = shown.err.splitlines()
    assert line.startswith(f"garak-tbsa: TBSA is incomplete: {told}")
    assert line.endswith(f"{FAILS}{UNCHANGED}")


REFUSING = """
import builtins
def refusing(name, mode='r', *rest, opened=open, **options):
    if 'x' in mode:
        raise PermissionError(13, 'Permission denied', name)
    return opened(name, mode, *rest, **options)
builtins.open = refusing
"""


def test_a_folder_that_cannot_be_written_to_is_one_line(pretended: Pretended) -> None:
    """The score is printed, and a gate is judged."""
    pretended.first(REFUSING)
    forms = dict.fromkeys(("html", "markdown", "sarif"), True)
    shown = pretended.end({**forms, "fail_under": 1})
    assert shown.code == 0
    assert "TBSA: 4.1" in shown.out
    assert "gate passed" in shown.out
    (line,) = shown.err.splitlines()
    path = f"{pretended.folder / 'scan'}.tbsa.json"
    assert f"{path}: cannot be written (Permission denied)" in line
    others = "scan.tbsa.html, scan.tbsa.md, scan.tbsa.sarif"
    assert line.endswith(f"; also not written: {others}")
    assert pretended.files == set()


@pytest.mark.parametrize("gate", [False, True])
def test_an_interrupt_ends_the_scoring_process(
    gate: bool, pretended: Pretended
) -> None:
    judging = replacing("gates.verdict", "consistency", ASLEEP)
    repeats = replacing("statistics.repeat", "repeat_distribution", ASLEEP)
    pretended.first(f"{judging}\n{repeats}")
    pretended.configured({"fail_under": 1} if gate else None)
    started: list[Any] = []
    start = relay._start

    def starting() -> Any:
        started.append(start())
        threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
        return started[0]

    pretended.patch.setattr(relay, "_start", starting)
    with pytest.raises(SystemExit if gate else KeyboardInterrupt) as end:
        end_scan()
    assert not gate or getattr(end.value, "code", None) == 3
    assert started[0].poll() == -signal.SIGKILL
    (line,) = pretended.capsys.readouterr().err.splitlines()
    assert "interrupted while" in line
    assert (FAILS in line) is gate


@pytest.mark.parametrize("executable", ["", "/nowhere/python"])
def test_a_program_without_an_interpreter(
    executable: str, pretended: Pretended
) -> None:
    pretended.patch.setattr("sys.executable", executable)
    shown = pretended.end({"fail_under": 1})
    assert shown.code == 3
    assert f"{executable or 'Python'} cannot be started (" in shown.error
