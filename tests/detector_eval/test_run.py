# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows -> row scores: whatever a detector does, each row has a score or a reason."""

from dataclasses import dataclass

import pytest

from garak_tbsa.detector_eval import run
from garak_tbsa.detector_eval.labelled_row import LabelledRow, Turn
from garak_tbsa.detector_eval.run import (
    Chunk,
    Missing,
    RowScore,
    chunks_of,
    one_line,
    reason_of,
    score_chunks,
)


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

    opened: list = None

    def open(self, detector):
        if self.opened is not None:
            self.opened.append(detector)
        if detector == "unloadable":
            raise OSError("no model here\nsecond line")
        if detector == "exits":
            raise SystemExit(1)
        return Detector(detector)


class Detector:
    def __init__(self, behaviour):
        self.behaviour = behaviour
        self.calls = 0

    def __enter__(self):
        return self

    def __exit__(self, *details):
        return None

    def complaint(self):
        return "garak warned"

    def close(self):
        closed.append(self.behaviour)

    def scores(self, row):
        self.calls += 1
        results = {
            "half": [0.5],
            "none": [None],
            "nothing": [],
            "two": [0.0, 1.0],
            "text": ["high"],
            "nan": [float("nan")],
            "true": [True],
            "number_text": ["0.25"],
        }
        if self.behaviour in results:
            return results[self.behaviour]
        if self.behaviour == "raises" or int(row.id) % 2:
            raise ValueError(f"cannot read row at 0x7f00\n{self.calls}")
        return [1.0]


closed: list[str] = []


def row_scores(behaviour, count=1) -> tuple[RowScore, ...]:
    chunk = Chunk(
        detector=behaviour,
        rows=tuple(row(number) for number in range(count)),
        index=0,
        is_last=True,
    )
    (scored,) = score_chunks([chunk], Scripted(), seed=1)
    assert scored.failure is None
    assert len(scored.row_scores) == count
    return scored.row_scores


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("half", RowScore(score=0.5)),
        ("true", RowScore(score=1.0)),
        ("number_text", RowScore(score=0.25)),
        ("none", RowScore(missing=Missing.NONE, detail="garak warned")),
        ("nothing", RowScore(missing=Missing.NO_RESULT, detail="garak warned")),
        (
            "two",
            RowScore(
                missing=Missing.SEVERAL_RESULTS, detail="2 results for one output"
            ),
        ),
        (
            "text",
            RowScore(missing=Missing.NOT_A_NUMBER, detail="the score is 'high'"),
        ),
        ("nan", RowScore(missing=Missing.NOT_A_NUMBER, detail="the score is nan")),
        (
            "raises",
            RowScore(missing=Missing.EXCEPTION, detail="ValueError: cannot read row"),
        ),
    ],
)
def test_each_kind_of_answer(behaviour, expected):
    assert row_scores(behaviour) == (expected,)


def test_one_row_that_raises_does_not_cost_the_others():
    kinds = [row_score.missing for row_score in row_scores("odd_raises", 12)]
    assert kinds == [None, Missing.EXCEPTION] * 6


def test_a_detector_that_always_raises_is_given_up():
    kinds = [row_score.missing for row_score in row_scores("raises", 8)]
    assert kinds == [Missing.EXCEPTION] * 5 + [Missing.NOT_TRIED] * 3


def test_one_detector_s_failure_never_stops_the_rest():
    opened: list[str] = []
    chunks = [
        chunk
        for name in ("exits", "half", "unloadable", "true")
        for chunk in chunks_of(name, [row(n) for n in range(5)], size=2)
    ]
    scored = list(score_chunks(chunks, Scripted(opened), seed=1))
    failures = {each.chunk.detector: each.failure for each in scored}
    assert failures == {
        "exits": "SystemExit: 1",
        "half": None,
        "unloadable": "OSError: no model here",
        "true": None,
    }
    # a failed detector gets one chunk, one that works all three
    assert [each.chunk.detector for each in scored].count("unloadable") == 1
    assert [each.chunk.detector for each in scored].count("true") == 3


def test_a_detector_is_loaded_once_and_let_go_before_the_next():
    opened: list[str] = []
    closed.clear()
    chunks = [
        chunk
        for name in ("half", "true")
        for chunk in chunks_of(name, [row(n) for n in range(6)], size=1)
    ]
    list(score_chunks(chunks, Scripted(opened), seed=1))
    assert opened == ["half", "true"]
    assert closed == ["half", "true"]
    assert run._opened is None


def test_a_broken_source_of_rows_ends_the_run_with_its_error():
    def rows():
        yield row(1)
        raise OSError("the disk went away")

    scored = score_chunks(chunks_of("half", rows(), size=1), Scripted(), seed=1)
    with pytest.raises(OSError, match="the disk went away"):
        list(scored)


def test_chunks_end_at_a_number_of_rows_or_characters(monkeypatch):
    sizes = [len(chunk.rows) for chunk in chunks_of("x", map(row, range(7)), size=3)]
    assert sizes == [3, 3, 1]
    monkeypatch.setattr(run, "CHUNK_CHARACTERS", 10)
    long = (row(number, "x" * 11) for number in range(3))
    chunks = list(chunks_of("x", long))
    assert [len(chunk.rows) for chunk in chunks] == [1, 1, 1]
    assert [chunk.is_last for chunk in chunks] == [False, False, True]


def test_no_rows_are_one_empty_last_chunk():
    (chunk,) = chunks_of("x", [])
    assert chunk.rows == ()
    assert chunk.is_last


def test_reasons_are_one_plain_line():
    assert one_line("\n ❌ Put the key in X\n e.g. export X=1") == "Put the key in X"
    assert one_line("<Model object at 0x7f12ab> failed") == "<Model object> failed"
    assert one_line("") == ""
    assert len(one_line("x" * 1000)) == 300
    assert reason_of(ValueError()) == "ValueError"
