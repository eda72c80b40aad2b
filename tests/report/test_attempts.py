# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempt rows: what each says, which of them count, how one is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.report import attempts as reader
from garak_tbsa.report.attempts import Output, Turn, find_attempt, read_attempts
from tests.report_rows import PairFacts, report_rows, to_bytes, write_report

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
    rows = report_rows([PairFacts()], setup=setup)
    rows = [*rows[:3], *({**FULL, **each} for each in attempts), *rows[3:]]
    return write_report(folder / "r.report.jsonl", rows)


def turn(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


def test_an_attempt_is_read_into_a_record(tmp_path: Path) -> None:
    """Members that are missing, or of another type, are nothing."""
    turns = [turn("user", {"text": "a"}), turn("assistant", {"text": "b"})]
    translated = {
        "conversations": [{"turns": turns}],
        "reverse_translation_outputs": [{"text": "translated", "lang": "en"}],
    }
    (attempt,) = read_attempts(with_attempts(tmp_path, translated))
    assert (attempt.line, attempt.uuid, attempt.probe) == (4, "a-1", "dan.Dan")
    assert attempt.prompt == FULL["prompt"]
    assert attempt.outputs == (
        Output(text="one", lang="en"),
        Output(text="two", lang=None),
        *[Output(text=None, lang=None)] * 3,
    )
    assert (attempt.notes, attempt.goal) == ({"triggers": ["x"]}, "be rude")
    assert attempt.results == {
        "dan.DAN": (1.0, 0.0, None, 1.0, None),
        "always.Pass": (float("inf"),),
    }
    assert attempt.conversations == [
        (
            Turn(role="user", text="a"),
            Turn(role="assistant", text="b"),
        )
    ]
    assert attempt.judged_texts == ["translated"]
    bare = {"entry_type": "attempt", "status": 2}
    for row in (bare, {**bare, "uuid": 1, "probe_classname": [], "outputs": ""}):
        path = write_report(tmp_path / "r", [{"notes": [], **row}])
        (attempt,) = read_attempts(path)
        assert (attempt.uuid, attempt.probe, attempt.goal) == (None, None, None)
        assert (attempt.outputs, attempt.notes, attempt.results) == ((), {}, {})


def test_which_rows_count(tmp_path: Path) -> None:
    """The first complete one of a uuid, and not a last line that is cut."""
    rows: list[dict[str, Any]] = [{"status": 1}, {}, {"goal": "again"}, {"uuid": 1}]
    found = list(read_attempts(with_attempts(tmp_path, *rows)))
    assert [(each.uuid, each.goal, each.line) for each in found] == [
        ("a-1", "be rude", 5),
        (None, "be rude", 7),
    ]
    path = tmp_path / "r"
    for cut in (b'{"entry_type": "att', b'{"entry_type": "eval", "p'):
        path.write_bytes(to_bytes([FULL]) + b"\n" + cut)
        assert len(list(read_attempts(str(path)))) == 1
    for after in (FULL, report_rows([PairFacts()])[-1]):
        path.write_bytes(to_bytes([FULL]) + b"\n{broken\n" + to_bytes([after]))
        with pytest.raises(ReportError, match="line 2: expected a JSON object, found"):
            list(read_attempts(str(path)))


def test_the_setup_is_what_stands_before_the_first_attempt(tmp_path: Path) -> None:
    path = with_attempts(tmp_path, {}, **{"run.eval_threshold": 0.8})
    assert reader.stated_settings(path).eval_threshold == 0.8
    assert reader.is_report(path)
    other = tmp_path / "other"
    other.write_bytes(to_bytes([FULL]))
    assert reader.stated_settings(str(other)).eval_threshold == 0.5
    other.write_bytes(b"no JSON")
    assert not reader.is_report(str(other))


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
    several = with_attempts(tmp_path, {"uuid": "abcd-1"}, {"uuid": "abcd-2"})
    for wanted, problem in {
        "zzzz": "attempt 'zzzz' is not in the report, or was never completed",
        "abc": "'abc' is too short to name an attempt",
        "abcd": "2 attempts begin with 'abcd': abcd-1, abcd-2 ...",
        "line 1": "attempt 'line 1' is not in the report, or was never completed",
        "line 0": "attempt 'line 0' is not in the report, or was never completed",
    }.items():
        with pytest.raises(ReportError) as error:
            find_attempt(several, wanted)
        assert error.value.problem == problem
    path = with_attempts(tmp_path, {"uuid": "start", "status": 1})
    with pytest.raises(
        ReportError, match="attempt 'star' is not in the report, or was never"
    ):
        find_attempt(path, "star")


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
    assert reader.prompt_text(prompt) == text
