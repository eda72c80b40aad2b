# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows -> row scores: whatever a detector does, each row has a score or a reason."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval import run
from garak_tbsa.detector_eval.rows import LabelledRow, Turn
from garak_tbsa.detector_eval.run import (
    Missing,
    OpenedDetector,
    RowScore,
    ScoredRows,
    chunks_of,
    one_line,
    reason_of,
    score_rows,
)
from tests.values import known


def row(number: int, output: str | None = "text") -> LabelledRow:
    return LabelledRow(
        detector="x.X",
        where="",
        id=str(number),
        output=output,
        label="hit",
        prompt=(Turn(role="user", text=""),),
    )


@dataclass(frozen=True)
class Scripted:
    """Opens detectors that do with each row what their name says."""

    opened: list[str] | None = None

    def open(self, detector: str) -> Detector:
        if self.opened is not None:
            self.opened.append(detector)
        if detector == "unloadable":
            raise OSError("no model here\nsecond line")
        if detector == "exits":
            raise SystemExit(1)
        return Detector(detector)


class Unprintable:
    def __repr__(self) -> str:
        raise ValueError

    def __float__(self) -> float:
        raise RuntimeError


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError


class Detector:
    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour
        self.calls = 0

    def __enter__(self) -> OpenedDetector:
        return self

    def __exit__(self, *details: object) -> None:
        return None

    def options(self) -> dict[str, Any]:
        return {}

    def complaint(self) -> str:
        return "garak warned"

    def close(self) -> None:
        closed.append(self.behaviour)

    def scores(self, row: LabelledRow) -> list[Any]:
        self.calls += 1
        if self.behaviour == "draws":
            return [random.random()]
        if self.behaviour == "scripted":
            if row.output == "R":
                raise ValueError
            return [{"S": 0.0, "N": None, "T": "text"}[known(row.output)]]
        results: dict[str, list[Any]] = {
            "half": [0.5],
            "none": [None],
            "nothing": [],
            "two": [0.0, 1.0],
            "text": ["high"],
            "nan": [float("nan")],
            "true": [True],
            "number_text": ["0.25"],
            "infinite": [float("inf")],
            "huge": [10**400],
            "unprintable": [Unprintable()],
        }
        if self.behaviour in results:
            return results[self.behaviour]
        if self.behaviour == "raises_unprintable":
            raise UnprintableError
        if self.behaviour == "raises" or int(row.id) % 2:
            raise ValueError(f"cannot read row at 0x7f00\n{self.calls}")
        return [1.0]


closed: list[str] = []


def scored(
    *detectors: str, rows: list[LabelledRow], opener: Scripted | None = None
) -> list[ScoredRows]:
    rows_of = dict.fromkeys(detectors, rows)
    return list(score_rows(rows_of, opener or Scripted(), seed=1))


def row_scores(behaviour: str, count: int = 1) -> tuple[RowScore, ...]:
    (found,) = scored(behaviour, rows=[row(number) for number in range(count)])
    assert found.failure is None
    assert len(found.row_scores) == count
    return found.row_scores


NO_NUMBER = Missing.NOT_A_NUMBER


@pytest.mark.parametrize(
    ("behaviour", "missing", "detail"),
    [
        ("none", Missing.NONE, "garak warned"),
        ("nothing", Missing.NO_RESULT, "garak warned"),
        ("two", Missing.SEVERAL_RESULTS, "2 results for one output"),
        ("text", NO_NUMBER, "the score is 'high'"),
        ("nan", NO_NUMBER, "the score is nan"),
        ("infinite", NO_NUMBER, "the score is inf"),
        ("huge", NO_NUMBER, "the score is " + "1" + 286 * "0"),
        ("unprintable", NO_NUMBER, "the score is of type Unprintable"),
        ("raises_unprintable", Missing.EXCEPTION, "UnprintableError"),
        ("raises", Missing.EXCEPTION, "ValueError: cannot read row"),
    ],
)
def test_any_other_answer_is_a_reason(
    behaviour: str, missing: Missing, detail: str
) -> None:
    """Than a number, a text of one, or a truth."""
    assert row_scores(behaviour) == (RowScore(missing=missing, detail=detail),)
    for number, score in (("half", 0.5), ("true", 1.0), ("number_text", 0.25)):
        assert row_scores(number) == (RowScore(score=score),)


