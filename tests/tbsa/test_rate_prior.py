# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The masses of pass rates, against the EM algorithm as a textbook writes it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from garak_tbsa.garak_files.calibration import Distribution
from garak_tbsa.tbsa.beta_binomial import BetaShape
from garak_tbsa.tbsa.rate_grid import BETWEEN, RATES
from garak_tbsa.tbsa.rate_level import shifted
from garak_tbsa.tbsa.rate_prior import (
    ROUNDS,
    SMOOTHING,
    UNLIKE_MODELS,
    RatePrior,
    SeenPairs,
    TierPriors,
    beta_masses,
    fit_rates,
    masses_of_models,
)
from garak_tbsa.tbsa.rate_prior_of_many import LikelihoodsOfMany

COUNTS = st.lists(
    st.integers(1, 60).flatmap(
        lambda total: st.tuples(st.integers(0, total), st.just(total))
    ),
    min_size=5,
    max_size=20,
)


CALIBRATED = st.lists(
    st.none()
    | st.builds(
        Distribution, mu=st.floats(0, 1), sigma=st.sampled_from([0.0, 0.05, 0.3])
    ),
    min_size=20,
    max_size=20,
)
"""As many as :data:`COUNTS` has at most."""


Group = tuple[list[tuple[int, int]], list[Distribution | None]]


def seen_pairs(
    seen: list[tuple[int, int]], distributions: list[Distribution | None]
) -> SeenPairs:
    return SeenPairs(counts=seen, seen=seen, distributions=distributions[: len(seen)])


def fitted(
    seen: list[tuple[int, int]], distributions: list[Distribution | None] | None = None
) -> RatePrior:
    if distributions is None:
        distributions = [None] * len(seen)
    [prior] = fit_rates([seen_pairs(seen, distributions)])
    return prior


def by_models(distribution: Distribution) -> NDArray[np.float64]:
    """Rates of models, by scipy: a normal distribution, its tails at 0 and 1."""
    mu, sigma = distribution.mu, max(distribution.sigma, 1 / 30)
    below = [0.0, *stats.norm.cdf(np.array(BETWEEN), mu, sigma).tolist(), 1.0]
    return np.diff(np.array(below))


def textbook(
    pairs: list[tuple[int, tuple[int, int], Distribution | None]],
    bases: list[list[float]],
) -> tuple[list[list[float]], float]:
    """Expectation, maximisation, pair by pair of (group, seen, distribution).

    The Beta is some more pairs of each rate.
    """
    masses = [np.array(base) for base in bases]
    calibrated = sum(distribution is not None for _, _, distribution in pairs)
    share = 0.5 if calibrated else 0.0
    for _ in range(ROUNDS):
        sums = [SMOOTHING * np.array(base) for base in bases]
        to_models = 0.0
        for group, (passed, total), distribution in pairs:
            likely = stats.binom.pmf(passed, total, np.array(RATES))
            models = by_models(distribution) if distribution else np.zeros(len(RATES))
            of_models = share if distribution else 0.0
            as_models = of_models * float(likely @ models)
            belongs = (1 - of_models) * likely * masses[group]
            whole = as_models + float(belongs.sum())
            sums[group] += belongs / whole
            to_models += as_models / whole
        masses = [each / each.sum() for each in sums]
        share = to_models / (calibrated + UNLIKE_MODELS)
    return [each.tolist() for each in masses], share


GROUPS = st.lists(st.tuples(COUNTS, CALIBRATED), min_size=1, max_size=2)


@settings(max_examples=15)
@given(groups=GROUPS)
def test_the_masses_are_what_the_textbook_gives(groups: list[Group]) -> None:
    """Masses for each group, and one share like the models for all of them."""
    priors = fit_rates(seen_pairs(*group) for group in groups)
    masses, share = textbook(
        [
            (number, each, distribution)
            for number, (seen, distributions) in enumerate(groups)
            for each, distribution in zip(seen, distributions, strict=False)
        ],
        [beta_masses(prior.beta) for prior in priors],
    )
    for prior, expected in zip(priors, masses, strict=True):
        assert prior.masses == pytest.approx(expected, abs=1e-8)
        assert prior.as_models == pytest.approx(share, abs=1e-8)
        assert math.fsum(prior.masses) == pytest.approx(1, abs=1e-12)


@settings(max_examples=25)
@given(groups=GROUPS)
def test_numpy_fits_the_same(groups: list[Group]) -> None:
    seen = [seen_pairs(*group) for group in groups]
    few, many = fit_rates(seen), fit_rates(seen, LikelihoodsOfMany)
    for one, other in zip(few, many, strict=True):
        assert one.masses == pytest.approx(other.masses, abs=1e-12)
        assert one.as_models == pytest.approx(other.as_models, abs=1e-12)
        assert one.beta == other.beta
        assert one.level_deviation == pytest.approx(other.level_deviation, rel=1e-6)


