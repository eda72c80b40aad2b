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
    Interval,
    IntervalOptions,
    f1_intervals,
    hit_f1_interval,
    hit_f1_jeffreys,
    hit_f1_of,
    pass_f1_of,
    plausible_rates,
    resampled_counts,
    share_interval,
    youden_interval,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from tests.values import known

PUBLISHED = ConfusionCounts(tp=3301, fn=282, fp=2202, tn=1381)
SMALL = ConfusionCounts(tp=20, fn=7, fp=9, tn=24)
OPTIONS = IntervalOptions()


def test_the_interval_that_garak_published() -> None:
    """Acceptance: [0.72017, 0.73287] within Monte Carlo error."""
    intervals = f1_intervals(PUBLISHED, "mitigation.MitigationBypass", OPTIONS)
    hit, passed = known(intervals.hit), known(intervals.passed)
    # a percentile of 10,000 replicates errs by about 1e-4 here (one sigma)
    assert hit.bootstrap.lower == pytest.approx(0.72017, abs=4e-4)
    assert hit.bootstrap.upper == pytest.approx(0.73287, abs=4e-4)
    assert hit.mean == pytest.approx(0.72660, abs=2e-4)
    assert hit.samples == 7166
    assert passed.bootstrap.lower == pytest.approx(0.50996, abs=1e-3)
    assert passed.bootstrap.upper == pytest.approx(0.54249, abs=1e-3)
    assert not hit.degenerate


def exact_cdf(counts: ConfusionCounts, x: float) -> float:
    """P(F1* <= x), from F1* <= x if and only if FP* >= TP*(2 - x)/x - hits."""
    tp = numpy.arange(counts.hits + 1)
    least_fp = numpy.ceil(tp * (2 - x) / x - counts.hits - 1e-9)
    tails = stats.binom.sf(least_fp - 1, counts.passes, counts.fp / counts.passes)
    return float(stats.binom.pmf(tp, counts.hits, counts.tp / counts.hits) @ tails)


@pytest.mark.parametrize("counts", [SMALL, PUBLISHED])
def test_replicates_follow_the_exact_law(counts: ConfusionCounts) -> None:
    options = IntervalOptions(replicates=200_000)
    f1 = hit_f1_of(resampled_counts(counts, "x.X", options), counts)
    for x in numpy.quantile(f1, (0.001, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999)):
        drawn = float((f1 <= x + 1e-12).mean())
        # 5 standard errors of a share of 200,000
        assert drawn == pytest.approx(exact_cdf(counts, float(x)), abs=5.6e-3)


def test_the_exact_law_is_that_of_enumerated_resamples() -> None:
    counts = ConfusionCounts(tp=2, fn=1, fp=1, tn=3)
    cells = [
        (tp, fp, stats.binom.pmf(tp, 3, 2 / 3) * stats.binom.pmf(fp, 4, 1 / 4))
        for tp in range(4)
        for fp in range(5)
    ]
    for x in (0.2, 0.4, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0):
        enumerated = sum(
            weight for tp, fp, weight in cells if 2 * tp / (tp + fp + 3) <= x + 1e-12
        )
        assert exact_cdf(counts, x) == pytest.approx(enumerated)


def by_index(
    counts: ConfusionCounts, replicates: int
) -> tuple[list[float], list[float]]:
    """The bootstrap as it is documented: draw rows, with replacement, by label."""
    generator = numpy.random.default_rng(7)
    hits = numpy.array([True] * counts.tp + [False] * counts.fn)
    passes = numpy.array([True] * counts.fp + [False] * counts.tn)
    hit_f1, pass_f1 = [], []
    for _ in range(replicates):
        tp = hits[generator.integers(0, len(hits), len(hits))].sum()
        fp = passes[generator.integers(0, len(passes), len(passes))].sum()
        resample = ConfusionCounts(
            tp=int(tp), fn=int(len(hits) - tp), fp=int(fp), tn=int(len(passes) - fp)
        )
        hit_f1.append(known(resample.hit_f1))
        pass_f1.append(known(resample.pass_f1))
    return hit_f1, pass_f1