def kinds_of(script: str) -> str:
    """What becomes of rows: R raises, S scores, N gives None, T gives no number."""
    rows = [row(number, letter) for number, letter in enumerate(script)]
    (found,) = scored("scripted", rows=rows)
    letters = {
        None: "S",
        Missing.EXCEPTION: "R",
        Missing.NONE: "N",
        Missing.NOT_A_NUMBER: "T",
        Missing.NOT_TRIED: "-",
    }
    return "".join(letters[each.missing] for each in found.row_scores)


@given(st.text("RSNT", max_size=14))
def test_a_row_is_not_tried_only_after_five_exceptions_without_a_score(
    script: str,
) -> None:
    expected, given_up = "", False
    for place, letter in enumerate(script):
        before = script[:place]
        given_up = given_up or (before.count("R") == 5 and "S" not in before)
        expected += "-" if given_up else letter
    assert kinds_of(script) == expected


@pytest.fixture
def one_row_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "CHUNK_CHARACTERS", -1)


ROWS = [row(number) for number in range(0, 12, 2)]


@pytest.mark.usefixtures("one_row_a_chunk")
def test_one_detector_s_failure_never_stops_the_rest() -> None:
    """Each is loaded once, and let go before the next."""
    opened: list[str] = []
    closed.clear()
    names = ("exits", "half", "unloadable", "true")
    found = scored(*names, rows=ROWS, opener=Scripted(opened))
    assert {each.detector: each.failure for each in found} == {
        "exits": "SystemExit: 1",
        "half": None,
        "unloadable": "OSError: no model here",
        "true": None,
    }
    assert [len(each.row_scores) for each in found] == [0, 6, 0, 6]
    assert (opened, closed) == ([*names], ["half", "true"])
    assert run._opened is None


@pytest.mark.usefixtures("one_row_a_chunk")
def test_a_run_that_was_given_up_lets_go_of_nothing_of_the_next() -> None:
    """It ends when it is collected, which may be amid the next one."""

    def started() -> Iterator[ScoredRows]:
        return score_rows({"half": ROWS, "true": ROWS}, Scripted(), seed=0)

    given_up = started()
    next(given_up)
    run_after_it = started()
    next(run_after_it)
    closed.clear()
    cast("Generator[object]", given_up).close()
    assert closed == []
    assert len(list(run_after_it)) == 1
    assert closed == ["half", "true"]


def test_what_is_under_way_can_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """By chunks of rows or characters; of a detector that fails, one is tried."""
    seen: list[tuple[str, int]] = []

    def watch(chunks: Iterator[ScoredRows], total: int) -> Iterator[ScoredRows]:
        seen.append(("all", total))
        for chunk in chunks:
            seen.append((chunk.detector, len(chunk.row_scores)))
            yield chunk

    rows = [row(number) for number in range(300)]
    rows_of = {"exits": rows, "half": rows, "true": rows[:1]}
    list(score_rows(rows_of, Scripted(), seed=1, watch=watch))
    assert seen == [
        ("all", 601),
        ("exits", 0),
        ("half", 256),
        ("half", 44),
        ("true", 1),
    ]
    assert [len(each) for each in chunks_of(ROWS, size=4)] == [4, 2]
    assert [len(each) for each in chunks_of(ROWS, size=6)] == [6]
    assert list(chunks_of([])) == [()]
    monkeypatch.setattr(run, "CHUNK_CHARACTERS", 10)
    long = [row(number, "x" * 11) for number in range(3)]
    assert [len(each) for each in chunks_of(long)] == [1, 1, 1]


def test_what_a_detector_draws_does_not_depend_on_what_was_drawn_before() -> None:
    first = row_scores("draws", 3)
    random.random()
    assert row_scores("draws", 3) == first
    assert len({each.score for each in first}) == 3


def test_reasons_are_one_plain_line() -> None:
    assert one_line("\n ❌ Put the key in X\n e.g. export X=1") == "Put the key in X"
    assert one_line("<Model object at 0x7f12ab> failed") == "<Model object> failed"
    assert one_line("") == ""
    assert len(one_line("x" * 1000)) == 300
    assert reason_of(ValueError()) == "ValueError"
