# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Moments and draws against enumeration of every arrangement."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from scipy.stats import hypergeom

from garak_tbsa.tbsa.arrangements import (
    comonotone,
    moments_of,
    moments_of_all,
    permuted_counts,
)
from garak_tbsa.tbsa.strata import Stratum


def units_of(stratum: Stratum) -> list[tuple[int, ...]]:
    return [
        passed
        for passed, times in zip(stratum.passed, stratum.times, strict=True)
        for _ in range(times)
    ]


def every_arrangement(stratum: Stratum) -> list[tuple[int, ...]]:
    """Passes of the second scan by pair, for every choice of its units."""
    return [
        tuple(sum(unit[i] for unit in chosen) for i in range(len(stratum.pairs)))
        for chosen in itertools.combinations(units_of(stratum), stratum.second)
    ]


@st.composite
def any_stratum(draw: DrawFn) -> Stratum:
    """Up to eight units of one to three pairs."""
    pairs = draw(st.integers(1, 3))
    unit = st.tuples(*[st.integers(0, 3)] * pairs)
    kinds = Counter(draw(st.lists(unit, min_size=1, max_size=8)))
    return Stratum(
        pairs=tuple(range(pairs)),
        passed=tuple(kinds),
        times=tuple(kinds.values()),
        second=draw(st.integers(0, kinds.total())),
    )


@given(any_stratum())
def test_moments_equal_enumeration_of_all_arrangements(stratum: Stratum) -> None:
    """Every choice of which units belong to the second scan is equally likely."""
    found = np.array(every_arrangement(stratum), dtype=float)
    means, covariances = moments_of(stratum)
    assert means == pytest.approx(found.mean(axis=0), abs=1e-9)
    centred = found - found.mean(axis=0)
    expected = centred.T @ centred / len(found)
    assert np.array(covariances) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 24))
def test_moments_of_single_outputs_are_hypergeometric(
    hits: int, passes: int, second: int
) -> None:
    """Given the margins the second scan's pass count is hypergeometric."""
    # scipy's own moments divide by zero where a margin is empty
    assume(hits and passes and hits + passes > 3 and 0 < second < hits + passes)
    stratum = Stratum(
        pairs=(0,), passed=((0,), (1,)), times=(hits, passes), second=second
    )
    expected = hypergeom(hits + passes, passes, second)
    (mean,), ((variance,),) = moments_of(stratum)
    assert (mean, variance) == pytest.approx((expected.mean(), expected.var()))


def test_moments_of_billions_of_outputs_do_not_cancel() -> None:
    stratum = Stratum(
        pairs=(0,), passed=((0,), (1,)), times=(1, 10**9 - 1), second=10**9 // 2
    )
    assert moments_of(stratum)[1][0][0] == pytest.approx(0.25)


@given(st.lists(any_stratum(), min_size=1, max_size=3), st.integers(1, 4))
def test_moments_add_up_over_strata(strata: list[Stratum], times: int) -> None:
    together = dict.fromkeys(strata, times)
    found = moments_of_all(together, 3)
    expected, spread = np.zeros(3), np.zeros((3, 3))
    for stratum in together:
        means, covariances = moments_of(stratum)
        size = len(stratum.pairs)
        expected[:size] += times * np.array(means)
        spread[:size, :size] += times * np.array(covariances)
    assert found.expected == pytest.approx(expected)
    assert found.variance == pytest.approx(np.diag(spread))
    assert found.variance_of_sum == pytest.approx(spread.sum(), abs=1e-9)


def test_pairs_that_may_go_together_vary_as_if_they_did() -> None:
    """Variance of a sum of comonotone counts: the square of the sum of deviations."""
    strata = {
        Stratum(pairs=(pair,), passed=((0,), (1,)), times=(5, 5), second=5): 1
        for pair in (0, 1)
    }
    alone = moments_of_all(strata, 2)
    together = moments_of_all(strata, 2, [(0, 1)])
    assert together.variance_of_sum == pytest.approx(2 * alone.variance_of_sum)
    assert together.variance.tolist() == alone.variance.tolist()


# quick draws of many prompts, one by one of few, two kinds of unit, and many
@pytest.mark.parametrize("times", [1, 2, 30])
@pytest.mark.parametrize(
    "stratum",
    [
        Stratum(pairs=(0,), passed=((0,), (1,)), times=(3, 2), second=2),
        Stratum(pairs=(0,), passed=((0,), (1,)), times=(30, 30), second=30),
        Stratum(
            pairs=(0, 1), passed=((0, 0), (0, 1), (1, 1)), times=(2, 1, 2), second=2
        ),
        Stratum(
            pairs=(0, 1),
            passed=((0, 0), (0, 1), (2, 1), (1, 3)),
            times=(40, 9, 20, 7),
            second=40,
        ),
        Stratum(pairs=(0, 1), passed=((2, 1),), times=(4,), second=3),
        Stratum(pairs=(0,), passed=((0,), (1,)), times=(3, 2), second=0),
    ],
)
def test_draws_have_the_moments_of_all_arrangements(
    stratum: Stratum, times: int
) -> None:
    replicates = 20_000
    rng = np.random.default_rng(1)
    size = len(stratum.pairs)
    drawn = permuted_counts({stratum: times}, size, replicates, rng)
    means, covariances = (times * np.array(each) for each in moments_of(stratum))
    deviations = np.sqrt(np.diag(covariances))
    assert drawn.mean(axis=0) == pytest.approx(
        means, abs=5 * deviations.max() / np.sqrt(replicates) + 1e-9
    )
    found = np.cov(drawn, rowvar=False, bias=True).reshape(size, size)
    assert found == pytest.approx(covariances, abs=0.05 * deviations.max() ** 2 + 1e-9)


@given(any_stratum())
def test_draws_are_arrangements(stratum: Stratum) -> None:
    """Nothing is drawn that no choice of units gives; all of it is, in time."""
    drawn = permuted_counts(
        {stratum: 1}, len(stratum.pairs), 50, np.random.default_rng(2)
    )
    assert set(map(tuple, drawn.tolist())) <= set(every_arrangement(stratum))


def test_draws_are_equally_likely_arrangements() -> None:
    """Each choice of units has the same share of the draws."""
    stratum = Stratum(
        pairs=(0, 1), passed=((0, 0), (0, 1), (1, 1)), times=(2, 2, 1), second=2
    )
    replicates = 40_000
    drawn = Counter(
        map(
            tuple,
            permuted_counts(
                {stratum: 1}, 2, replicates, np.random.default_rng(3)
            ).tolist(),
        )
    )
    ways = Counter(every_arrangement(stratum))
    assert drawn.keys() == ways.keys()
    for counts, number in ways.items():
        share = number / ways.total()
        assert drawn[counts] / replicates == pytest.approx(share, abs=0.012)


def test_comonotone_counts_keep_their_distributions_and_rise_together() -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 10, (500, 4))
    together = comonotone(counts, [(0, 2)], rng)
    assert (np.sort(together, axis=0) == np.sort(counts, axis=0)).all()
    assert (together[:, [1, 3]] == counts[:, [1, 3]]).all()
    one, other = together[:, 0], together[:, 2]
    order = np.lexsort((other, one))
    assert (np.diff(other[order]) >= 0).all()
    # and not in the order of the draws of others
    assert abs(np.corrcoef(one, together[:, 1])[0, 1]) < 0.2
