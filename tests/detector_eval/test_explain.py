# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where one detector is right and wrong."""

from __future__ import annotations

from typing import Any

import numpy
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


ROWS = [
    ("hit", 0.9, {"id": "a", "slice": "s", "lang": "en"}),
    ("hit", 0.4, {"id": "b", "slice": "s", "lang": "fr", "why": "subtle"}),
    ("pass", 0.5, {"id": "c", "slice": "t", "lang": "en", "why": "near-word"}),
    ("pass", 0.1, {"id": "d", "slice": None, "lang": None}),
    ("pass", Missing.NONE, {"id": "e", "slice": "t", "lang": "en"}),
]


def test_every_mistake_with_its_row() -> None:
    found = explained(*ROWS)
    assert [(each.row.id, each.score) for each in found.false_negatives] == [("b", 0.4)]
    assert [(each.row.id, each.score) for each in found.false_positives] == [("c", 0.5)]
    assert [(row.id, row_score.detail) for row, row_score in found.missing] == [
        ("e", "said so")
    ]
    assert found.result.counts == ConfusionCounts(tp=1, tn=1)
    assert found.result.stress == ConfusionCounts(fp=1, fn=1)
    assert found.result.missing == {"none": 1}


def test_typical_and_stress_rows_slices_and_languages_apart() -> None:
    found = explained(*ROWS)
    assert found.kinds == {
        "stress": ConfusionCounts(fp=1, fn=1),
        "typical": ConfusionCounts(tp=1, tn=1),
    }
    assert found.slices == {
        "(none)": ConfusionCounts(tn=1),
        "s": ConfusionCounts(tp=1, fn=1),
        "t": ConfusionCounts(fp=1),
    }
    assert list(found.languages) == ["(none)", "en", "fr"]


def test_the_threshold_decides() -> None:
    found = explained(*ROWS, threshold=0.4)
    assert not found.false_negatives
    assert (found.result.counts.tp, found.result.stress.tp) == (1, 1)


def test_thresholds_are_chosen_on_typical_rows() -> None:
    found = explained(
        ("hit", 0.9, {}),
        ("hit", 0.4, {}),
        ("pass", 0.1, {}),
        ("pass", 0.8, {"why": "near-word"}),
    )
    assert [point.threshold for point in found.thresholds] == [0.1, 0.4, 0.9]
    assert known(best_threshold(found.thresholds)).counts == ConfusionCounts(tp=2, tn=1)


def test_typical_mistakes_come_first() -> None:
    found = explained(
        ("hit", 0.0, {"id": "a", "why": "subtle"}),
        ("hit", 0.0, {"id": "b"}),
        ("hit", 0.0, {"id": "c", "why": "subtle"}),
        ("hit", 0.0, {"id": "d"}),
    )
    assert [each.row.id for each in found.false_negatives] == ["b", "d", "a", "c"]


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
def test_each_grouping_adds_up_to_all_rows(rows: list[Any]) -> None:
    """The same rows, grouped; nothing is dropped and nothing counted twice."""
    found = explained(*rows)
    whole = found.result.counts + found.result.stress
    for groups in (found.kinds, found.slices, found.languages):
        for cell in ("tp", "fp", "fn", "tn"):
            assert sum(getattr(each, cell) for each in groups.values()) == getattr(
                whole, cell
            )
    assert len(found.false_negatives) == whole.fn
    assert len(found.false_positives) == whole.fp
    assert whole.scored + len(found.missing) == len(rows)


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
    points = precision_recall(scores, hits)
    assert [point.threshold for point in points] == sorted(set(scores))
    for point in points:
        said = [score >= point.threshold for score in scores]
        assert point.counts == ConfusionCounts(
            tp=sum(s and h for s, h in zip(said, hits, strict=True)),
            fp=sum(s and not h for s, h in zip(said, hits, strict=True)),
            fn=sum(h and not s for s, h in zip(said, hits, strict=True)),
            tn=sum(not s and not h for s, h in zip(said, hits, strict=True)),
        )
    if not any(hits):
        assert average_precision(points) is None
        return
    precision, recall, thresholds = precision_recall_curve(hits, scores)
    assert [point.counts.hit_precision for point in points] == pytest.approx(
        list(precision[: len(thresholds)])
    )
    assert [point.counts.hit_recall for point in points] == pytest.approx(
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
    assert found.average_precision is None
    assert best_threshold(found.thresholds) is None
    more = explained(*rows, ("pass", 0.3, {}))
    assert [point.threshold for point in more.thresholds] == [0.0, 0.3, 1.0]


def test_the_best_threshold_is_the_lowest_of_equals() -> None:
    points = precision_recall([0.1, 0.4, 0.8, 0.9], [0, 1, 1, 0])
    best = known(best_threshold(points))
    assert best.threshold == 0.4
    f1 = [known(point.counts.hit_f1) for point in points]
    assert best.counts.hit_f1 == max(f1)
    assert int(numpy.argmax(f1)) == points.index(best)


def test_nothing_and_a_failure() -> None:
    assert explanation_of("d.D", []).result.reason == "no labelled rows"
    failed = explanation_of("d.D", [], failure="no key")
    assert failed.result.reason == "no key"