@given(mu=st.floats(0, 1), sigma=st.floats(0, 0.5))
def test_what_is_beyond_the_ends_is_at_them(mu: float, sigma: float) -> None:
    """Models that pass, or fail, always."""
    distribution = Distribution(mu=mu, sigma=sigma)
    found = masses_of_models(distribution)
    assert found == pytest.approx(by_models(distribution).tolist(), abs=1e-9)


def test_a_target_like_the_models_is_seen_to_be_like_them() -> None:
    """For how many pairs of the scan it is, the scan itself says."""
    rates = [0.05 + 0.9 * i / 29 for i in range(30)]
    like: list[Distribution | None] = [Distribution(mu=p, sigma=0.04) for p in rates]
    seen = [(round(100 * rate), 100) for rate in rates]
    assert fitted(seen, like).as_models > 0.8
    assert fitted(seen[::-1], like).as_models < 0.1
    assert fitted(seen).as_models == 0.0


def test_a_pair_like_those_of_the_models_is_drawn_to_them() -> None:
    prior = RatePrior(
        masses=fitted([(5, 10)] * 6).masses,
        beta=BetaShape(alpha=1.0, beta=1.0),
        as_models=0.5,
    )

    def mean(distribution: Distribution | None) -> float:
        after = prior.after((5, 10), distribution)
        return sum(rate * mass for rate, mass in zip(RATES, after, strict=True))

    assert mean(Distribution(mu=0.8, sigma=0.1)) > mean(None) + 0.02
    assert mean(Distribution(mu=0.2, sigma=0.1)) < mean(None) - 0.02


@given(seen=COUNTS, index=st.integers(0, 4))
def test_the_posterior_is_prior_times_likelihood(
    seen: list[tuple[int, int]], index: int
) -> None:
    prior = fitted(seen)
    passed, total = seen[index]
    likely = stats.binom.pmf(passed, total, np.array(RATES)) * np.array(prior.masses)
    expected = likely / likely.sum()
    assert prior.after((passed, total)) == pytest.approx(expected.tolist(), abs=1e-9)


@given(alpha=st.floats(0.05, 500), beta=st.floats(0.05, 500))
def test_the_beta_is_cut_halfway_between_the_rates(alpha: float, beta: float) -> None:
    below = [0.0, *stats.beta.cdf(np.array(BETWEEN), alpha, beta).tolist(), 1.0]
    expected = np.diff(np.array(below))
    found = beta_masses(BetaShape(alpha=alpha, beta=beta))
    assert found == pytest.approx(expected.tolist(), abs=1e-9)
    assert min(found) > 0


def test_two_kinds_of_pairs_are_told_apart() -> None:
    """Masses have no given shape: what no pair is like gets little."""

    def between(masses: Sequence[float]) -> float:
        return sum(
            mass
            for rate, mass in zip(RATES, masses, strict=True)
            if rate < 0.25 or 0.55 < rate < 0.95
        )

    prior = fitted([(20, 20)] * 90 + [(8, 20)] * 90)
    assert between(prior.masses) < 0.1
    assert between(beta_masses(prior.beta)) > 0.4


@pytest.mark.parametrize("pairs", [1, 4])
def test_with_few_pairs_the_beta_is_all_there_is(pairs: int) -> None:
    prior = fitted([(3, 10)] * pairs, [Distribution(mu=0.5, sigma=0.1)] * pairs)
    assert prior.masses == tuple(beta_masses(prior.beta))
    assert prior.level_deviation == 0


def test_the_level_is_as_uncertain_as_the_number_of_hits() -> None:
    """The logarithm of a Poisson mean has a deviation of one over the root of it."""
    for pairs in (12, 120):
        prior = fitted([(99, 100)] * pairs + [(100, 100)] * pairs)
        assert prior.level_deviation == pytest.approx(1 / math.sqrt(pairs), rel=0.2)


def test_priors_at_both_levels_are_as_likely() -> None:
    known, uncertain = fitted([(50, 100)] * 3), fitted([(99, 100)] * 12)
    alone = TierPriors(of_tiers={1: known})
    assert alone.levels() == (alone,)
    low, high = TierPriors(of_tiers={1: known, 2: uncertain}).levels()
    for priors, by in (
        (low, -uncertain.level_deviation),
        (high, uncertain.level_deviation),
    ):
        assert priors.of_tiers[2].masses == tuple(shifted(uncertain.masses, by))
        assert priors.of_tiers[1].masses == pytest.approx(known.masses, abs=1e-9)
        assert priors.levels() == (priors,)


def test_a_pair_of_any_size_is_possible() -> None:
    """No posterior is 0 / 0, whatever was seen."""
    seen = [(0.0, 900.0), (900.0, 900.0), (5.0, 1e6), (123456.7, 2e8), (1.0, 1.0)]
    counted = [(0, 900), (900, 900), (5, 10**6), (1, 3), (1, 1)]
    calibrated = [Distribution(mu=0.5, sigma=0.0)] * 5
    group = SeenPairs(counts=counted, seen=seen, distributions=calibrated)
    [prior] = fit_rates([group])
    for level in (prior, prior.at_level(-1), prior.at_level(1)):
        for each in seen:
            assert math.fsum(level.after(each)) == pytest.approx(1)
