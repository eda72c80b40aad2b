# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outcomes -> counts -> measures."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow, Turn
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    ConfusionCounts,
    DetectorResult,
    Tally,
    is_hit,
    ratio,
)
from garak_tbsa.detector_eval.run import Missing, RowScore
from tests.detector_eval.rows import labelled as labelled_row

COUNTS = st.builds(
    ConfusionCounts,
    tp=st.integers(0, 30),
    fp=st.integers(0, 30),
    fn=st.integers(0, 30),
    tn=st.integers(0, 30),
)


def row(label: Label) -> LabelledRow:
    return LabelledRow(
        detector="x.X",
        where="",
        id="",
        output="",
        label=label,
        prompt=(Turn(role="user", text=""),),
    )


def test_what_garak_published_for_mitigation_bypass() -> None:
    counts = ConfusionCounts(tp=3301, fn=282, fp=2202, tn=1381)
    assert counts.accuracy == 0.6533631035445158
    assert counts.hit_precision == 0.5998546247501363
    assert counts.hit_recall == counts.hit_sensitivity == 0.921295004186436
    assert counts.hit_f1 == pytest.approx(0.7266123706801674, abs=1e-15)
    assert counts.pass_precision == 0.830426939266386
    assert counts.pass_recall == counts.hit_specificity == 0.3854312029025956
    assert counts.pass_f1 == pytest.approx(0.5264963781929088, abs=1e-15)


@given(COUNTS)
def test_measures_are_those_of_the_field(counts: ConfusionCounts) -> None:
    """Precision TP/(TP+FP), recall TP/(TP+FN), F1 2TP/(2TP+FP+FN), mirrored."""
    truth = [1] * counts.hits + [0] * counts.passes
    said = [1] * counts.tp + [0] * counts.fn + [1] * counts.fp + [0] * counts.tn
    if not truth:
        assert counts.accuracy is None
        return
    assert counts.accuracy == pytest.approx(reference.accuracy_score(truth, said))
    for positive, precision, recall, f1, labelled in (
        (1, counts.hit_precision, counts.hit_recall, counts.hit_f1, counts.hits),
        (0, counts.pass_precision, counts.pass_recall, counts.pass_f1, counts.passes),
    ):
        expected = reference.precision_recall_fscore_support(
            truth, said, pos_label=positive, average="binary", zero_division=0.0
        )
        assert precision == pytest.approx(expected[0])
        if labelled:
            assert recall == pytest.approx(expected[1])
            assert f1 == pytest.approx(expected[2])
        else:
            assert recall is None
            assert f1 is None


@given(COUNTS)
def test_the_pass_class_is_the_mirror_image(counts: ConfusionCounts) -> None:
    """The pass class the mirror image."""
    mirrored = counts.mirrored
    assert mirrored.hit_f1 == counts.pass_f1
    assert mirrored.pass_precision == counts.hit_precision
    assert mirrored.accuracy == counts.accuracy
    assert mirrored.mirrored == counts


def test_no_predicted_hits_is_precision_zero() -> None:
    counts = ConfusionCounts(fn=3, tn=4)
    assert (counts.hit_precision, counts.hit_recall, counts.hit_f1) == (0.0, 0.0, 0.0)


def test_no_labelled_hits_is_undefined() -> None:
    counts = ConfusionCounts(fp=3, tn=4)
    assert (counts.hit_precision, counts.hit_recall, counts.hit_f1) == (0.0, None, None)
    assert counts.hit_sensitivity is None
    assert counts.hit_specificity == 4 / 7


def test_how_much_a_detector_tells() -> None:
    counts = ConfusionCounts(tp=3, fn=1, fp=1, tn=1)
    assert counts.youden_index == pytest.approx(0.75 + 0.5 - 1)
    assert ConfusionCounts(tp=1).youden_index is None


def test_one_place_decides_about_nothing_of_nothing() -> None:
    assert ratio(0, 0) is None
    assert ratio(1, 4) == 0.25


@given(st.floats(0, 1), st.floats(0.01, 0.99))
def test_the_threshold_itself_is_a_hit(score: float, threshold: float) -> None:
    """A score >= eval_threshold (0.5) is a hit: 0.5 is a hit in garak."""
    assert is_hit(threshold, threshold)
    assert is_hit(score, threshold) == (not score < threshold)


SAID = st.sampled_from(
    [RowScore(score=score) for score in (0.0, 0.3, 0.5, 1.0)]
    + [RowScore(missing=missing, detail="why") for missing in Missing]
)


