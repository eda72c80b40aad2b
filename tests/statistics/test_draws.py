# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that numpy lacks, against scipy's and against drawing each prompt."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from garak_tbsa.statistics.draws import (
    drawn_passes,
    log_gamma,
    passes_of_prompts,
    rise_together,
    wilson_interval,
)

DRAWS = 40_000


def test_log_gamma_is_that_of_scipy() -> None:
    x = np.concatenate([np.logspace(-12, 12, 4001), np.linspace(0.5, 3, 1001)])
    expected = special.gammaln(x)
    assert np.abs(log_gamma(x) - expected).max(where=x < 1e3, initial=0) < 1e-9
    assert log_gamma(x) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("inflation", [0.1, 0.6, 1, 2.5, 20])
def test_passes_have_the_mean_and_the_variance_asked_for(inflation: float) -> None:
    rng = np.random.default_rng(3)
    drawn = drawn_passes(50, np.full(DRAWS, 0.7), np.full(DRAWS, inflation), rng)
    assert drawn.mean() == pytest.approx(35, abs=0.15)
    # of 50 outputs 5 vary, a whole number that makes the mean right
    expected = 50 * 0.7 * 0.3 * inflation
    assert drawn.var() == pytest.approx(expected, rel=0.04, abs=0.3)
    assert drawn.min() >= 0
    assert drawn.max() <= 50
    # what always or never passes does so in each draw
    for rate in (0, 1):
        drawn = drawn_passes(50, np.full(9, rate), np.full(9, inflation), rng)
        assert set(drawn.tolist()) == {50 * rate}


def test_outputs_of_one_prompt_are_beta_binomial() -> None:
    rng = np.random.default_rng(3)
    drawn = drawn_passes(9, np.full(DRAWS, 0.7), np.full(DRAWS, 1 + 0.2 * 8), rng)
    found = np.bincount(drawn, minlength=10)
    expected = stats.betabinom.pmf(np.arange(10), 9, 2.8, 1.2) * DRAWS
    assert stats.chisquare(found, expected).pvalue > 0.001


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize(
    ("correlation", "most"), [(0.1, 0.05), (0.4, 0.05), (0.8, 0.1), (0.95, 0.4)]
)
def test_passes_of_several_prompts_are_nearly_those_of_prompts_drawn_one_by_one(
    rate: float, size: int, correlation: float, most: float
) -> None:
    """Where prompts go all one way, a smooth count differs most."""
    rng = np.random.default_rng(3)
    strength = 1 / correlation - 1
    prompts = rng.beta(rate * strength, (1 - rate) * strength, (DRAWS, 12))
    expected = rng.binomial(size, prompts).sum(axis=1)
    inflation = np.full(DRAWS, 1 + (size - 1) * correlation)
    smooth = drawn_passes(12 * size, np.full(DRAWS, rate), inflation, rng)
    each = np.full(DRAWS, 12), size, np.array([rate]), np.array([correlation])
    for drawn, bound in ((smooth, most), (passes_of_prompts(*each, rng), 0.04)):
        assert drawn.mean() == pytest.approx(expected.mean(), rel=0.01)
        both = (
            np.bincount(passed, minlength=12 * size + 1).cumsum()
            for passed in (drawn, expected)
        )
        assert np.abs(np.subtract(*both)).max() / DRAWS < bound


def test_draws_of_a_group_rise_together_and_are_the_same_as_before() -> None:
    rng = np.random.default_rng(1)
    draws = rng.normal(size=(4, 2, 5000))
    alone, *pair, last = rise_together(
        ([draws[0]], list(draws[1:3]), [draws[3]]), np.full(5000, 0.8), rng
    )
    assert np.array_equal(alone, draws[0])
    assert np.array_equal(last, draws[3])
    assert np.array_equal(np.sort(pair), np.sort(draws[1:3]))
    for row in range(2):
        found = np.corrcoef(pair[0][row], pair[1][row])[0, 1]
        assert found == pytest.approx(0.8, abs=0.03)


@given(total=st.integers(1, 5000), share=st.floats(0, 1))
def test_the_interval_of_a_pass_rate_is_wilsons(total: int, share: float) -> None:
    """The rates that a two-sided score test would not reject; exact at the ends."""
    passed = round(share * total)
    lower, upper = wilson_interval(passed, total)
    expected = stats.binomtest(passed, total).proportion_ci(0.95, method="wilson")
    assert lower == pytest.approx(expected.low, abs=1e-9)
    assert upper == pytest.approx(expected.high, abs=1e-9)
    assert 0.0 <= lower <= passed / total <= upper <= 1.0
    assert (lower == 0.0, upper == 1.0) == (passed == 0, passed == total)
