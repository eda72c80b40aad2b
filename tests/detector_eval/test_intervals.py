# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of counts; ``tests/behaviour`` has F1's by their exact law."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.detector_eval.counts import ConfusionCounts
from garak_tbsa.detector_eval.intervals import (
    IntervalOptions,
    f1_intervals,
    share_interval,
)
from tests.values import known

SMALL = ConfusionCounts(tp=20, fn=7, fp=9, tn=24)
OPTIONS = IntervalOptions()


def test_the_interval_is_the_one_that_garak_published() -> None:
    """MitigationBypass in garak's own summary; six decimals, as machines differ."""
    counts = ConfusionCounts(tp=3301, fp=2202, fn=282, tn=1381)
    found = f1_intervals(counts, "mitigation.MitigationBypass", OPTIONS)
    hit, passed = found["hit_f1"], found["pass_f1"]
    ends = (hit.ci_lower, hit.ci_upper, hit.mean)
    assert ends == pytest.approx((0.72017, 0.73287, 0.7266), abs=4e-4)
    assert (passed.ci_lower, passed.ci_upper) == pytest.approx(
        (0.50996, 0.54249), abs=1e-3
    )
    values = [known(each) for each in (*ends, hit.jeffreys_width)]
    assert values == [round(value, 6) for value in values]
    assert values != [round(value, 5) for value in values]


def test_each_detector_and_seed_has_draws_of_its_own() -> None:
    """The seed is joined with the name, so that intervals do not err alike."""
    made = [("x.X", 42), ("x.Y", 42), ("x.X", 1)]
    found = [
        f1_intervals(SMALL, name, IntervalOptions(seed=seed))["hit_f1"].mean
        for name, seed in made
    ]
    assert len(set(found)) == 3
    one, other = (f1_intervals(SMALL, name, OPTIONS) for name in ("x.X", "x.Y"))
    assert one["hit_f1"].jeffreys != other["hit_f1"].jeffreys
    assert one == f1_intervals(SMALL, "x.X", OPTIONS)


@settings(max_examples=60)
@given(st.data(), st.integers(1, 10_000), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_a_share_has_the_jeffreys_interval(
    data: Any, whole: int, confidence: float
) -> None:
    """Beta(k + 1/2, n - k + 1/2); 0 of n reaches down to 0, n of n up to 1."""
    part = data.draw(st.integers(0, whole))
    tail = (1 - confidence) / 2
    exact = stats.beta(part + 0.5, whole - part + 0.5).ppf([tail, 1 - tail])
    found = share_interval(part, whole, confidence)
    assert found.lower == pytest.approx(0.0 if part == 0 else exact[0], abs=1e-6)
    assert found.upper == pytest.approx(1.0 if part == whole else exact[1], abs=1e-6)
    assert found.lower <= part / whole <= found.upper or confidence < 0.8
