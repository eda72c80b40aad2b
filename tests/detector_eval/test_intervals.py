# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals: the documented bootstrap, exactly, and the one beside it."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.detector_eval.intervals import (
    IntervalOptions,
    f1_intervals,
    hit_f1_interval,
    share_interval,
    youden_interval,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from tests.values import known

SMALL = ConfusionCounts(tp=20, fn=7, fp=9, tn=24)
OPTIONS = IntervalOptions()


def test_coverage_by_enumeration() -> None:
    """The bootstrap's coverage collapses near perfection; Jeffreys holds 95 %."""
    size = 25
    ends = numpy.empty((4, size + 1, size + 1))
    for tp in range(size + 1):
        for fp in range(size + 1):
            counts = ConfusionCounts(tp=tp, fn=size - tp, fp=fp, tn=size - fp)
            # with one seed for all, Monte Carlo errors would not average out
            options = IntervalOptions(
                replicates=4000, min_samples=1, seed=tp * 100 + fp
            )
            hit = f1_intervals(counts, "x.X", options)["hit_f1"]
            ends[:, tp, fp] = (
                *(hit.ci_lower, hit.ci_upper),
                *(hit.jeffreys_lower, hit.jeffreys_upper),
            )
    covered = []
    k = numpy.arange(size + 1)
    rates = (numpy.arange(25) + 0.5) / 25
    for sensitivity in rates:
        for false_positive_rate in rates:
            truth = 2 * sensitivity / (sensitivity + false_positive_rate + 1)
            weights = numpy.outer(
                stats.binom.pmf(k, size, sensitivity),
                stats.binom.pmf(k, size, false_positive_rate),
            )
            covered.append(
                [
                    float(weights[(low - 1e-6 <= truth) & (truth <= high + 1e-6)].sum())
                    for low, high in (ends[:2], ends[2:])
                ]
            )
    bootstrap, jeffreys = numpy.array(covered).T
    assert jeffreys.mean() == pytest.approx(0.95, abs=0.005)
    assert jeffreys.min() > 0.88
    assert bootstrap.mean() < 0.91
    assert bootstrap.min() < 0.5


@settings(deadline=None, max_examples=40)
@given(
    st.builds(
        ConfusionCounts,
        tp=st.integers(0, 60),
        fp=st.integers(0, 60),
        fn=st.integers(0, 60),
        tn=st.integers(0, 60),
    ),
    st.integers(0, 2**63),
)
def test_intervals_are_ordered_repeatable_and_inside(
    counts: ConfusionCounts, seed: int
) -> None:
    """Everything seeded per detector; ends in [0, 1]."""
    options = IntervalOptions(replicates=500, min_samples=1, seed=seed)
    intervals = f1_intervals(counts, "x.X", options)
    assert intervals == f1_intervals(counts, "x.X", options)
    for found in intervals.values():
        for ends in map(known, (found.bootstrap, found.jeffreys)):
            assert 0 <= ends.lower <= ends.upper <= 1
            assert ends.width == pytest.approx(ends.upper - ends.lower, abs=1e-6)


def test_each_detector_and_seed_has_draws_of_its_own() -> None:
    """The seed is joined with the name, so that intervals do not err alike."""
    made = [("x.X", 42), ("x.Y", 42), ("x.X", 1)]
    found = [
        f1_intervals(SMALL, name, IntervalOptions(seed=seed))["hit_f1"].mean
        for name, seed in made
    ]
    assert len(set(found)) == 3
    one, other = (youden_interval(SMALL, name, OPTIONS) for name in ("x.X", "x.Y"))
    assert one != other


@pytest.mark.parametrize("cells", [(27, 3, 3, 27), (20, 0, 0, 20), (5, 30, 25, 2)])
def test_the_interval_of_youden_s_index(cells: tuple[int, int, int, int]) -> None:
    """The drawn ends against the distribution of Se - FPR, integrated."""
    tp, fp, fn, tn = cells
    counts = ConfusionCounts(tp=tp, fp=fp, fn=fn, tn=tn)
    found = youden_interval(counts, "x.X", IntervalOptions(replicates=100_000))
    middles = (numpy.arange(4000) + 0.5) / 4000
    sensitivity = stats.beta(tp + 0.5, fn + 0.5).ppf(middles)
    rate = stats.beta(fp + 0.5, tn + 0.5)
    for end, share in ((found.lower, 0.025), (found.upper, 0.975)):
        assert rate.sf(sensitivity - end).mean() == pytest.approx(share, abs=0.003)


def test_ends_are_rounded_to_six_decimals() -> None:
    """Beyond these machines may differ."""
    hit = f1_intervals(SMALL, "x.X", OPTIONS)["hit_f1"]
    values = (known(hit.mean), known(hit.ci_lower), known(hit.jeffreys_width))
    assert all(value == round(value, 6) for value in values)
    assert any(value != round(value, 5) for value in values)


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


def test_too_few_rows_for_a_bootstrap_have_the_jeffreys_interval() -> None:
    few = ConfusionCounts(tp=12, fn=3, fp=2, tn=13)
    assert f1_intervals(few, "x.X", OPTIONS) == {}
    any_number = IntervalOptions(min_samples=1)
    jeffreys = f1_intervals(few, "x.X", any_number)["hit_f1"].jeffreys
    assert hit_f1_interval(few, "x.X", OPTIONS) == jeffreys
    many = f1_intervals(SMALL, "x.X", OPTIONS)["hit_f1"]
    assert hit_f1_interval(SMALL, "x.X", OPTIONS) == many.bootstrap
    never_wrong = ConfusionCounts(tp=40, tn=40)
    degenerate = f1_intervals(never_wrong, "x.X", OPTIONS)["hit_f1"]
    assert hit_f1_interval(never_wrong, "x.X", OPTIONS) == degenerate.jeffreys
    assert hit_f1_interval(ConfusionCounts(tn=90), "x.X", OPTIONS) is None
