# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A few faults in the suite; ``make faults`` tries them for a time."""

from __future__ import annotations

import logging
import random

import pytest

from garak_tbsa.cli import detectors, detectors_rank
from tools.faults.commands import COMMANDS
from tools.faults.stage import Ended, Stage
from tools.faults.trials import (
    FAULTS,
    Reference,
    _told,
    _torn,
    full_disk,
    reference_of,
)

EXPLAIN = next(command for command in COMMANDS if command.name == "explain")
SCORE = COMMANDS[0]
REFERENCE = Reference(files={"out/e.json": b"new\n"}, seconds=1)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_score_with_all_outputs_withstands_it(fault: str) -> None:
    reference = reference_of(SCORE)
    assert len(reference.files) == 5
    assert FAULTS[fault](SCORE, reference, random.Random(8)) == []


def test_without_a_disk_of_its_own_the_size_of_files_is_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tools.faults.trials.can_mount", lambda: False)
    reference = reference_of(EXPLAIN)
    assert full_disk(EXPLAIN, reference, random.Random(8)) == []


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (None, []),
        (b"new\n", []),
        (b"", ["out/e.json is 0 bytes of 4"]),
        (b"ne", ["out/e.json is 2 bytes of 4"]),
    ],
)
def test_a_torn_output_is_seen(content: bytes | None, problems: list[str]) -> None:
    with Stage() as stage:
        if content is not None:
            (stage.folder / "out/e.json").write_bytes(content)
        assert _torn(stage, REFERENCE, {}) == problems


def test_a_lost_or_changed_file_is_seen() -> None:
    with Stage() as stage:
        old = {"out/e.json": b"old\n"}
        assert _torn(stage, REFERENCE, old) == ["out/e.json is missing of 4"]
        (stage.folder / "out/e.json").write_bytes(b"old\n")
        assert _torn(stage, REFERENCE, old) == []
        (stage.folder / "in/new.report.jsonl").write_bytes(b"")
        assert _torn(stage, REFERENCE, old) == ["an input was changed"]


@pytest.mark.parametrize(
    ("ended", "seen"),
    [
        (Ended(code=0, out="", err=""), "exit 0, and outputs are missing"),
        (Ended(code=1, out="", err=""), "not one line: ''"),
        (Ended(code=1, out="", err="a\nb\n"), "not one line"),
        (Ended(code=1, out="", err="a defect of garak-tbsa: x\n"), "not one line"),
        (Ended(code=-6, out="", err="x\n"), "exit -6"),
    ],
)
def test_a_wrong_exit_is_seen(ended: Ended, seen: str) -> None:
    with Stage() as stage:
        (problem,) = _told(ended, stage, REFERENCE)
    assert problem.startswith(seen)


def test_a_log_that_cannot_be_written_prints_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            self.handleError(record)

    logger = logging.Logger("garak")
    logger.addHandler(Full())

    def run(argv: list[str], *, prog: str) -> int:
        logger.error("x")
        return 0

    monkeypatch.setattr(detectors_rank, "run", run)
    assert detectors.run(["rank"]) == 0
    assert capsys.readouterr().err == ""
    assert logging.raiseExceptions
