# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Faults while a command writes: kills, a full disk, no rights, inputs that hang.

Each output is the old file or the whole new one, inputs are unchanged, and the same
command run afterwards gives what it gives without the fault. What runs inside garak is
tried by ``tests/host``.
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from garak_tbsa.cli import detectors_rank
from garak_tbsa.cli.main import main
from tests.behaviour import judged
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import GOLD
from tests.behaviour.scans import of_another_run
from tests.unmeasured import unmeasured

ROOT = Path(__file__).parents[2]
LABELLED = ROOT / "data" / "detectors-eval" / "labelled"
NEW, OLD = "in/new.report.jsonl", "in/old.report.jsonl"
ROWS = "in/rows/dan.DAN.jsonl"
AUDITED, LABELS = "audit/audited.report.jsonl", "audit/labels.jsonl"
LONGEST_LINE = 1200
INTERRUPTED = 130

Files = dict[str, bytes]

COMMANDS = {
    "score": (
        *("score", NEW, "-j", "out/s.json", "--html", "out/s.html", "--markdown"),
        *("out/s.md", "--junit", "out/s.xml", "--sarif", "out/s.sarif"),
        *("--baseline", OLD, "--max-undetectable", "1"),
    ),
    "history": (
        *("history", "in", "--jobs", "1", "--jsonl", "out/h.jsonl"),
        *("--html", "out/h.html"),
    ),
    "audit": (
        *("audit", AUDITED, "--labels", LABELS, "-j", "out/a.json"),
        *("--html", "out/a.html", "--markdown", "out/a.md"),
    ),
    "evaluate": (
        *("detectors", "evaluate", "--data", ROWS, "-q"),
        *("--output", "out/summary.json", "--save-datasets", "out/rows"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Inputs in ``in`` and ``audit``, outputs in ``out``, garak's own in ``home``."""

    folder: Path
    argv: tuple[str, ...]

    def start(self, largest: int = resource.RLIM_INFINITY) -> subprocess.Popen[str]:
        """Start the command; ``largest`` is the largest file that it may write."""
        homes = ("DATA", "CONFIG", "CACHE")
        return subprocess.Popen(
            [sys.executable, "-m", "garak_tbsa", *self.argv],
            cwd=self.folder,
            env=unmeasured(
                **{f"XDG_{name}_HOME": str(self.folder / "home") for name in homes},
                PYTHONPATH=str(ROOT),
                SOURCE_DATE_EPOCH="1795219200",
                TMPDIR=str(self.folder / "out"),
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (largest, largest)
            ),
        )

    def run(self, largest: int = resource.RLIM_INFINITY) -> tuple[int, str]:
        """Run the command to its end; return its exit code and stderr."""
        with self.start(largest) as process:
            _, err = process.communicate()
            return process.returncode, err

    def files(self, *tops: str) -> Files:
        """Return what is below some folders, without pipes and garak's log."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for top in tops
            for path in sorted((self.folder / top).rglob("*"))
            if path.is_file() and path.name != "garak.log"
        }


def staged(folder: Path, name: str) -> Stage:
    for below in ("in/rows", "audit", "out", "home"):
        (folder / below).mkdir(parents=True)
    shutil.copyfile(GOLD / "garak-0.17.1.report.jsonl", folder / NEW)
    of_another_run(folder / NEW, folder / OLD)
    shutil.copyfile(LABELLED / "dan.DAN.jsonl", folder / ROWS)
    judged.write_scan(folder / AUDITED)
    write_lines(folder / LABELS, judged.careful())
    return Stage(folder=folder, argv=COMMANDS[name])


@lru_cache
def undisturbed(name: str) -> tuple[Files, float]:
    """Return what a command writes where nothing goes wrong, and its seconds."""
    with TemporaryDirectory() as folder:
        stage = staged(Path(folder), name)
        start = time.monotonic()
        assert stage.run() == (0, "")
        return stage.files("out"), time.monotonic() - start


def killed(stage: Stage, new: Files, seconds: float) -> tuple[int, str]:
    with stage.start() as process:
        time.sleep(0.9 * seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    return 1, "killed"


def full_disk(stage: Stage, new: Files, seconds: float) -> tuple[int, str]:
    return stage.run(largest=max(map(len, new.values())) // 2)


def no_rights(stage: Stage, new: Files, seconds: float) -> tuple[int, str]:
    """Put a folder where the last output is to be."""
    blocked = stage.folder / max(new)
    blocked.unlink(missing_ok=True)
    blocked.mkdir(parents=True)
    ended = stage.run()
    blocked.rmdir()
    return ended


def hanging_input(stage: Stage, new: Files, seconds: float) -> tuple[int, str]:
    """Put a pipe that says nothing in the place of an input, then press Ctrl-C."""
    path = next(stage.folder / word for word in stage.argv[::-1] if word in INPUTS)
    content = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    with stage.start() as process:
        time.sleep(max(1.0, 2 * seconds))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    path.unlink()
    path.write_bytes(content)
    return process.returncode, err


INPUTS = (NEW, OLD, AUDITED, LABELS, ROWS)
Fault = Callable[[Stage, Files, float], tuple[int, str]]


@pytest.mark.surroundings
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        *(("score", fault) for fault in (killed, full_disk, no_rights, hanging_input)),
        *(("history", full_disk), ("audit", killed), ("evaluate", hanging_input)),
        *(("evaluate", killed), ("evaluate", no_rights)),
    ],
)
def test_a_fault_leaves_whole_files(tmp_path: Path, name: str, fault: Fault) -> None:
    new, seconds = undisturbed(name)
    stage = staged(tmp_path, name)
    # a data set is a folder of the command's own, and no single file to replace
    old = {path: x + b"\n" for path, x in new.items() if path.count("/") == 1}
    for path, content in old.items():
        (stage.folder / path).write_bytes(content)
    inputs = stage.files("in", "audit")

    code, err = fault(stage, new, seconds)

    found = stage.files("out")
    for path, content in new.items():
        blocked = fault is no_rights and path == max(new)
        assert found.get(path) in {content, None if blocked else old.get(path)}
    assert stage.files("in", "audit") == inputs
    assert code in (1, 2, INTERRUPTED)
    assert len(err.splitlines()) == 1
    assert len(err) <= LONGEST_LINE
    assert "a defect of garak-tbsa" not in err

    assert stage.run() == (0, "")
    # nobody cleans up after a kill: a part of a file may be left beside it
    after = stage.files("out").items()
    assert {at: x for at, x in after if not at.endswith(".part")} == new


def test_a_log_that_cannot_be_written_prints_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            self.handleError(record)

    logger = logging.Logger("garak")
    logger.addHandler(Full())

    def run(_: argparse.Namespace) -> int:
        logger.error("x")
        return 0

    monkeypatch.setattr(detectors_rank, "run", run)
    assert main(["detectors", "rank"]) == 0
    assert capsys.readouterr().err == ""
    assert logging.raiseExceptions
