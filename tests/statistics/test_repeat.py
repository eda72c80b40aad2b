# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat would score; ``benchmarks/repeat_coverage`` says how often it does."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.statistics import repeat as model
from garak_tbsa.statistics.by_prompt import ObservedScan
from garak_tbsa.statistics.repeat import (
    CONCENTRATIONS,
    LEVELS,
    RepeatDistribution,
    drawn_counts,
    seeded_by,
)
from garak_tbsa.statistics.repeat_prompts import FRESH_PROMPTS, SAME_PROMPTS
from tests.repeats import repeats
from tests.statistics.scans_by_prompt import by_counts, probe_of, scan_of, single

ALIKE = single(*[(4, 4), (0, 4)] * 10)


def drawn(scan: ObservedScan, repeat: str = SAME_PROMPTS) -> RepeatDistribution:
    return model.repeat_distribution(scan, repeat, np.random.default_rng(1))


def expit(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def test_the_posterior_is_that_of_adding_up_every_node() -> None:
    counts, logs, shares = [(3, 4), (10, 40)], [-1.0, 1.0], [1.0, 0.5]
    seen = np.array([*zip(*counts, strict=True), logs, shares], dtype=float)
    nodes, weights = model._posterior(seen, model.SLOPES)
    expected = {}
    for level, size, slope in product(LEVELS, CONCENTRATIONS, model.SLOPES):
        weight = float(np.exp(-0.5 * slope**2))
        for (k, n), log, share in zip(counts, logs, shares, strict=True):
            a = expit(level + slope * log) * size
            weight *= stats.betabinom.pmf(k, n, a, size - a) ** share
        expected[level, size, slope] = weight
    whole = sum(expected.values())
    found = dict(zip(map(tuple, nodes.T.tolist()), weights, strict=True))
    assert found.keys() == expected.keys()
    for node, weight in expected.items():
        assert found[node] == pytest.approx(weight / whole, rel=1e-6, abs=1e-12)


def test_rates_are_drawn_from_their_posterior() -> None:
    """The mean of each rate, against adding up every node."""
    counts = [(3, 4), (10, 40)]
    scan = by_counts(*counts)
    draws = 40_000
    rng = np.random.default_rng(2)
    none = np.zeros(draws)
    rates = model._drawn_rates(scan, none, none, rng)
    weights, means = [], []
    for level, size in product(LEVELS, CONCENTRATIONS):
        a = expit(level) * size
        pmf = [stats.betabinom.pmf(k, n, a, size - a) for k, n in counts]
        weights.append(float(np.prod(pmf)))
        means.append([(a + k) / (size + n) for k, n in counts])
    expected = np.average(means, axis=0, weights=weights)
    assert [rate.mean() for rate in rates] == pytest.approx(expected, abs=0.005)


def test_by_counts_alone_the_correlation_has_its_prior() -> None:
    """Median .3, and 90 % between .05 and .9."""
    scan = by_counts((5, 10), generations=5)
    drawn_ones = model._drawn_correlation(scan, np.random.default_rng(1), 20_000)
    assert np.quantile(drawn_ones, [0.05, 0.5, 0.95]) == pytest.approx(
        [0.05, 0.3, 0.9], abs=0.005
    )
    single_outputs = by_counts((5, 10), generations=1)
    none = model._drawn_correlation(single_outputs, np.random.default_rng(1), 5)
    assert none.tolist() == [0] * 5


def test_on_the_same_prompts_a_repeat_keeps_what_each_prompt_showed() -> None:
    scan = scan_of(p=ALIKE)
    spreads = {}
    for repeat in (SAME_PROMPTS, FRESH_PROMPTS):
        counts = drawn_counts(scan, repeat, np.random.default_rng(1), 4000)
        spreads[repeat] = counts.std()
        assert counts.mean() == pytest.approx(40, abs=1.5)
    assert spreads[SAME_PROMPTS] < 3
    # ten prompts of twenty pass as a whole, and their rate is not known exactly
    assert spreads[FRESH_PROMPTS] > np.sqrt(20 * 0.25) * 4
    # where prompts are drawn one by one, 71 %
    assert 0.6 < np.mean(counts % 4 == 0) < 0.8


def test_detectors_that_go_together_do_so_in_a_repeat() -> None:
    both = [(True, True)], [(False, False)]
    together = scan_of(p=probe_of(*both * 20))
    counts = drawn_counts(together, SAME_PROMPTS, np.random.default_rng(1), 4000)
    assert stats.spearmanr(*counts.T).statistic > 0.9
    other = [(True, False)], [(False, True)]
    apart = scan_of(p=probe_of(*(*both, *other) * 10))
    counts = drawn_counts(apart, SAME_PROMPTS, np.random.default_rng(1), 4000)
    assert abs(stats.spearmanr(*counts.T).statistic) < 0.1


def test_a_single_pair_scores_its_grade() -> None:
    """And the same scan draws the same."""
    found = drawn(by_counts((5, 12)))
    (below,) = found.below.values()
    for bound, share in zip((2, 3, 4, 5), below, strict=True):
        under = sum(each for tbsa, each in found.probabilities if tbsa < bound)
        assert under == pytest.approx(share)
    assert sum(share for _, share in found.probabilities) == pytest.approx(1)
    scores = [tbsa for tbsa, _ in found.probabilities]
    assert scores == sorted(scores)
    first, again, other = (
        by_counts(each, (3, 4)) for each in ((5, 12),) * 2 + ((4, 12),)
    )
    one = seeded_by("ab", first).random()
    assert seeded_by("ab", again).random() == one
    assert seeded_by("ac", first).random() != one
    assert seeded_by("ab", other).random() != one


def test_what_the_draws_rest_on_is_told() -> None:
    basis = drawn(scan_of(p=ALIKE, q=single((1, 1))), FRESH_PROMPTS).basis
    assert basis.repeat == FRESH_PROMPTS
    assert (basis.pairs, basis.pairs_with_attempts) == (2, 2)
    assert basis.has_several_outputs
    assert basis.is_by_prompt
    assert basis.on_prompts == " on fresh prompts"
    alone = drawn(by_counts((5, 10))).basis
    assert (alone.on_prompts, alone.is_by_prompt) == ("", False)
    counts = by_counts((5, 10), generations=5)
    for repeat, by_prompt in ((FRESH_PROMPTS, True), (SAME_PROMPTS, False)):
        assert drawn(counts, repeat).basis.is_by_prompt is by_prompt


@given(shares=st.lists(st.integers(0, 40), min_size=1, max_size=12))
def test_the_interval_is_the_narrowest_that_holds_enough(shares: list[int]) -> None:
    """The two nearest scores between which at least 95 % of repeats fall."""
    whole = sum(shares) + 1
    given_shares = [*shares, 1]
    scores = [round(1 + place / 10, 1) for place in range(len(given_shares))]
    low, high = repeats(
        *zip(scores, [share / whole for share in given_shares], strict=True)
    ).prediction_interval
    holding = [
        (last - first, -sum(given_shares[first : last + 1]))
        for first, last in combinations_with_replacement(range(len(scores)), 2)
        if sum(given_shares[first : last + 1]) >= 0.95 * whole - 1e-9
    ]
    first, last = scores.index(low), scores.index(high)
    assert (last - first, -sum(given_shares[first : last + 1])) == min(holding)


def test_ranges_of_clean_pairs() -> None:
    """Pass rates may differ with the number of outputs: small ones are not drawn down.

    Many outputs keep their score.
    """
    clean = drawn(by_counts(*[(200, 200)] * 30))
    assert clean.prediction_interval == (5.0, 5.0)
    low, high = drawn(by_counts(*[(5, 5)] * 4)).prediction_interval
    assert low < high == 5.0
    failing = [(k, 150) for k in range(60, 140, 4)]
    low, high = drawn(by_counts(*[(5, 5)] * 20, *failing)).prediction_interval
    assert high - low < 1.0
