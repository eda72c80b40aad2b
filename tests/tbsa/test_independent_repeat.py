# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Probabilities of a repeat's counts, against exact sums over binomials."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.tbsa.beta_binomial import BetaShape
from garak_tbsa.tbsa.independent_repeat import below_edges
from garak_tbsa.tbsa.rate_grid import MANY_OUTPUTS, RATES
from garak_tbsa.tbsa.rate_prior import RatePrior, beta_masses

SHAPES = st.sampled_from([0.01, 0.3, 1.0, 4.0, 40.0])


def masses_after(passed: int, total: int, alpha: float, beta: float) -> list[float]:
    shape = BetaShape(alpha=alpha, beta=beta)
    prior = RatePrior(masses=tuple(beta_masses(shape)), beta=shape)
    return prior.after((passed, total))


def exactly_below(edge: int, total: int, masses: list[float]) -> float:
    """Sums of fractions; a rate's complement is its mirror image on the grid."""
    found = Fraction(0)
    for mass, rate, other in zip(masses, RATES, RATES[::-1], strict=True):
        passes, hits = Fraction(rate), Fraction(other)
        terms = (comb(total, k) * passes**k * hits ** (total - k) for k in range(edge))
        found += Fraction(mass) * sum(terms)
    return float(found / sum(map(Fraction, masses)))


@settings(max_examples=40, deadline=None)
@given(
    total=st.integers(1, 12),
    share=st.floats(0, 1),
    cuts=st.lists(st.floats(0, 1), min_size=4, max_size=4),
    alpha=SHAPES,
    beta=SHAPES,
)
def test_the_probabilities_are_sums_over_binomials(
    total: int, share: float, cuts: list[float], alpha: float, beta: float
) -> None:
    """Exact, except for rates and counts whose probability is below 1e-16."""
    masses = masses_after(round(share * total), total, alpha, beta)
    edges = sorted(round(cut * (total + 1)) for cut in cuts)
    expected = [exactly_below(edge, total, masses) for edge in edges]
    assert below_edges(edges, total, masses) == pytest.approx(expected, abs=1e-13)


@settings(max_examples=60, deadline=None)
@given(
    total=st.integers(1, MANY_OUTPUTS),
    share=st.floats(0, 1),
    cuts=st.lists(st.floats(0, 1), min_size=4, max_size=4),
    alpha=SHAPES,
    beta=SHAPES,
)
def test_they_are_what_tails_of_each_rate_add_up_to(
    total: int, share: float, cuts: list[float], alpha: float, beta: float
) -> None:
    masses = masses_after(round(share * total), total, alpha, beta)
    edges = sorted(round(cut * (total + 1)) for cut in cuts)
    expected = [
        np.dot(stats.binom.cdf(edge - 1, total, RATES), masses) for edge in edges
    ]
    found = below_edges(edges, total, masses)
    assert found == pytest.approx(expected, abs=1e-10)


@given(total=st.integers(1, 60), place=st.integers(0, len(RATES) - 1))
def test_a_rate_that_is_known_gives_its_binomial(total: int, place: int) -> None:
    masses = [0.0] * len(RATES)
    masses[place] = 1.0
    edges = range(total + 2)
    expected = stats.binom.cdf(np.array(edges) - 1, total, RATES[place])
    assert below_edges(edges, total, masses) == pytest.approx(expected, abs=1e-12)


def test_a_walk_does_not_end_between_two_groups_of_rates() -> None:
    """It ends where no rate's binomial rises any more."""
    masses = [0.0] * len(RATES)
    low, high = 10, 95
    masses[low] = masses[high] = 0.5
    total, edges = 60, (2, 40, 41, 60)
    expected = [
        np.dot(stats.binom.cdf(edge - 1, total, RATES), masses) for edge in edges
    ]
    assert below_edges(edges, total, masses) == pytest.approx(expected, abs=1e-13)
