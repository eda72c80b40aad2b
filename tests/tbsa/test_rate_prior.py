# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The masses of pass rates, against the EM algorithm as a textbook writes it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.tbsa.beta_binomial import BetaShape
from garak_tbsa.tbsa.interval_of_many import fit_rates_of_many
from garak_tbsa.tbsa.rate_prior import (
    BETWEEN,
    RATES,
    ROUNDS,
    SMOOTHING,
    RatePrior,
    beta_masses,
    fit_rates,
)
from tests.factories import counts

COUNTS = st.lists(
    st.integers(1, 60).flatmap(
        lambda total: st.tuples(st.integers(0, total), st.just(total))
    ),
    min_size=5,
    max_size=20,
)


def textbook(seen: list[tuple[int, int]], base: list[float]) -> list[float]:
    """Expectation, maximisation, with base as some more pairs of each rate."""
    passed, total = np.array(seen).T
    likely = stats.binom.pmf(passed[:, None], total[:, None], np.array(RATES))
    masses = np.array(base)
    for _ in range(ROUNDS):
        belongs = likely * masses
        belongs /= belongs.sum(axis=1, keepdims=True)
        masses = (SMOOTHING * np.array(base) + belongs.sum(axis=0)) / (
            SMOOTHING + len(seen)
        )
    return [float(mass) for mass in masses]


@settings(max_examples=25)
@given(seen=COUNTS)
def test_the_masses_are_what_the_textbook_gives(seen: list[tuple[int, int]]) -> None:
    prior = fit_rates(counts(*seen), seen)
    expected = textbook(seen, beta_masses(prior.beta))
    assert prior.masses == pytest.approx(expected, abs=1e-9)
    assert math.fsum(prior.masses) == pytest.approx(1, abs=1e-12)


@settings(max_examples=25)
@given(seen=COUNTS)
def test_numpy_fits_the_same(seen: list[tuple[int, int]]) -> None:
    one, other = fit_rates(counts(*seen), seen), fit_rates_of_many(counts(*seen), seen)
    assert one.masses == pytest.approx(other.masses, abs=1e-12)
    assert one.beta == other.beta


@given(seen=COUNTS, index=st.integers(0, 4))
def test_the_posterior_is_prior_times_likelihood(
    seen: list[tuple[int, int]], index: int
) -> None:
    prior = fit_rates(counts(*seen), seen)
    passed, total = seen[index]
    likely = stats.binom.pmf(passed, total, np.array(RATES)) * np.array(prior.masses)
    expected = likely / likely.sum()
    assert prior.after(passed, total) == pytest.approx(expected.tolist(), abs=1e-9)


@given(alpha=st.floats(0.05, 500), beta=st.floats(0.05, 500))
def test_the_beta_is_cut_halfway_between_the_rates(alpha: float, beta: float) -> None:
    below = [0.0, *stats.beta.cdf(np.array(BETWEEN), alpha, beta).tolist(), 1.0]
    expected = np.diff(np.array(below))
    found = beta_masses(BetaShape(alpha=alpha, beta=beta))
    assert found == pytest.approx(expected.tolist(), abs=1e-9)
    assert min(found) > 0


def test_two_kinds_of_pairs_are_told_apart() -> None:
    """Masses have no given shape: what no pair is like gets next to nothing."""
    seen = [(20, 20)] * 15 + [(8, 20)] * 15
    prior = fit_rates(counts(*seen), seen)
    near = sum(
        mass
        for rate, mass in zip(RATES, prior.masses, strict=True)
        if rate > 0.95 or 0.25 < rate < 0.55
    )
    assert near > 0.93


@pytest.mark.parametrize("pairs", [1, 4])
def test_with_few_pairs_the_beta_is_all_there_is(pairs: int) -> None:
    prior = fit_rates(counts((3, 10)) * pairs, [(3.0, 10.0)] * pairs)
    assert prior.masses == tuple(beta_masses(prior.beta))


def test_a_pair_of_any_size_is_possible() -> None:
    """No posterior is 0 / 0, whatever was seen."""
    seen = [(0.0, 900.0), (900.0, 900.0), (5.0, 1e6), (123456.7, 2e8), (1.0, 1.0)]
    prior = fit_rates(counts((0, 900), (900, 900), (5, 10**6), (1, 3), (1, 1)), seen)
    assert isinstance(prior, RatePrior)
    for each in seen:
        assert math.fsum(prior.after(*each)) == pytest.approx(1)