def test_two_binomial_draws_are_index_resampling() -> None:
    slow_hit, slow_pass = by_index(SMALL, 4000)
    drawn = resampled_counts(SMALL, "x.X", OPTIONS)
    for slow, fast in (
        (slow_hit, hit_f1_of(drawn, SMALL)),
        (slow_pass, pass_f1_of(drawn, SMALL)),
    ):
        assert stats.ks_2samp(slow, fast, method="asymp").pvalue > 0.01
        assert numpy.mean(slow) == pytest.approx(fast.mean(), abs=5e-3)


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
            hit = known(f1_intervals(counts, "x.X", options).hit)
            ends[:, tp, fp] = (
                hit.bootstrap.lower,
                hit.bootstrap.upper,
                hit.jeffreys.lower,
                hit.jeffreys.upper,
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


@pytest.mark.parametrize(
    "counts",
    [
        ConfusionCounts(tp=30, tn=30),
        ConfusionCounts(fn=30, fp=30),
        ConfusionCounts(tp=30, fp=10, tn=20),
        ConfusionCounts(tp=10, fn=20, fp=30),
    ],
)
def test_a_detector_always_right_or_wrong_on_a_label_is_degenerate(
    counts: ConfusionCounts,
) -> None:
    hit = known(f1_intervals(counts, "x.X", OPTIONS).hit)
    assert hit.degenerate
    assert hit.jeffreys.width > 0


def test_a_perfect_detector_has_no_bootstrap_width() -> None:
    hit = known(f1_intervals(ConfusionCounts(tp=30, tn=30), "x.X", OPTIONS).hit)
    assert hit.bootstrap == Interval(lower=1.0, upper=1.0)
    assert hit.jeffreys.lower < 0.96


def test_below_the_least_number_of_samples_there_is_none() -> None:
    counts = ConfusionCounts(tp=20, fn=5, fp=5, tn=19)
    none = f1_intervals(counts, "x.X", OPTIONS)
    assert (none.hit, none.passed) == (None, None)
    some = f1_intervals(counts, "x.X", IntervalOptions(min_samples=49))
    assert known(some.hit).samples == 49


def test_one_class_only() -> None:
    passes = f1_intervals(ConfusionCounts(fp=10, tn=50), "x.X", OPTIONS)
    assert passes.hit is None
    passed = known(passes.passed)
    assert passed.bootstrap.lower < 50 * 2 / 110 < passed.bootstrap.upper
    assert not passed.degenerate
    nothing = f1_intervals(ConfusionCounts(), "x.X", IntervalOptions(min_samples=1))
    assert (nothing.hit, nothing.passed) == (None, None)


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
    for found in filter(None, (intervals.hit, intervals.passed)):
        for ends in (found.bootstrap, found.jeffreys):
            assert 0 <= ends.lower <= ends.upper <= 1
            assert ends.width == pytest.approx(ends.upper - ends.lower, abs=1e-6)


def test_a_wider_confidence_holds_a_narrower_one() -> None:
    narrow = known(f1_intervals(SMALL, "x.X", IntervalOptions(confidence=0.5)).hit)
    wide = known(f1_intervals(SMALL, "x.X", IntervalOptions(confidence=0.99)).hit)
    assert wide.bootstrap.lower < narrow.bootstrap.lower
    assert wide.jeffreys.upper > narrow.jeffreys.upper


def test_each_detector_and_seed_has_draws_of_its_own() -> None:
    first = known(f1_intervals(SMALL, "x.X", OPTIONS).hit)
    assert known(f1_intervals(SMALL, "x.Y", OPTIONS).hit).mean != first.mean
    assert (
        known(f1_intervals(SMALL, "x.X", IntervalOptions(seed=1)).hit).mean
        != first.mean
    )


@pytest.mark.parametrize(
    "counts",
    [
        ConfusionCounts(tp=27, fn=3, fp=3, tn=27),
        ConfusionCounts(tp=20, tn=20),
        ConfusionCounts(tp=5, fn=25, fp=30, tn=2),
    ],
)
def test_the_interval_of_youden_s_index(counts: ConfusionCounts) -> None:
    """The drawn ends against the distribution of Se - FPR, integrated."""
    options = IntervalOptions(replicates=100_000)
    found = youden_interval(counts, "x.X", options)
    middles = (numpy.arange(4000) + 0.5) / 4000
    sensitivity = stats.beta(counts.tp + 0.5, counts.fn + 0.5).ppf(middles)
    rate = stats.beta(counts.fp + 0.5, counts.tn + 0.5)
    for end, share in ((found.lower, 0.025), (found.upper, 0.975)):
        assert rate.sf(sensitivity - end).mean() == pytest.approx(share, abs=0.003)
    assert found == youden_interval(counts, "x.X", options)


def test_the_documented_defaults() -> None:
    """10,000 replicates, 95 %, seed recorded, from 50 samples on."""
    assert IntervalOptions() == IntervalOptions(
        replicates=10_000, confidence=0.95, min_samples=50, seed=42
    )


@pytest.mark.parametrize(
    ("scored", "least", "is_there"),
    [(50, 50, True), (49, 50, False), (1, 1, True), (1, 0, True), (1, 2, False)],
)
def test_the_least_number_of_samples_is_enough(
    scored: int, least: int, is_there: bool
) -> None:
    options = IntervalOptions(min_samples=least, replicates=100)
    found = f1_intervals(ConfusionCounts(tp=scored), "x.X", options)
    assert (found.hit is not None) == is_there


def test_ends_are_rounded_to_six_decimals() -> None:
    """Beyond these machines may differ."""
    hit = known(f1_intervals(SMALL, "x.X", OPTIONS).hit)
    values = (hit.mean, hit.bootstrap.lower, hit.jeffreys.upper, hit.jeffreys.width)
    assert all(value == round(value, 6) for value in values)
    assert any(value != round(value, 5) for value in values)


@pytest.mark.parametrize(
    ("counts", "sensitivity", "rate"),
    [
        (ConfusionCounts(), 1 / 2, 1 / 2),
        (ConfusionCounts(tp=1, fp=1), 3 / 4, 3 / 4),
        (ConfusionCounts(fn=1, tn=1), 1 / 4, 1 / 4),
    ],
)
def test_rates_are_drawn_from_jeffreys_posteriors(
    counts: ConfusionCounts, sensitivity: float, rate: float
) -> None:
    """Beta(k + 1/2, n - k + 1/2) on sensitivity and on false-positive rate."""
    drawn = plausible_rates(counts, "x.X", IntervalOptions(replicates=100_000))
    # five standard errors of the mean of 100,000
    assert drawn[0].mean() == pytest.approx(sensitivity, abs=6e-3)
    assert drawn[1].mean() == pytest.approx(rate, abs=6e-3)


def test_each_detector_has_draws_of_its_own() -> None:
    """The seed is joined with the name, so that intervals do not err alike."""
    one, other = (youden_interval(SMALL, name, OPTIONS) for name in ("x.X", "x.Y"))
    assert one != other


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
    assert f1_intervals(few, "x.X", OPTIONS).hit is None
    assert hit_f1_interval(few, "x.X", OPTIONS) == hit_f1_jeffreys(few, "x.X", OPTIONS)
    many = known(f1_intervals(SMALL, "x.X", OPTIONS).hit)
    assert hit_f1_interval(SMALL, "x.X", OPTIONS) == many.bootstrap
    never_wrong = ConfusionCounts(tp=40, tn=40)
    degenerate = known(f1_intervals(never_wrong, "x.X", OPTIONS).hit)
    assert hit_f1_interval(never_wrong, "x.X", OPTIONS) == degenerate.jeffreys
    assert hit_f1_interval(ConfusionCounts(tn=90), "x.X", OPTIONS) is None
