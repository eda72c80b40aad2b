# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests of whether two scans differ.

Under the null hypothesis the outputs of a stratum are exchangeable between the
two scans, so the second one's pass count is hypergeometric given the margins.
Three questions are asked of the same permutations: did the score move, did pass
counts move in one direction (Cochran-Mantel-Haenszel), and did any single pair
move. Every p-value is a rank among all arrangements, the observed one included,
so that none is too small, however few or unequal the counts.
"""

from __future__ import annotations

import math

import numpy as np

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_counts import counts_of, lowest_count
from garak_tbsa.tbsa.rules import GRADES, TIER_WEIGHTS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE
from garak_tbsa.tbsa.strata import REPLICATES, SEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.strata import Stratum

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]
    BothGraded = Sequence[tuple[GradedPair, GradedPair]]

TIE = 1e-9


@record
class TestResults:
    """What the permutations say; p-values are two-sided unless named otherwise.

    Attributes
    ----------
    p_score : float or None
        That of the difference of the unrounded scores; None where grades by
        count are not known.
    cmh_z, p_cmh : float
        Cochran-Mantel-Haenszel statistic, negative where the second scan passes
        less, and its permuted p-value.
    largest_z, p_largest_z : float
        The pair whose pass count moved most, in standard deviations, and the
        permuted p-value of the largest of all.
    largest_pair : str
        Its name.
    p_worse : float
        One-sided: that the second scan is worse. The share of permutations that
        make the smallest of the one-sided p-values of all three tests this small.
    p_better : float
        The same, that it is better.
    """

    p_score: float | None
    cmh_z: float
    p_cmh: float
    largest_z: float
    p_largest_z: float
    largest_pair: str
    p_worse: float
    p_better: float


def permutation_tests(
    pairs: BothGraded,
    strata: Sequence[Stratum],
    *,
    with_score: bool,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> TestResults:
    """Test whether the second scan differs from the first.

    Parameters
    ----------
    pairs : sequence of (GradedPair, GradedPair)
        At least one, each with its counts in both scans.
    strata : sequence of Stratum
        They add up to the counts of the pairs.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    replicates, seed : int
        Number of permutations, at least 1, and where they start.
    """
    pooled = np.zeros(len(pairs), dtype=np.int64)
    expected = np.zeros(len(pairs))
    variance = np.zeros(len(pairs))
    for stratum in strata:
        mean, spread = stratum.moments()
        pooled[stratum.pair] += sum(stratum.passed)
        expected[stratum.pair] += mean
        variance[stratum.pair] += spread
    observed = np.array([counts_of(two).passed for _, two in pairs], dtype=np.int64)
    # the first row is what was observed
    arranged = np.vstack(
        [observed, _permuted_counts(strata, len(pairs), replicates, seed)]
    )
    z_scores = (arranged - expected) / np.sqrt(np.where(variance > 0, variance, 1.0))
    direction = arranged.sum(axis=1) - expected.sum()
    largest = int(np.argmax(np.abs(z_scores[0])))
    lower = [_p_values(-direction), _p_values(-z_scores.min(axis=1))]
    upper = [_p_values(direction), _p_values(z_scores.max(axis=1))]
    p_score = None
    if with_score:
        moved = _score_differences(pairs, arranged, pooled)
        p_score = float(_p_values(np.abs(moved))[0])
        lower.append(_p_values(-moved))
        upper.append(_p_values(moved))
    deviation = math.sqrt(variance.sum()) or 1.0
    return TestResults(
        p_score=p_score,
        cmh_z=float(direction[0]) / deviation,
        p_cmh=float(_p_values(np.abs(direction))[0]),
        largest_z=float(z_scores[0, largest]),
        p_largest_z=float(_p_values(np.abs(z_scores).max(axis=1))[0]),
        largest_pair=pairs[largest][1].name,
        p_worse=float(_p_values(-np.min(lower, axis=0))[0]),
        p_better=float(_p_values(-np.min(upper, axis=0))[0]),
    )


def _permuted_counts(
    strata: Iterable[Stratum], pairs: int, replicates: int, seed: int
) -> Counts:
    """Pass counts of the second scan under permutation; replicates by pairs."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((replicates, pairs), dtype=np.int64)
    alike: dict[tuple[int, int, int, int], int] = {}
    for stratum in strata:
        key = (stratum.pair, sum(stratum.passed), *stratum.total)
        alike[key] = alike.get(key, 0) + 1
    for (pair, passed, total1, total2), times in alike.items():
        failed = total1 + total2 - passed
        least, most = max(0, passed - total1), min(passed, total2)
        if least == most:
            counts[:, pair] += times * least
        elif times <= most - least:
            for _ in range(times):
                counts[:, pair] += rng.hypergeometric(
                    passed, failed, total2, replicates
                )
        else:
            # many small prompts with equal margins: how many of them get which count
            support = np.arange(least, most + 1)
            shares = _hypergeometric(passed, total1, total2, support)
            counts[:, pair] += rng.multinomial(times, shares, replicates) @ support
    return counts


def _hypergeometric(
    passed: int, total1: int, total2: int, support: Counts
) -> list[float]:
    """Probabilities of the second scan's pass counts, given the margins."""
    ways = math.comb(total1 + total2, passed)
    return [
        math.comb(total2, count) * math.comb(total1, passed - count) / ways
        for count in support.tolist()
    ]


def _score_differences(pairs: BothGraded, counts: Counts, pooled: Counts) -> Floats:
    """Second minus first unrounded score, for rows of the second scan's counts."""
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    return _raw_scores(second, counts) - _raw_scores(first, pooled - counts)


def _raw_scores(pairs: Sequence[GradedPair], counts: Counts) -> Floats:
    """Unrounded scores for rows of pass counts, one column per pair."""
    units = np.zeros(counts.shape)
    for column, pair in enumerate(pairs):
        edges = np.array([lowest_count(pair, grade) for grade in GRADES[1:]])
        grades = 1 + (counts[:, column, np.newaxis] >= edges).sum(axis=1)
        units[:, column] = COMMON_MULTIPLE / grades
    means, weights = [], []
    for tier, weight in TIER_WEIGHTS.items():
        columns = [i for i, pair in enumerate(pairs) if pair.tier == tier]
        if columns:
            sums = units[:, columns].sum(axis=1)
            means.append(COMMON_MULTIPLE * len(columns) / sums)
            weights.append(weight)
    return np.average(np.array(means), axis=0, weights=weights)


def _p_values(statistic: Floats) -> Floats:
    """Share of arrangements at least as extreme as each one, itself included."""
    ordered = np.sort(statistic)
    tie = TIE * (1 + np.abs(ordered).max())
    reached = len(statistic) - np.searchsorted(ordered, statistic - tie)
    shares: Floats = reached / len(statistic)
    return shares
