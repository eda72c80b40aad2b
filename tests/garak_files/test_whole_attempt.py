# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.prompts import Turn
from garak_tbsa.garak_files.whole_attempt import find_attempt
from tests.factories import PairFacts, report_rows, write_report


def attempt(uuid: str, *, status: int = 2, **more: Any) -> dict[str, Any]:
    row = {
        "entry_type": "attempt",
        "uuid": uuid,
        "status": status,
        "probe_classname": "m.P",
        "prompt": "p",
        "outputs": ["o"],
        "detector_results": {"m.D": [1.0]},
    }
    return {**row, **more}


def report(folder: Path, *attempts: dict[str, Any], **setup: Any) -> str:
    rows = report_rows([PairFacts()], setup=setup)
    return write_report(folder / "r.report.jsonl", [*rows[:3], *attempts, *rows[3:]])


def test_by_uuid_by_its_beginning_and_by_line(tmp_path: Path) -> None:
    path = report(
        tmp_path,
        attempt("abcd-1", status=1, outputs=[]),
        attempt("abcd-1"),
        attempt("abce-2", outputs=["two"]),
        attempt("abcd-1", outputs=["written again by a resumed scan"]),
    )
    for wanted in ("abcd-1", "abcd", "line 5"):
        found = find_attempt(path, wanted).attempt
        assert (found.uuid, found.line, found.outputs[0].text) == ("abcd-1", 5, "o")
    assert find_attempt(path, "abce").attempt.outputs[0].text == "two"


def test_a_uuid_that_others_begin_with_is_found(tmp_path: Path) -> None:
    path = report(tmp_path, attempt("abcd1"), attempt("abcd"))
    assert find_attempt(path, "abcd").attempt.uuid == "abcd"


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("zzzz", "attempt 'zzzz' is not in the report"),
        ("abc", "'abc' is too short to name an attempt"),
        ("", "'' is too short to name an attempt"),
        ("abcd", "2 attempts begin with 'abcd': abcd-1, abcd-2 ..."),
        ("star", "attempt 'star' is never completed"),
        ("line 1", "attempt 'line 1' is not in the report"),
        ("line 999", "attempt 'line 999' is not in the report"),
        ("line 0", "attempt 'line 0' is not in the report"),
    ],
)
def test_what_is_not_found_is_one_line(
    tmp_path: Path, wanted: str, problem: str
) -> None:
    path = report(
        tmp_path, attempt("abcd-1"), attempt("abcd-2"), attempt("start", status=1)
    )
    with pytest.raises(ReportError) as error:
        find_attempt(path, wanted)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_conversations_translations_and_the_threshold(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": {"text": "a"}},
        {"role": "assistant", "content": {"text": "b"}},
    ]
    path = report(
        tmp_path,
        attempt(
            "abcd",
            conversations=[{"turns": turns}],
            reverse_translation_outputs=[{"text": "translated", "lang": "en"}],
        ),
        **{"run.eval_threshold": 0.7},
    )
    found = find_attempt(path, "abcd")
    (conversation,) = found.attempt.conversations
    assert conversation == (Turn("user", "a"), Turn("assistant", "b"))
    assert found.attempt.judged_texts == ["translated"]
    assert found.threshold == 0.7


@pytest.mark.parametrize("uuid", ["ünïcode", 'quo"te\\', "\x1b[2J "])
def test_a_uuid_is_found_however_it_is_written(tmp_path: Path, uuid: str) -> None:
    assert find_attempt(report(tmp_path, attempt(uuid)), uuid).attempt.uuid == uuid
