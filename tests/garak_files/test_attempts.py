# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempt rows: what each says, which of them count, how one is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import (
    Output,
    Turn,
    find_attempt,
    is_report,
    prompt_text,
    read_attempts,
    stated_settings,
)
from tests.factories import PairFacts, report_rows, to_bytes, write_report

FACTS = PairFacts()
FULL: dict[str, Any] = {
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


def with_attempts(folder: Path, *attempts: dict[str, Any], **setup: Any) -> str:
    """A report whose attempts begin in its fourth line."""
    rows = report_rows([FACTS], setup=setup)
    rows = [*rows[:3], *({**FULL, **each} for each in attempts), *rows[3:]]
    return write_report(folder / "r.report.jsonl", rows)


def test_an_attempt_is_read_into_a_record(tmp_path: Path) -> None:
    (attempt,) = read_attempts(with_attempts(tmp_path, {}))
    assert (attempt.line, attempt.uuid, attempt.probe) == (4, "a-1", "dan.Dan")
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
        (attempt,) = read_attempts(write_report(tmp_path / "r", [row]))
        assert (attempt.uuid, attempt.probe, attempt.goal) == (None, None, None)
        assert (attempt.outputs, attempt.notes, attempt.scores) == ((), {}, {})


def test_the_first_complete_row_of_a_uuid_counts(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"status": 1}, {}, {"goal": "again"}, {"uuid": 1}]
    found = list(read_attempts(with_attempts(tmp_path, *rows)))
    assert [(one.uuid, one.goal) for one in found] == [
        ("a-1", "be rude"),
        (None, "be rude"),
    ]


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
    with pytest.raises(ReportError, match="line 2: expected a JSON object, found no"):
        list(read_attempts(str(path)))


def test_the_setup_is_what_stands_before_the_first_attempt(tmp_path: Path) -> None:
    path = with_attempts(tmp_path, {}, **{"run.eval_threshold": 0.8})
    assert stated_settings(path).eval_threshold == 0.8
    assert is_report(path)
    for content in (to_bytes([FULL]), b"no JSON"):
        other = tmp_path / "other"
        other.write_bytes(content)
        assert stated_settings(str(other)).eval_threshold == 0.5
    assert not is_report(str(other))


def test_one_is_found_by_uuid_by_its_beginning_and_by_line(tmp_path: Path) -> None:
    path = with_attempts(
        tmp_path,
        {"uuid": "abcd-1", "status": 1, "outputs": []},
        {"uuid": "abcd-1"},
        {"uuid": "abce1", "outputs": ["two"]},
        {"uuid": "abce", "outputs": ["three"]},
        {"uuid": "abcd-1", "outputs": ["written again by a resumed scan"]},
        {"uuid": '\x1b[2J quo"tü\\'},
        **{"run.eval_threshold": 0.7},
    )
    for wanted in ("abcd-1", "abcd", "line 5"):
        found = find_attempt(path, wanted)
        assert (found.attempt.uuid, found.attempt.line) == ("abcd-1", 5)
        assert found.attempt.outputs[0].text == "one"
        assert found.threshold == 0.7
    assert find_attempt(path, "abce").attempt.outputs[0].text == "three"
    assert find_attempt(path, '\x1b[2J quo"tü\\').attempt.line == 9


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("zzzz", "attempt 'zzzz' is not in the report"),
        ("abc", "'abc' is too short to name an attempt"),
        ("abcd", "2 attempts begin with 'abcd': abcd-1, abcd-2 ..."),
        ("star", "attempt 'star' is never completed"),
        ("line 1", "attempt 'line 1' is not in the report"),
        ("line 0", "attempt 'line 0' is not in the report"),
    ],
)
def test_what_is_not_found_is_one_line(
    tmp_path: Path, wanted: str, problem: str
) -> None:
    uuids: list[dict[str, Any]] = [{"uuid": "abcd-1"}, {"uuid": "abcd-2"}]
    uuids.append({"uuid": "start", "status": 1})
    with pytest.raises(ReportError) as error:
        find_attempt(with_attempts(tmp_path, *uuids), wanted)
    assert error.value.problem == problem


def test_conversations_and_translations(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": {"text": "a"}},
        {"role": "assistant", "content": {"text": "b"}},
    ]
    translated = [{"text": "translated", "lang": "en"}]
    row = {
        "conversations": [{"turns": turns}],
        "reverse_translation_outputs": translated,
    }
    (attempt,) = read_attempts(with_attempts(tmp_path, row))
    assert attempt.conversations == [(Turn("user", "a"), Turn("assistant", "b"))]
    assert attempt.judged_texts == ["translated"]


def turn(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("hello", "hello"),
        (None, ""),
        ({"turns": [turn("user", {"text": "hello", "lang": "en"})]}, "hello"),
        (
            {"turns": [turn("user", "a"), turn("assistant", {"text": "b"})]},
            "user: a\n\nassistant: b",
        ),
        ({"turns": [turn("user", None), 3]}, ""),
        ({"turns": "?"}, '{"turns": "?"}'),
        ([turn("user", "a"), turn("assistant", "b")], "user: a\n\nassistant: b"),
        ([float("nan")], "(no text, and nothing that JSON has a form for)"),
    ],
)
def test_prompts_as_text(prompt: object, text: str) -> None:
    assert prompt_text(prompt) == text
