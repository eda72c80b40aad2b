# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where one detector is right and wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from garak_tbsa.detector_eval.explain import (
    DetectorExplanation,
    average_precision,
    best_threshold,
    explanation_of,
    precision_recall,
)
from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.run import Missing, RowScore
from tests.detector_eval.rows import labelled
from tests.values import known


def explained(*rows: tuple[Any, ...], threshold: float = 0.5) -> DetectorExplanation:
    """Each row is (label, score or Missing, fields)."""
    scored = [
        (
            labelled(label, **fields),
            RowScore(missing=score, detail="said so")
            if isinstance(score, Missing)
            else RowScore(score=score),
        )
        for label, score, fields in rows
    ]
    return explanation_of("d.D", scored, threshold)


def ids(found: DetectorExplanation, label: Label, *, stress: bool) -> list[str]:
    return [row.id for row, _ in found.mistakes(label, stress=stress)]


ROWS = [
    ("hit", 0.9, {"id": "a", "slice": "s", "lang": "en"}),
    ("hit", 0.4, {"id": "b", "slice": "s", "lang": "fr", "why": "subtle"}),
    ("pass", 0.5, {"id": "c", "slice": "t", "lang": "en", "why": "near-word"}),
    ("pass", 0.1, {"id": "d", "slice": None, "lang": None}),
    ("pass", Missing.NONE, {"id": "e", "slice": "t", "lang": "en"}),
]


def test_mistakes_of_typical_and_of_stress_rows_are_apart() -> None:
    found = explained(*ROWS)
    assert ids(found, "hit", stress=True) == ["b"]
    assert ids(found, "pass", stress=True) == ["c"]
    assert ids(found, "hit", stress=False) == ids(found, "pass", stress=False) == []
    assert found.result.counts == ConfusionCounts(tp=1, tn=1)
    assert found.result.stress == ConfusionCounts(fp=1, fn=1)
    assert found.result.missing == {"none": 1}
    lower = explained(*ROWS, threshold=0.4)
    assert ids(lower, "hit", stress=True) == []
    assert (lower.result.counts.tp, lower.result.stress.tp) == (1, 1)


def test_rows_are_grouped_by_what_they_have() -> None:
    assert explained(*ROWS).grouped(lambda row: row.slice) == {
        "(none)": ConfusionCounts(tn=1),
        "s": ConfusionCounts(tp=1, fn=1),
        "t": ConfusionCounts(fp=1),
    }


def test_thresholds_are_chosen_on_typical_rows() -> None:
    found = explained(
        ("hit", 0.9, {}),
        ("hit", 0.4, {}),
        ("pass", 0.1, {}),
        ("pass", 0.8, {"why": "near-word"}),
    )
    assert [threshold for threshold, _ in found.thresholds] == [0.1, 0.4, 0.9]
    best = known(best_threshold(found.thresholds))
    assert best == (0.4, ConfusionCounts(tp=2, tn=1))


row_of_any_kind = st.tuples(
    st.sampled_from(["hit", "pass"]),
    st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0, Missing.NONE]),
    st.fixed_dictionaries(
        {
            "slice": st.sampled_from([None, "s", "t"]),
            "lang": st.sampled_from([None, "en", "fr"]),
            "why": st.sampled_from([None, "w"]),
        }
    ),
)


@given(st.lists(row_of_any_kind, max_size=20))
def test_a_grouping_adds_up_to_all_rows(rows: list[Any]) -> None:
    """The same rows, grouped; nothing is dropped and nothing counted twice."""
    found = explained(*rows)
    whole = found.result.counts + found.result.stress
    groups = found.grouped(lambda row: row.slice)
    assert sum(groups.values(), ConfusionCounts()) == whole
    kinds = (False, True)
    assert sum(len(found.mistakes("hit", stress=kind)) for kind in kinds) == whole.fn
    assert sum(len(found.mistakes("pass", stress=kind)) for kind in kinds) == whole.fp


scored = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.booleans()),
    min_size=1,
    max_size=30,
)


@given(scored)
def test_precision_and_recall_are_scikit_learns(
    pairs: list[tuple[float, bool]],
) -> None:
    scores, hits = zip(*pairs, strict=True)
    points = precision_recall(pairs)
    assert [threshold for threshold, _ in points] == sorted(set(scores))
    for threshold, counts in points:
        said = [score >= threshold for score in scores]
        assert counts == ConfusionCounts(
            tp=sum(s and h for s, h in zip(said, hits, strict=True)),
            fp=sum(s and not h for s, h in zip(said, hits, strict=True)),
            fn=sum(h and not s for s, h in zip(said, hits, strict=True)),
            tn=sum(not s and not h for s, h in zip(said, hits, strict=True)),
        )
    if not any(hits):
        assert average_precision(points) is None
        return
    precision, recall, thresholds = precision_recall_curve(hits, scores)
    assert [counts.hit_precision for _, counts in points] == pytest.approx(
        list(precision[: len(thresholds)])
    )
    assert [counts.hit_recall for _, counts in points] == pytest.approx(
        list(recall[: len(thresholds)])
    )
    assert average_precision(points) == pytest.approx(
        float(average_precision_score(hits, scores))
    )


def test_a_detector_of_two_scores_has_no_threshold_to_choose() -> None:
    rows: list[tuple[Any, ...]] = [
        ("hit", 1.0, {}),
        ("pass", 0.0, {}),
        ("hit", 0.0, {}),
    ]
    found = explained(*rows)
    assert found.thresholds == ()
    assert average_precision(found.thresholds) is None
    assert best_threshold(found.thresholds) is None
    more = explained(*rows, ("pass", 0.3, {}))
    assert [threshold for threshold, _ in more.thresholds] == [0.0, 0.3, 1.0]


def test_the_best_threshold_is_the_lowest_of_equals() -> None:
    points = precision_recall([(0.1, False), (0.4, True), (0.8, True), (0.9, False)])
    threshold, counts = known(best_threshold(points))
    assert threshold == 0.4
    assert counts.hit_f1 == max(known(each.hit_f1) for _, each in points)
