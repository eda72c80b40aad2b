# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What only a process of its own can show: start, pipes, signals, surroundings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.behaviour.labelled import MODULE, echo_row, write_lines
from tests.behaviour.product import GOLD, PROGRAM, python

REPORT = GOLD / "garak-0.17.1.report.jsonl"
SCORE = ("-m", "garak_tbsa", "score", "-q", REPORT)
POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")


def test_the_script_and_the_module_are_one_program(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / PROGRAM
    assert script.is_file()
    by_script = python(script, "-V", folder=tmp_path)
    by_module = python("-m", "garak_tbsa", "-V", folder=tmp_path)
    assert by_script == by_module
    assert (by_module.code, by_module.err) == (0, "")
    assert version("garak-tbsa") in by_module.lines[0].split()
    assert not list(tmp_path.iterdir())


def started_with(folder: Path) -> int:
    """Start an interpreter; return the microseconds that our modules took."""
    shown = python("-X", "importtime", "-c", "pass", folder=folder)
    rows = [line.split("|") for line in shown.err.splitlines() if "|" in line]
    ours = [place for place, (_, _, name) in enumerate(rows) if "garak" in name]
    assert [rows[place][2].strip() for place in ours] == [
        "garak_tbsa",
        "garak_tbsa.host",
        "garak_tbsa.host._register",
    ]
    assert ours == list(range(ours[0], ours[0] + 3))
    # what a module imports stands above it, further to the right
    before, first = (rows[place][2] for place in (ours[0] - 1, ours[0]))
    assert len(before) - len(before.lstrip()) <= len(first) - len(first.lstrip())
    return sum(int(rows[place][0].split(":")[1]) for place in ours)


def test_an_interpreter_start_costs_a_millisecond_and_imports_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three modules of ours that import nothing but ``sys``; nothing of garak's."""
    # else a module that has just changed is compiled at every start
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    # other work on the machine can only add to the time
    assert any(started_with(tmp_path) < 1500 for _ in range(30))


@POSIX
def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "garak_tbsa", "detectors", "rank"],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode in (0, 1, 141), done.stderr) == (True, b"")


@POSIX
def test_without_home_stdin_or_unicode_the_score_is_the_same(tmp_path: Path) -> None:
    """An environment with a path alone, and standard input closed."""
    usual = python(*SCORE, folder=tmp_path)
    assert (usual.code, usual.err, len(usual.lines)) == (0, "", 3)
    bare = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", sys.executable, *map(str, SCORE)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (bare.returncode, bare.stderr) == (0, b"")
    assert bare.stdout.isascii()
    said = bare.stdout.decode("ascii").splitlines()
    assert [line.rpartition(": ")[2] for line in said] == [
        line.rpartition(": ")[2] for line in usual.lines
    ]
    assert not list(tmp_path.iterdir())


SLOW = '''

class Slow(Echo):
    """Waits while the second file is not there."""

    def detect(self, attempt):
        pathlib.Path("started").touch()
        while not pathlib.Path("go_on").exists():
            time.sleep(0.05)
        return super().detect(attempt)
'''


@POSIX
def test_an_interrupted_evaluation_keeps_what_is_finished(tmp_path: Path) -> None:
    """Ctrl-C: exit 130, one line, a summary of what was finished."""
    (tmp_path / "echoes.py").write_text(f"import time\n{MODULE}{SLOW}")
    rows = [
        echo_row("1", "hit", "a", detector="echoes:Louder"),
        echo_row("1", "pass", "b", detector="echoes:Slow"),
    ]
    write_lines(tmp_path / "rows.jsonl", rows)
    command = (
        *("-m", "garak.analyze.detector_eval", "--data", "rows.jsonl", "-q"),
        *("--detectors", "echoes:Louder,echoes:Slow", "--output", "s.json"),
    )
    surroundings = {"PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=tmp_path,
        env=os.environ | surroundings,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(1200):
        if (tmp_path / "started").exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines() == [
        "garak-tbsa: s.json: has the detectors that were finished, 1 of 2",
        "garak-tbsa: interrupted",
    ]
    finished = json.loads((tmp_path / "s.json").read_text())
    assert list(finished["results"]) == ["echoes:Louder"]
    (tmp_path / "go_on").touch()
    shown = python(*command, folder=tmp_path, settings=surroundings)
    assert (shown.code, shown.out, shown.err) == (0, "", "")
    summary = json.loads((tmp_path / "s.json").read_text())
    assert {name: each["counts"] for name, each in summary["results"].items()} == {
        "echoes:Louder": {"tp": 1, "fp": 0, "fn": 0, "tn": 0},
        "echoes:Slow": {"tp": 0, "fp": 1, "fn": 0, "tn": 0},
    }