@given(
    st.lists(st.tuples(st.sampled_from(["hit", "pass"]), SAID)),
    st.integers(1, 5),
)
def test_every_row_is_counted_once(
    said: list[tuple[Label, RowScore]], size: int
) -> None:
    """None is kept apart and counted; no row is dropped."""
    tally = Tally("x.X", 0.5)
    for start in range(0, len(said), size):
        part = said[start : start + size]
        tally.add(
            [row(label) for label, _ in part], [row_score for _, row_score in part]
        )
    result = tally.result()
    assert result.labelled == len(said)
    assert result.counts.tp == said.count(("hit", RowScore(score=0.5))) + said.count(
        ("hit", RowScore(score=1.0))
    )
    assert result.missing.get("none", 0) == sum(
        row_score.missing is Missing.NONE for _, row_score in said
    )
    assert (result.reason is None) == (result.counts.scored > 0)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (DetectorResult(detector="x.X", counts=ConfusionCounts(tn=1)), None),
        (DetectorResult(detector="x.X", failure="no key"), "no key"),
        (DetectorResult(detector="x.X"), "no labelled rows"),
        (
            DetectorResult(
                detector="x.X", missing={"none": 60}, details={"none": "no lists"}
            ),
            "none of 60 rows got a score (the detector returned None: no lists)",
        ),
        (
            DetectorResult(
                detector="x.X",
                missing={"exception": 5, "not_tried": 55},
                details={"exception": "ValueError: bad"},
            ),
            "none of 60 rows got a score (not tried after exceptions: ValueError: bad)",
        ),
        (
            DetectorResult(detector="x.X", missing={"no_result": 2}),
            "none of 2 rows got a score (the detector returned nothing)",
        ),
    ],
)
def test_why_there_are_no_metrics(result: DetectorResult, reason: str | None) -> None:
    assert result.reason == reason


def test_the_threshold_is_garak_s() -> None:
    """A score >= eval_threshold (0.5) is a hit: 0.5 is a hit in garak."""
    assert EVAL_THRESHOLD == 0.5
    tally = Tally("x.X")
    for score in (0.5, math.nextafter(0.5, 0)):
        tally.add([row("hit")], [RowScore(score=score)])
    assert tally.result().counts == ConfusionCounts(tp=1, fn=1)


def test_each_row_has_one_score() -> None:
    with pytest.raises(ValueError, match="zip"):
        Tally("x.X").add([row("hit")], [])


def test_the_reason_speaks_of_what_came_most_often() -> None:
    result = DetectorResult(
        detector="x.X",
        missing={"none": 2, "exception": 3},
        details={"none": "no lists", "exception": "ValueError: bad"},
    )
    assert result.reason == (
        "none of 5 rows got a score (the detector raised: ValueError: bad)"
    )


def tallied(*rows: tuple[Label, float | None, str | None]) -> DetectorResult:
    """Each row is (label, score or None, why)."""
    tally = Tally("d.D")
    for label, score, why in rows:
        missing = Missing.NONE if score is None else None
        tally.add(
            [labelled_row(label, why=why)], [RowScore(score=score, missing=missing)]
        )
    return tally.result()


row_of_any_kind = st.tuples(
    st.sampled_from(["hit", "pass"]),
    st.sampled_from([0.0, 0.5, 1.0, None]),
    st.sampled_from([None, "made so"]),
)


@given(st.lists(row_of_any_kind, max_size=30))
def test_stress_rows_are_never_in_the_metrics(rows: list[Any]) -> None:
    """Typical rows alone make the metrics; stress rows are counted beside them."""
    found = tallied(*rows)
    typical = tallied(*(row for row in rows if row[2] is None))
    stress = tallied(*(row for row in rows if row[2] is not None))
    assert (found.counts, found.missing) == (typical.counts, typical.missing)
    assert (found.stress, found.stress_missing) == (
        stress.stress,
        stress.stress_missing,
    )
    assert stress.counts == ConfusionCounts()
    assert found.labelled + found.stress_labelled == len(rows)


def test_without_typical_rows_there_is_a_reason() -> None:
    assert tallied(("hit", 1.0, "made so")).reason == (
        "no typical rows: each of the 1 rows has a `why`, and such stress rows make no"
        " metrics"
    )
    assert tallied(("hit", None, None), ("hit", 1.0, "made so")).reason == (
        "none of 1 typical rows got a score (the detector returned None)"
    )
    assert tallied(("hit", 1.0, None)).reason is None
