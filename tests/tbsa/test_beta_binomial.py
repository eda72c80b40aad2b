# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The distribution of a count and the fitted prior, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, special, stats

from garak_tbsa.tbsa.beta_binomial import (
    JEFFREYS,
    BetaShape,
    count_distribution,
    fit_prior,
)

SHAPES = st.floats(0.01, 2000)


@given(total=st.integers(1, 400), alpha=SHAPES, beta=SHAPES)
def test_the_distribution_is_the_beta_binomial(
    total: int, alpha: float, beta: float
) -> None:
    """Beta-binomial(n, a, b), each probability."""
    found = count_distribution(total, BetaShape(alpha=alpha, beta=beta))
    first, weights = found.first, found.probabilities
    shares = np.zeros(total + 1)
    shares[first : first + len(weights)] = weights
    expected = stats.betabinom.pmf(np.arange(total + 1), total, alpha, beta)
    assert shares == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert math.fsum(weights) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("total", "alpha", "beta"),
    [(1, 0.5, 0.5), (2, 0.001, 0.001), (10**6, 9e5, 1e5), (10**9, 5e8, 5e8)],
)
def test_extreme_counts_stay_quick_and_whole(
    total: int, alpha: float, beta: float
) -> None:
    found = count_distribution(total, BetaShape(alpha=alpha, beta=beta))
    first, weights = found.first, found.probabilities
    assert first >= 0
    assert first + len(weights) - 1 <= total
    assert math.fsum(weights) == pytest.approx(1, abs=1e-9)
    counts = math.fsum((first + i) * w for i, w in enumerate(weights))
    assert counts == pytest.approx(total * alpha / (alpha + beta), rel=1e-6)


def negative_log_likelihood(shape: BetaShape, counts: list[tuple[int, int]]) -> float:
    a, b = shape.alpha, shape.beta
    return -sum(
        float(special.betaln(a + k, b + n - k) - special.betaln(a, b))
        for k, n in counts
    )


def by_scipy(counts: list[tuple[int, int]]) -> float:
    """The lowest negative log-likelihood within the bounds, from many starts."""
    limits = [(math.log(1e-3), math.log(1e6))] * 2
    starts = np.array([(0, 0), (2, 0), (0, 2), (3, 3), (-2, -2)], dtype=float)

    def cost(logs: NDArray[np.float64]) -> float:
        shape = BetaShape(alpha=math.exp(logs[0]), beta=math.exp(logs[1]))
        return negative_log_likelihood(shape, counts)

    found = [
        optimize.minimize(cost, start, bounds=limits, method="L-BFGS-B").fun
        for start in starts
    ]
    return float(min(found))


@pytest.mark.parametrize(
    ("seed", "alpha", "beta"),
    [(1, 0.8, 0.1), (2, 5.0, 1.0), (3, 20.0, 30.0), (4, 0.2, 0.2)],
)
def test_the_prior_is_the_one_of_greatest_likelihood(
    seed: int, alpha: float, beta: float
) -> None:
    """Fit one Beta(a, b) by maximum beta-binomial likelihood, as scipy does."""
    rng = np.random.default_rng(seed)
    totals = rng.integers(5, 300, 60)
    passed = rng.binomial(totals, rng.beta(alpha, beta, 60))
    counts = [(int(k), int(n)) for k, n in zip(passed, totals, strict=True)]
    fitted = fit_prior(counts)
    cost = negative_log_likelihood(fitted, counts)
    assert cost == pytest.approx(by_scipy(counts), abs=1e-3)
    assert fitted.alpha / (fitted.alpha + fitted.beta) == pytest.approx(
        alpha / (alpha + beta), abs=0.15
    )


@pytest.mark.parametrize(
    "counts",
    [
        [(5, 10)] * 20,
        [(10, 10)] * 10 + [(0, 10)] * 10,
    ],
)
def test_degenerate_counts_still_fit(counts: list[tuple[int, int]]) -> None:
    fitted = fit_prior(counts)
    assert 1e-3 <= fitted.alpha <= 1e6
    assert 1e-3 <= fitted.beta <= 1e6
    best = by_scipy(counts)
    assert negative_log_likelihood(fitted, counts) <= best + 1e-5


@given(
    counts=st.lists(
        st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
        min_size=5,
        max_size=30,
    ),
    data=st.data(),
)
def test_the_order_of_counts_is_irrelevant(
    counts: list[tuple[int, int]], data: st.DataObject
) -> None:
    """The prior depends on the counts alone."""
    shuffled = data.draw(st.permutations(counts))
    ours, again = fit_prior(counts), fit_prior(shuffled)
    assert negative_log_likelihood(ours, counts) == pytest.approx(
        negative_log_likelihood(again, counts), abs=1e-4
    )


@pytest.mark.parametrize("pairs", range(5))
def test_too_few_pairs_get_jeffreys_prior(pairs: int) -> None:
    assert fit_prior([(3, 10)] * pairs) == JEFFREYS


def test_a_sheet_clean_throughout_does_not_claim_that_no_repeat_can_differ() -> None:
    """All outputs together are one sample, and Jeffreys' posterior for it is used."""
    assert fit_prior([(1, 1)] * 5) == BetaShape(alpha=5.5, beta=0.5)
    assert fit_prior([(0, 4)] * 6) == BetaShape(alpha=0.5, beta=24.5)
    found = count_distribution(1, BetaShape(alpha=6.5, beta=0.5))
    assert found.first == 0
    assert found.probabilities[0] == pytest.approx(0.5 / 7)
