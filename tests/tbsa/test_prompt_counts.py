# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Counts by prompt against scipy's beta-binomial, slow sums and drawn repeats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom, binom

from garak_tbsa.tbsa.prompt_counts import NEGLIGIBLE, PromptCounts, log_chances
from garak_tbsa.tbsa.rate_grid import RATES

PROMPTS = st.lists(
    st.integers(1, 5).flatmap(
        lambda total: st.tuples(st.integers(0, total), st.just(total))
    ),
    min_size=1,
    max_size=5,
)
INSIDE = range(1, len(RATES) - 1)
SOME_RATES = (1, 20, 51, 90, 102)


def shapes(rate: float, correlation: float) -> tuple[float, float]:
    concentration = 1 / correlation - 1
    return rate * concentration, (1 - rate) * concentration


def only(place: int) -> list[float]:
    """All mass on one rate."""
    return [float(each == place) for each in range(len(RATES))]


@given(
    outputs=st.integers(1, 40),
    alpha=st.floats(0.01, 1e4),
    beta=st.floats(0.01, 1e4),
)
def test_chances_are_the_beta_binomial_ones(
    outputs: int, alpha: float, beta: float
) -> None:
    found = log_chances(outputs, np.array([alpha]), np.array([beta]))[0]
    expected = betabinom.logpmf(np.arange(outputs + 1), outputs, alpha, beta)
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert math.fsum(np.exp(found)) == pytest.approx(1, abs=1e-11)


@given(counted=PROMPTS, correlation=st.floats(0.01, 0.9))
def test_the_likelihood_is_the_product_over_prompts(
    counted: list[tuple[int, int]], correlation: float
) -> None:
    seen = PromptCounts.of(counted, correlation, on_same_prompts=False)
    found = seen.likelihood()
    expected = [
        math.prod(
            betabinom.pmf(passed, total, *shapes(RATES[place], correlation))
            for passed, total in counted
        )
        for place in INSIDE
    ]
    inside = [found[place] for place in INSIDE]
    assert inside == pytest.approx(
        [each * max(inside) / max(expected) for each in expected], rel=1e-9, abs=1e-12
    )
    assert max(found) == 1
    assert (found[-1] > 0) == all(passed == total for passed, total in counted)
    assert (found[0] > 0) == all(passed == 0 for passed, _ in counted)


@settings(max_examples=40)
@given(
    counted=PROMPTS,
    correlation=st.floats(0.01, 0.9),
    on_same_prompts=st.booleans(),
    place=st.sampled_from(SOME_RATES),
)
def test_a_repeat_adds_up_over_its_prompts(
    counted: list[tuple[int, int]],
    correlation: float,
    on_same_prompts: bool,
    place: int,
) -> None:
    """Fresh prompts draw their rates again, the same ones keep what was learned."""
    chances = np.array([1.0])
    alpha, beta = shapes(RATES[place], correlation)
    for passed, total in counted:
        learned = (passed, total - passed) if on_same_prompts else (0, 0)
        each = betabinom.pmf(
            np.arange(total + 1), total, alpha + learned[0], beta + learned[1]
        )
        chances = np.convolve(chances, each)
    upto = np.concatenate([[0.0], np.cumsum(chances)])
    seen = PromptCounts.of(counted, correlation, on_same_prompts=on_same_prompts)
    assume(seen.likelihood()[place] > NEGLIGIBLE)
    edges = range(len(upto))
    assert seen.below(edges, only(place)) == pytest.approx(upto.tolist(), abs=1e-12)


@pytest.mark.parametrize("on_same_prompts", [True, False])
def test_almost_no_correlation_is_a_binomial_count(on_same_prompts: bool) -> None:
    seen = PromptCounts.of(
        [(5, 5), (3, 5), (4, 5)], 2e-6, on_same_prompts=on_same_prompts
    )
    edges = [0, 4, 9, 12, 15, 16]
    found = seen.below(edges, only(80))
    expected = binom.cdf(np.array(edges) - 1, 15, RATES[80])
    assert found == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize("on_same_prompts", [True, False])
def test_repeats_that_are_drawn(on_same_prompts: bool) -> None:
    """Twelve prompts of ten outputs, whose rates are known to be like a Beta."""
    rng = np.random.default_rng(4)
    correlation, place = 0.3, 85
    alpha, beta = shapes(RATES[place], correlation)
    passed = rng.binomial(10, rng.beta(alpha, beta, 12))
    known = (passed, 10 - passed) if on_same_prompts else (0, 0)
    rates = rng.beta(alpha + known[0], beta + known[1], (100_000, 12))
    drawn = rng.binomial(10, rates).sum(axis=1)
    seen = PromptCounts.of(
        [(int(each), 10) for each in passed],
        correlation,
        on_same_prompts=on_same_prompts,
    )
    edges = [60, 80, 100, 110, 120]
    shares = [float((drawn < edge).mean()) for edge in edges]
    assert seen.below(edges, only(place)) == pytest.approx(shares, abs=0.006)


def test_alike_outputs_without_a_hit_say_more_than_by_their_variance() -> None:
    """A prompt of ten outputs with rho 1/6 says as much of hits as six, not as four."""
    clean = PromptCounts.of([(10, 10)] * 6, 1 / 6, on_same_prompts=False)
    # 5 (1/5 + 1/6 + ... + 1/14), by the chance of a prompt without a hit near rate 1
    as_many = 6 * 5 * sum(1 / (5 + other) for other in range(10))
    rate = RATES[-2]
    assert clean.likelihood()[-2] == pytest.approx(rate**as_many, rel=1e-3)
    assert as_many / 60 > 1 / (1 + 9 / 6) + 0.15


def test_prompts_without_an_output_do_not_count() -> None:
    counted = [(0, 0), (1, 2), (2, 2), (1, 2)]
    seen = PromptCounts.of(counted, 0.5, on_same_prompts=True)
    assert seen.cells == (((1, 2), 2), ((2, 2), 1))
    assert seen == PromptCounts.of(reversed(counted), 0.5, on_same_prompts=True)
    assert hash(seen) == hash(
        PromptCounts.of(reversed(counted), 0.5, on_same_prompts=True)
    )
