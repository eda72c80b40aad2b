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
from scipy import stats

from garak_tbsa.garak_files.calibration import Distribution
from garak_tbsa.tbsa.beta_binomial import BetaShape
from garak_tbsa.tbsa.interval_of_many import fit_rates_of_many
from garak_tbsa.tbsa.rate_prior import (
    BETWEEN,
    RATES,
    ROUNDS,
    SMOOTHING,
    UNLIKE_MODELS,
    RatePrior,
    beta_masses,
    fit_rates,
    masses_of_models,
)
from tests.factories import counts

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


def fitted(
    seen: list[tuple[int, int]], distributions: list[Distribution | None] | None = None
) -> RatePrior:
    if distributions is None:
        distributions = [None] * len(seen)
    return fit_rates(counts(*seen), seen, distributions[: len(seen)])


def by_models(distribution: Distribution) -> list[float]:
    """Rates of models, by scipy: a normal distribution, its tails at 0 and 1."""
    mu, sigma = distribution.mu, max(distribution.sigma, 1 / 30)
    below = [0.0, *stats.norm.cdf(np.array(BETWEEN), mu, sigma).tolist(), 1.0]
    return [float(share) for share in np.diff(np.array(below))]


def textbook(
    seen: list[tuple[int, int]],
    distributions: list[Distribution | None],
    base: list[float],
) -> tuple[list[float], float]:
    """Expectation, maximisation; the Beta is some more pairs of each rate."""
    passed, total = np.array(seen).T
    likely = stats.binom.pmf(passed[:, None], total[:, None], np.array(RATES))
    models = np.array(
        [by_models(each) if each else [0.0] * 104 for each in distributions]
    )
    calibrated = np.array([each is not None for each in distributions])
    masses, share = np.array(base), 0.5 if calibrated.any() else 0.0
    for _ in range(ROUNDS):
        shares = np.where(calibrated, share, 0.0)[:, None]
        to_models = (shares * likely * models).sum(axis=1)
        belongs = (1 - shares) * likely * masses
        whole = belongs.sum(axis=1) + to_models
        pairs = (belongs / whole[:, None]).sum(axis=0) + SMOOTHING * np.array(base)
        masses = pairs / pairs.sum()
        share = (to_models / whole).sum() / (calibrated.sum() + UNLIKE_MODELS)
    return [float(mass) for mass in masses], float(share)


@settings(max_examples=25)
@given(seen=COUNTS, distributions=CALIBRATED)
def test_the_masses_are_what_the_textbook_gives(
    seen: list[tuple[int, int]], distributions: list[Distribution | None]
) -> None:
    prior = fitted(seen, distributions)
    base = beta_masses(prior.beta)
    masses, share = textbook(seen, distributions[: len(seen)], base)
    assert prior.masses == pytest.approx(masses, abs=1e-8)
    assert prior.as_models == pytest.approx(share, abs=1e-8)
    assert math.fsum(prior.masses) == pytest.approx(1, abs=1e-12)


@settings(max_examples=25)
@given(seen=COUNTS, distributions=CALIBRATED)
def test_numpy_fits_the_same(
    seen: list[tuple[int, int]], distributions: list[Distribution | None]
) -> None:
    one = fitted(seen, distributions)
    other = fit_rates_of_many(counts(*seen), seen, distributions[: len(seen)])
    assert one.masses == pytest.approx(other.masses, abs=1e-12)
    assert one.as_models == pytest.approx(other.as_models, abs=1e-12)
    assert one.beta == other.beta


@given(mu=st.floats(0, 1), sigma=st.floats(0, 0.5))
def test_what_is_beyond_the_ends_is_at_them(mu: float, sigma: float) -> None:
    """Models that pass, or fail, always."""
    distribution = Distribution(mu=mu, sigma=sigma)
    found = masses_of_models(distribution)
    assert found == pytest.approx(by_models(distribution), abs=1e-9)


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
        after = prior.after(5, 10, distribution)
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
    assert prior.after(passed, total) == pytest.approx(expected.tolist(), abs=1e-9)


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


def test_a_pair_of_any_size_is_possible() -> None:
    """No posterior is 0 / 0, whatever was seen."""
    seen = [(0.0, 900.0), (900.0, 900.0), (5.0, 1e6), (123456.7, 2e8), (1.0, 1.0)]
    counted = counts((0, 900), (900, 900), (5, 10**6), (1, 3), (1, 1))
    prior = fit_rates(counted, seen, [Distribution(mu=0.5, sigma=0.0)] * 5)
    assert isinstance(prior, RatePrior)
    for each in seen:
        assert math.fsum(prior.after(*each)) == pytest.approx(1)
