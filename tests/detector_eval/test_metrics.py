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

from garak_tbsa.detector_eval.basis import Basis, RowBasis, basis_of
from garak_tbsa.detector_eval.labelled_row import Label, Turn
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    ConfusionCounts,
    DetectorResult,
    detector_result,
)
from garak_tbsa.detector_eval.run import Missing, RowScore
from tests.detector_eval.rows import labelled

COUNTS = st.builds(
    ConfusionCounts,
    tp=st.integers(0, 30),
    fp=st.integers(0, 30),
    fn=st.integers(0, 30),
    tn=st.integers(0, 30),
)


@given(COUNTS)
def test_measures_are_those_of_the_field(counts: ConfusionCounts) -> None:
    """Precision TP/(TP+FP), recall TP/(TP+FN), F1 2TP/(2TP+FP+FN), mirrored."""
    truth = [1] * counts.hits + [0] * counts.passes
    said = [1] * counts.tp + [0] * counts.fn + [1] * counts.fp + [0] * counts.tn
    if not truth:
        assert counts.accuracy is None
        return
    assert counts.accuracy == pytest.approx(reference.accuracy_score(truth, said))
    for positive, precision, recall, f1, rows in (
        (1, counts.hit_precision, counts.hit_recall, counts.hit_f1, counts.hits),
        (0, counts.pass_precision, counts.pass_recall, counts.pass_f1, counts.passes),
    ):
        expected = reference.precision_recall_fscore_support(
            truth, said, pos_label=positive, average="binary", zero_division=0.0
        )
        assert precision == pytest.approx(expected[0])
        if rows:
            assert recall == pytest.approx(expected[1])
            assert f1 == pytest.approx(expected[2])
        else:
            assert recall is None
            assert f1 is None


def test_no_labelled_hits_is_undefined_and_no_predicted_hits_is_zero() -> None:
    none = ConfusionCounts(fp=3, tn=4)
    assert (none.hit_precision, none.hit_recall, none.hit_f1) == (0.0, None, None)
    assert (none.hit_sensitivity, none.hit_specificity) == (None, 4 / 7)
    silent = ConfusionCounts(fn=3, tn=4)
    assert (silent.hit_precision, silent.hit_recall, silent.hit_f1) == (0.0, 0.0, 0.0)


def test_how_much_a_detector_tells() -> None:
    counts = ConfusionCounts(tp=3, fn=1, fp=1, tn=1)
    assert counts.youden_index == pytest.approx(0.75 + 0.5 - 1)
    assert ConfusionCounts(tp=1).youden_index is None


def test_the_threshold_itself_is_a_hit() -> None:
    """A score >= eval_threshold (0.5) is a hit: 0.5 is a hit in garak."""
    assert EVAL_THRESHOLD == 0.5
    below = math.nextafter(0.5, 0)
    assert result_of(("hit", 0.5, None), ("hit", below, None)).counts == (
        ConfusionCounts(tp=1, fn=1)
    )


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (DetectorResult(detector="x.X", counts=ConfusionCounts(tn=1)), None),
        (
            DetectorResult(
                detector="x.X",
                missing={"none": 2, "exception": 3},
                details={"none": "no lists", "exception": "ValueError: bad"},
            ),
            "none of 5 rows got a score (the detector raised: ValueError: bad)",
        ),
        (
            DetectorResult(detector="x.X", stress=ConfusionCounts(tp=1)),
            "no typical rows: each of the 1 rows has a `why`, and such stress rows make"
            " no metrics",
        ),
        (
            DetectorResult(
                detector="x.X", missing={"none": 1}, stress=ConfusionCounts(tp=1)
            ),
            "none of 1 typical rows got a score (the detector returned None)",
        ),
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


def result_of(*rows: tuple[Label, float | None, str | None]) -> DetectorResult:
    """Each row is (label, score or None, why)."""
    return detector_result(
        "d.D",
        [
            (
                labelled(label, why=why),
                RowScore(score=score, missing=Missing.NONE if score is None else None),
            )
            for label, score, why in rows
        ],
    )


row_of_any_kind = st.tuples(
    st.sampled_from(["hit", "pass"]),
    st.sampled_from([0.0, 0.5, 1.0, None]),
    st.sampled_from([None, "made so"]),
)


@given(st.lists(row_of_any_kind, max_size=30))
def test_every_row_is_counted_once_and_stress_rows_apart(rows: list[Any]) -> None:
    """Typical rows alone make the metrics; None is kept apart; no row is dropped."""
    found = result_of(*rows)
    typical = result_of(*(row for row in rows if row[2] is None))
    stress = result_of(*(row for row in rows if row[2] is not None))
    assert (found.counts, found.missing) == (typical.counts, typical.missing)
    assert (found.stress, found.stress_missing) == (
        stress.stress,
        stress.stress_missing,
    )
    assert stress.counts == ConfusionCounts()
    assert found.labelled + found.stress_labelled == len(rows)
    hits = [row for row in rows if row[0] == "hit" and row[2] is None]
    assert found.counts.tp == sum(score in (0.5, 1.0) for _, score, _ in hits)
    assert found.missing.get("none", 0) == sum(
        score is None and why is None for _, score, why in rows
    )


def test_what_typical_rows_rest_on() -> None:
    """Distinct responses and prompts count; a model's are known by it or by basis."""
    rows = [
        labelled("hit", basis="real", model="small"),
        labelled("hit", basis="real", prompt=(Turn(role="user", text="other"),)),
        labelled("pass", basis="written", output="b"),
        labelled("pass", output="c", prompt=(Turn(role="user", text="third"),)),
    ]
    assert basis_of(rows) == Basis(
        hits=RowBasis(real=2),
        passes=RowBasis(written=1, not_stated=1),
        responses=3,
        prompts=3,
        real_prompts=2,
        models=("small",),
    )
