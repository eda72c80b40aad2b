# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import (
    Output,
    is_report,
    read_attempts,
    stated_threshold,
)
from tests.factories import PairFacts, attempt_row, report_rows, to_bytes, write_report

FACTS = PairFacts()
FULL = {
    "entry_type": "attempt",
    "uuid": "a-1",
    "seq": 0,
    "status": 2,
    "probe_classname": "probes.dan.Dan",
    "prompt": {"turns": [{"role": "user", "content": {"text": "hello"}}]},
    "outputs": [{"text": "one", "lang": "en"}, "two", None, {"text": None}, 3],
    "detector_results": {
        "detector.dan.DAN": [1, 0.0, None, True, [0.5]],
        "detectors.always.Pass": [10**400],
        "bare": 0.5,
    },
    "notes": {"triggers": ["x"]},
    "goal": "be rude",
}


def write(
    path: Path, rows: list[Any], pack: Callable[..., Any] | type[Any] = bytes
) -> str:
    path.write_bytes(pack(to_bytes(rows)))
    return str(path)


def test_an_attempt_is_read_into_a_record(tmp_path: Path) -> None:
    path = write(tmp_path / "r", [*report_rows([FACTS]), FULL])
    (attempt,) = read_attempts(path)
    assert (attempt.line, attempt.uuid, attempt.probe) == (7, "a-1", "dan.Dan")
    assert attempt.prompt == FULL["prompt"]
    assert attempt.outputs == (
        Output(text="one", lang="en"),
        Output(text="two", lang=None),
        *[Output(text=None, lang=None)] * 3,
    )
    assert (attempt.notes, attempt.goal) == ({"triggers": ["x"]}, "be rude")
    assert attempt.scores == {
        "dan.DAN": (1.0, 0.0, None, 1.0, None),
        "always.Pass": (float("inf"),),
    }


def test_members_that_are_missing_or_of_another_type_are_nothing(
    tmp_path: Path,
) -> None:
    bare = {"entry_type": "attempt", "status": 2}
    odd = {**bare, "uuid": 1, "probe_classname": [], "outputs": "", "notes": []}
    for row in (bare, odd):
        (attempt,) = read_attempts(write(tmp_path / "r", [row]))
        assert (attempt.uuid, attempt.probe, attempt.goal) == (None, None, None)
        assert (attempt.outputs, dict(attempt.notes), dict(attempt.scores)) == (
            (),
            {},
            {},
        )


def test_the_first_complete_row_of_a_uuid_counts(tmp_path: Path) -> None:
    rows = [{**FULL, "status": 1}, FULL, {**FULL, "goal": "again"}, {**FULL, "uuid": 1}]
    found = list(read_attempts(write(tmp_path / "r", rows)))
    assert [(one.uuid, one.goal) for one in found] == [
        ("a-1", "be rude"),
        (None, "be rude"),
    ]


def test_a_file_of_other_rows_is_no_report(tmp_path: Path) -> None:
    assert not is_report(write(tmp_path / "a", [{"output": "x", "label": "hit"}]))
    (tmp_path / "b").write_text("output,label\n")
    assert not is_report(str(tmp_path / "b"))


@pytest.mark.parametrize("cut", [b'{"entry_type": "att', b'{"entry_type": "eval", "p'])
def test_a_cut_last_line_is_left_out(tmp_path: Path, cut: bytes) -> None:
    path = tmp_path / "r"
    path.write_bytes(to_bytes([FULL]) + b"\n" + cut)
    assert len(list(read_attempts(str(path)))) == 1


@pytest.mark.parametrize("after", [FULL, report_rows([FACTS])[-1]])
def test_a_broken_line_elsewhere_is_told_with_its_number(
    tmp_path: Path, after: dict[str, Any]
) -> None:
    path = tmp_path / "r"
    path.write_bytes(to_bytes([FULL]) + b"\n{broken\n" + to_bytes([after]))
    with pytest.raises(ReportError) as caught:
        list(read_attempts(str(path)))
    assert str(caught.value) == (
        f"{path}, line 2: expected a JSON object, found no JSON (Expecting property"
        " name enclosed in double quotes: line 1 column 2 (char 1)); give a garak"
        " report, <prefix>.report.jsonl"
    )


def test_the_threshold_is_the_reports_own(tmp_path: Path) -> None:
    facts = PairFacts()
    path = tmp_path / "x.report.jsonl"
    rows = report_rows([facts], setup={"run.eval_threshold": 0.8})
    assert stated_threshold(write_report(path, rows)) == 0.8
    assert stated_threshold(write_report(path, report_rows([facts]))) == 0.5
    assert stated_threshold(write_report(path, [attempt_row(facts)])) == 0.5
    path.write_text("no JSON")
    assert stated_threshold(str(path)) == 0.5
