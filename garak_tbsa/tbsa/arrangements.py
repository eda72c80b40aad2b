# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pass counts of the second scan over all arrangements of units: moments and draws.

A draw takes as many units for the second scan as it has, without replacement.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from garak_tbsa import underway
from garak_tbsa.lean.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from garak_tbsa.tbsa.strata import Strata, Stratum

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]


@record
class Moments:
    """Of the second scan's pass counts, one entry for each pair.

    Attributes
    ----------
    pooled : array of int
        Passes of both scans together.
    expected, variance : array of float
        Over all arrangements, exact except for rounding.
    variance_of_sum : float
        Of the passes of all pairs together.
    """

    pooled: Counts
    expected: Floats
    variance: Floats
    variance_of_sum: float


def moments_of(stratum: Stratum) -> tuple[list[float], list[list[float]]]:
    """Return means and covariances of the passes that a stratum adds to its pairs.

    Those of sampling n of N units without replacement: the mean is n / N of the
    sum, the covariance n (N - n) / (N^2 (N - 1)) times N sum(x y) - sum(x) sum(y).
    """
    units = sum(stratum.times)
    size = range(len(stratum.pairs))
    kinds = list(zip(stratum.passed, stratum.times, strict=True))
    sums = [sum(times * passed[i] for passed, times in kinds) for i in size]
    means = [stratum.second * total / units for total in sums]
    if units < 2:
        return means, [[0.0 for _ in size] for _ in size]
    # whole numbers, so that nothing cancels
    above = stratum.second * (units - stratum.second)
    below = units * units * (units - 1)
    return means, [
        [
            above
            * (
                units * sum(times * passed[i] * passed[j] for passed, times in kinds)
                - sums[i] * sums[j]
            )
            / below
            for j in size
        ]
        for i in size
    ]


def moments_of_all(
    strata: Strata, pairs: int, coupled: Sequence[tuple[int, ...]] = ()
) -> Moments:
    """Add up the moments of strata.

    Parameters
    ----------
    strata : mapping of Stratum to int
    pairs : int
        How many there are.
    coupled : sequence of tuple of int
        Pairs of one probe of which nobody knows how they go together: their sum
        varies as if they always did.
    """
    pooled = np.zeros(pairs, dtype=np.int64)
    expected, variance = np.zeros(pairs), np.zeros(pairs)
    variance_of_sum = 0.0
    for stratum, times in strata.items():
        if len(stratum.times) == 1:
            # all units have the same verdicts: nothing varies
            for pair, passed in zip(stratum.pairs, stratum.passed[0], strict=True):
                pooled[pair] += times * passed * stratum.times[0]
                expected[pair] += times * passed * stratum.second
            continue
        means, covariances = moments_of(stratum)
        for position, pair in enumerate(stratum.pairs):
            kinds = zip(stratum.passed, stratum.times, strict=True)
            pooled[pair] += times * sum(passed[position] * n for passed, n in kinds)
            expected[pair] += times * means[position]
            variance[pair] += times * covariances[position][position]
        variance_of_sum += times * sum(map(sum, covariances))
    for group in coupled:
        alone = variance[list(group)]
        variance_of_sum += float(np.sqrt(alone).sum() ** 2 - alone.sum())
    return Moments(
        pooled=pooled,
        expected=expected,
        variance=variance,
        variance_of_sum=variance_of_sum,
    )


def permuted_counts(
    strata: Strata, pairs: int, replicates: int, rng: np.random.Generator
) -> Counts:
    """Return pass counts of the second scan under permutation.

    Parameters
    ----------
    strata : mapping of Stratum to int
    pairs : int
        How many there are.
    replicates : int
    rng : numpy.random.Generator

    Returns
    -------
    array of int, (replicates, pairs)
    """
    counts = np.zeros((replicates, pairs), dtype=np.int64)
    always = np.zeros(pairs, dtype=np.int64)
    for number, (stratum, times) in enumerate(strata.items()):
        if len(stratum.times) == 1:
            always[list(stratum.pairs)] += (
                times * stratum.second * np.array(stratum.passed[0])
            )
            continue
        underway.tell("testing the difference", number, len(strata))
        drawn = _draws(stratum, times, replicates, rng)
        counts[:, list(stratum.pairs)] += drawn @ np.array(stratum.passed)
    return counts + always


def comonotone(
    counts: Counts, coupled: Sequence[tuple[int, ...]], rng: np.random.Generator
) -> Counts:
    """Return permuted counts in which pairs of one probe rise and fall together.

    Each keeps its own distribution: its draws are sorted, and the draws of all
    pairs of a probe are put back in one common order.
    """
    together: Counts = counts.copy()
    for group in map(list, coupled):
        order = rng.permutation(len(counts))
        together[:, group] = np.sort(counts[:, group], axis=0)[order]
    return together


def _draws(
    stratum: Stratum, times: int, replicates: int, rng: np.random.Generator
) -> Counts:
    """Units of each kind in the second scan, for so many strata alike together."""
    kinds, second = stratum.times, stratum.second
    # many prompts that are alike: how many of them get which arrangement
    most = math.prod(min(n, second) + 1 for n in kinds[:-1])
    if times > 1 and most <= times * len(kinds):
        ways, shares = _arrangements(kinds, second)
        drawn = rng.multinomial(times, shares, replicates)
        return np.asarray(drawn @ ways, dtype=np.int64)
    counts = np.zeros((replicates, len(kinds)), dtype=np.int64)
    for _ in range(times):
        counts += _without_replacement(kinds, second, replicates, rng)
    return counts


def _without_replacement(
    kinds: tuple[int, ...], second: int, replicates: int, rng: np.random.Generator
) -> Counts:
    if len(kinds) == 2:
        of_first = rng.hypergeometric(kinds[0], kinds[1], second, replicates)
        return np.stack([of_first, second - of_first], axis=1)
    # a few units of many kinds are sooner shuffled than counted kind by kind
    few = sum(kinds) < 10 * len(kinds)
    drawn: Counts = rng.multivariate_hypergeometric(
        list(kinds), second, size=replicates, method="count" if few else "marginals"
    )
    return drawn


def _arrangements(kinds: tuple[int, ...], second: int) -> tuple[Counts, list[float]]:
    """Every choice of the second scan's units by kind, and its probability."""
    everything = math.comb(sum(kinds), second)
    choices = [
        (*choice, second - sum(choice))
        for choice in itertools.product(*(range(n + 1) for n in kinds[:-1]))
        if 0 <= second - sum(choice) <= kinds[-1]
    ]
    shares = [
        math.prod(math.comb(n, k) for n, k in zip(kinds, choice, strict=True))
        / everything
        for choice in choices
    ]
    return np.array(choices, dtype=np.int64), shares
