# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever hangs, dies or is interrupted after a scan: the score first, one line."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from garak_tbsa.host import relay
from tests.host.scans import SMALLEST, end_scan, ended_with, scan

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 3
"""Seconds in which a score is printed on a machine that is busy, too."""
IN_C = "lambda *_, **__: sum(range(10 ** 15))"
ASLEEP = "lambda *_, **__: time.sleep(1000)"
BLOCKED = "lambda *_, **__: open(os.environ['PIPE'], 'rb')"


@pytest.fixture
def report(tmp_path: Path, gold_folder: str) -> str:
    copy = tmp_path / "scan.report.jsonl"
    copy.write_bytes((Path(gold_folder) / "garak-0.17.1.report.jsonl").read_bytes())
    return str(copy)


@pytest.fixture
def in_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Have the scoring process run a line of Python before anything else."""

    def make(line: str) -> Path:
        folder = tmp_path / "first"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(
            f"import os, signal, sys, time\n{line}\n"
        )
        monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{Path.cwd()}")
        return folder

    return make


def replacing(module: str, name: str, value: str) -> str:
    return f"import garak_tbsa.{module} as found; found.{name} = {value}"


def ended() -> int | str | None:
    """End a scan and return how garak ended."""
    try:
        end_scan()
    except SystemExit as end:
        return end.code
    return 0


@pytest.mark.parametrize("hanging", [IN_C, BLOCKED])
def test_what_hangs_is_given_up_after_the_time_limit(
    hanging: str,
    report: str,
    tmp_path: Path,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The score is printed and written; what was judged before it counts."""
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("PIPE", str(tmp_path / "pipe"))
    in_the_process(replacing("statistics.repeat", "repeat_distribution", hanging))
    settings = {"time_limit": LIMIT, "fail_under": 1, "html": True}
    ended_with(monkeypatch, report, settings)
    assert ended() == 0
    out, err = capsys.readouterr()
    assert "TBSA: 4.1" in out
    assert "gate passed: fail-under" in out
    assert json.loads((tmp_path / "scan.tbsa.json").read_text())["tbsa"] == 4.1
    assert not (tmp_path / "scan.tbsa.html").exists()
    assert err == (
        f"garak-tbsa: TBSA is incomplete: stopped after {LIMIT} s (the setting"
        " reporting.tbsa.time_limit) while computing the repeat interval; garak's own"
        " report is unchanged (GARAK_TBSA=0 turns this off)\n"
    )


