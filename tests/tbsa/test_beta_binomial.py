# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The law of a count and the fitted prior, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from garak_tbsa.tbsa.beta_binomial import JEFFREYS, count_law, fit_prior

SHAPES = st.floats(0.01, 2000)


@given(total=st.integers(1, 400), alpha=SHAPES, beta=SHAPES)
def test_the_law_is_the_beta_binomial(total: int, alpha: float, beta: float) -> None:
    """Beta-binomial(n, a, b), each probability."""
    first, weights = count_law(total, alpha, beta)
    law = np.zeros(total + 1)
    law[first : first + len(weights)] = weights
    expected = stats.betabinom.pmf(np.arange(total + 1), total, alpha, beta)
    assert law == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert math.fsum(weights) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("total", "alpha", "beta"),
    [(1, 0.5, 0.5), (2, 0.001, 0.001), (10**6, 9e5, 1e5), (10**9, 5e8, 5e8)],
)
def test_extreme_counts_stay_quick_and_whole(
    total: int, alpha: float, beta: float
) -> None:
    first, weights = count_law(total, alpha, beta)
    assert first >= 0
    assert first + len(weights) - 1 <= total
    assert math.fsum(weights) == pytest.approx(1, abs=1e-9)
    counts = math.fsum((first + i) * w for i, w in enumerate(weights))
    assert counts == pytest.approx(total * alpha / (alpha + beta), rel=1e-6)


def negative_log_likelihood(
    shapes: tuple[float, float], counts: list[tuple[int, int]]
) -> float:
    a, b = shapes
    return -sum(
        float(special.betaln(a + k, b + n - k) - special.betaln(a, b))
        for k, n in counts
    )


def by_scipy(counts: list[tuple[int, int]]) -> float:
    """The lowest negative log-likelihood within the bounds, from many starts."""
    limits = [(math.log(1e-3), math.log(1e6))] * 2
    found = [
        optimize.minimize(
            lambda logs: negative_log_likelihood(
                (math.exp(logs[0]), math.exp(logs[1])), counts
            ),
            start,
            bounds=limits,
            method="L-BFGS-B",
        ).fun
        for start in ((0, 0), (2, 0), (0, 2), (3, 3), (-2, -2))
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
    a, b = fit_prior(counts)
    fitted = negative_log_likelihood((a, b), counts)
    assert fitted == pytest.approx(by_scipy(counts), abs=1e-3)
    assert a / (a + b) == pytest.approx(alpha / (alpha + beta), abs=0.15)


@pytest.mark.parametrize(
    "counts",
    [
        [(5, 10)] * 20,
        [(10, 10)] * 10 + [(0, 10)] * 10,
    ],
)
def test_degenerate_counts_still_fit(counts: list[tuple[int, int]]) -> None:
    a, b = fit_prior(counts)
    assert 1e-3 <= a <= 1e6
    assert 1e-3 <= b <= 1e6
    best = by_scipy(counts)
    assert negative_log_likelihood((a, b), counts) <= best + 1e-5


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
    assert fit_prior([(1, 1)] * 5) == (5.5, 0.5)
    assert fit_prior([(0, 4)] * 6) == (0.5, 24.5)
    first, weights = count_law(1, 6.5, 0.5)
    assert first == 0
    assert weights[0] == pytest.approx(0.5 / 7)
