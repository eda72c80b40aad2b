# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Thresholds of one detector; ``tests/behaviour`` has its mistakes and groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from garak_tbsa.detector_eval.explain import (
    average_precision,
    best_threshold,
    precision_recall,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from tests.values import known

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
        said = [(score >= threshold, is_hit) for score, is_hit in pairs]
        assert counts == ConfusionCounts(
            tp=said.count((True, True)),
            fp=said.count((True, False)),
            fn=said.count((False, True)),
            tn=said.count((False, False)),
        )
    if not any(hits):
        assert average_precision(points) is None
        return
    precision, recall, thresholds = precision_recall_curve(hits, scores)
    own = [(counts.hit_precision, known(counts.hit_recall)) for _, counts in points]
    expected = list(zip(precision, recall, strict=True))[: len(thresholds)]
    assert own == [pytest.approx(each) for each in expected]
    assert average_precision(points) == pytest.approx(
        float(average_precision_score(hits, scores))
    )


def test_the_best_threshold_is_the_lowest_of_equals() -> None:
    points = precision_recall([(0.1, False), (0.4, True), (0.8, True), (0.9, False)])
    threshold, counts = known(best_threshold(points))
    assert threshold == 0.4
    assert counts.hit_f1 == max(known(each.hit_f1) for _, each in points)
    assert best_threshold(()) is None
    assert average_precision(()) is None