def test_a_baseline_that_hangs_fails_the_gate_and_not_the_score(
    report: str,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_the_process(replacing("gates.verdict", "compare_assessments", ASLEEP))
    settings = {"time_limit": LIMIT, "baseline": report}
    ended_with(monkeypatch, report, settings)
    assert ended() == 3
    out, err = capsys.readouterr()
    assert "TBSA: 4.1" in out
    assert "gate" not in out
    (line,) = err.splitlines()
    assert f"stopped after {LIMIT} s (" in line
    assert f"while comparing with the baseline {report}; the gate fails" in line


def test_an_import_that_hangs(
    report: str,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_the_process(
        "class Hanging:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'garak_tbsa.host.after_scan':\n"
        "            time.sleep(1000)\n"
        "sys.meta_path.insert(0, Hanging())"
    )
    ended_with(monkeypatch, report, {"time_limit": 1, "fail_under": 1})
    assert ended() == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "garak-tbsa: no TBSA for this scan: stopped after 1 s (the setting"
        " reporting.tbsa.time_limit) while starting; the gate fails, because it was not"
    )


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
    ending: str,
    told: str,
    report: str,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(relay, "LAST_WORDS", 0.3)
    raising = "def raise_(error):\n    raise error\n"
    in_the_process(
        raising + replacing("gates.verdict", "consistency", f"lambda _: {ending}")
    )
    ended_with(monkeypatch, report, {"fail_under": 1})
    assert ended() == 3
    out, err = capsys.readouterr()
    assert "TBSA: 4.1" in out
    (line,) = err.splitlines()
    assert line.startswith(f"garak-tbsa: TBSA is incomplete: {told}")
    assert "; the gate fails, because it was not judged;" in line


def test_what_dies_without_a_gate_costs_nothing(
    report: str,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_the_process("os._exit(7)")
    ended_with(monkeypatch, report, None)
    assert ended() == 0
    assert capsys.readouterr() == (
        "",
        "garak-tbsa: no TBSA for this scan: the scoring process ended with code 7"
        " while starting; garak's own report is unchanged (GARAK_TBSA=0 turns this"
        " off)\n",
    )


def test_nothing_is_left_half_written(
    report: str,
    tmp_path: Path,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_the_process("os.fsync = lambda _: time.sleep(1000)")
    ended_with(monkeypatch, report, {"time_limit": 1})
    assert ended() == 0
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"first", "scan.report.jsonl"}


def test_a_folder_that_cannot_be_written_to_is_one_line(
    report: str,
    tmp_path: Path,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The score is printed, and a gate is judged."""
    in_the_process(
        "import builtins\n"
        "def refusing(name, mode='r', *rest, opened=open, **options):\n"
        "    if 'x' in mode:\n"
        "        raise PermissionError(13, 'Permission denied', name)\n"
        "    return opened(name, mode, *rest, **options)\n"
        "builtins.open = refusing"
    )
    settings = {"html": True, "markdown": True, "sarif": True, "fail_under": 1}
    ended_with(monkeypatch, report, settings)
    assert ended() == 0
    out, err = capsys.readouterr()
    assert "TBSA: 4.1" in out
    assert "gate passed" in out
    (line,) = err.splitlines()
    assert f"{report[:-13]}.tbsa.json: cannot be written (Permission denied)" in line
    assert line.endswith(
        "; also not written: scan.tbsa.html, scan.tbsa.md, scan.tbsa.sarif"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"first", "scan.report.jsonl"}


@pytest.mark.parametrize("gate", [False, True])
def test_an_interrupt_ends_the_scoring_process(
    gate: bool,
    report: str,
    in_the_process: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_the_process(replacing("gates.verdict", "consistency", ASLEEP))
    in_the_way = replacing("statistics.repeat", "repeat_distribution", ASLEEP)
    with open(
        Path(os.environ["PYTHONPATH"].split(":")[0]) / "sitecustomize.py", "a"
    ) as f:
        f.write(in_the_way)
    ended_with(monkeypatch, report, {"fail_under": 1} if gate else None)
    started: list[Any] = []
    start = relay._start

    def starting() -> Any:
        started.append(start())
        timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        return started[0]

    monkeypatch.setattr(relay, "_start", starting)
    with pytest.raises(SystemExit if gate else KeyboardInterrupt) as end:
        end_scan()
    assert not gate or getattr(end.value, "code", None) == 3
    assert started[0].poll() == -signal.SIGKILL
    (line,) = capsys.readouterr().err.splitlines()
    assert "interrupted while" in line
    assert ("the gate fails, because it was not judged" in line) is gate


@pytest.mark.parametrize("executable", ["", "/nowhere/python"])
def test_a_program_without_an_interpreter(
    executable: str,
    report: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.executable", executable)
    ended_with(monkeypatch, report, {"fail_under": 1})
    assert ended() == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{executable or 'Python'} cannot be started (" in line


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "-"])
def test_a_baseline_that_is_no_file_is_refused(
    kind: str,
    report: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.mkfifo(tmp_path / "pipe")
    baseline = {"pipe": str(tmp_path / "pipe"), "device": "/dev/zero", "-": "-"}.get(
        kind, str(tmp_path)
    )
    ended_with(monkeypatch, report, {"baseline": baseline, "time_limit": 20})
    assert ended() == 3
    out, err = capsys.readouterr()
    assert f"baseline: {baseline}: is no regular file (a pipe, device or folder)" in out
    assert err == ""


def test_paths_of_any_characters(
    tmp_path: Path,
    gold_folder: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / os.fsdecode(b"a\nb \xff 'c\" \x1b[31m \xe2\x80\xae")
    folder.mkdir()
    report = folder / "scan.report.jsonl"
    gold = Path(gold_folder) / "garak-0.17.1.report.jsonl"
    report.write_bytes(gold.read_bytes())
    ended_with(monkeypatch, str(report), {"baseline": str(report), "html": True})
    assert ended() == 0
    out, err = capsys.readouterr()
    assert (folder / "scan.tbsa.html").exists()
    assert (folder / "scan.tbsa.json").exists()
    assert err == ""
    assert out.replace("\n", "").replace("\ufe0f", "").isprintable()


BREAKING = """
import json, os, sys
import garak.cli
from garak_tbsa.host import hook
STREAMS = ("stdout", "stderr", "stdout-closed+stderr-closed")
def run(score=hook.score_ended_scan):
    sys.stdout.flush()
    codes = {}
    for streams in STREAMS:
        process = os.fork()
        if process == 0:
            break_(streams)
            return score()
        codes[streams] = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(json.dumps(codes), flush=True)
    os._exit(0)
def break_(streams):
    print("@@", streams, file=sys.stderr, flush=True)
    for name in streams.split("+"):
        stream = getattr(sys, name.removesuffix("-closed"))
        if name.endswith("-closed"):
            stream.close()
        else:
            os.dup2(os.open("/dev/full", os.O_WRONLY), stream.fileno())
hook.score_ended_scan = run
garak.cli.main(sys.argv[1:])
"""


def test_streams_that_break_while_we_speak(tmp_path: Path) -> None:
    """Full or closed: at most one line, and the scan's own exit code."""
    program = tmp_path / "breaking.py"
    program.write_text(BREAKING)
    folder = tmp_path / "data" / "garak" / "garak_runs"
    (folder / "scan.tbsa.html").mkdir(parents=True)
    config = tmp_path / "run.json"
    config.write_text(json.dumps({"reporting": {"tbsa": {"html": True}}}))
    start = (str(program),)
    done = scan(tmp_path, "--config", str(config), start=start, probes=SMALLEST)
    codes = json.loads(done.out.splitlines()[-1])
    assert codes == dict.fromkeys(codes, 0), done.err
    assert len(codes) == 3
    full_stdout, *others = done.err.split("@@")[1:]
    assert full_stdout.count("garak-tbsa: ") == 1
    assert "scan.tbsa.html: cannot be written (Is a directory)" in full_stdout
    assert not any("garak-tbsa: " in said for said in others)
    assert "Traceback" not in done.err
    assert "Exception ignored" not in done.err
    assert done.file(".tbsa.json").exists()
