# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests of whether two scans differ.

Under the null hypothesis the units of a stratum are exchangeable between the two
scans, so the second one has any of them with the same probability.
Three questions are asked of the same permutations: did the score move, did pass
counts move in one direction (Cochran-Mantel-Haenszel), and did any single pair
move. Every p-value is a rank among all arrangements, the observed one included,
so that none is too small, however few or unequal the counts.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from garak_tbsa.lean.record import changed, record
from garak_tbsa.tbsa.arrangements import (
    comonotone,
    moments_of_all,
    permuted_counts,
)
from garak_tbsa.tbsa.grade_counts import counts_of, edges_of
from garak_tbsa.tbsa.rules import TIER_WEIGHTS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE
from garak_tbsa.tbsa.strata import REPLICATES, SEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.garak_files.calibration import Distribution
    from garak_tbsa.tbsa.arrangements import Counts, Floats, Moments
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.strata import BothGraded, Exchange

TIE = 1e-9
ONE_SIDED = ("p_less", "p_more", "p_worse", "p_better")


@record
class PairMove:
    """How far the pass count of one pair moved, and whether it stands out.

    Attributes
    ----------
    z : float
        The second scan's pass count less its mean over all arrangements, in standard
        deviations; negative where it passes less.
    p_fell, p_rose : float
        One-sided: the share of permutations in which any of the pairs fell, or rose,
        as far (single-step adjustment for the number of pairs, Westfall and Young
        1993).
    """

    z: float
    p_fell: float
    p_rose: float


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
    p_less, p_more : float
        The same, one-sided: that it passes less, or more.
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
    moves : tuple of PairMove
        One for each pair, in their order.
    """

    p_score: float | None
    cmh_z: float
    p_cmh: float
    p_less: float
    p_more: float
    largest_z: float
    p_largest_z: float
    largest_pair: str
    p_worse: float
    p_better: float
    moves: tuple[PairMove, ...]


def permutation_tests(
    pairs: BothGraded,
    exchange: Exchange,
    *,
    with_score: bool,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> TestResults:
    """Test whether the second scan differs from the first.

    Where nobody knows how verdicts of one probe's detectors go together, each
    p-value is the larger of two: detectors independent, and as alike as their
    counts allow.

    Parameters
    ----------
    pairs : sequence of (GradedPair, GradedPair)
        At least one, each with its counts in both scans.
    exchange : Exchange
        What may change places; adds up to the counts of the pairs.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    replicates, seed : int
        Number of permutations, at least 1, and where they start.
    """
    rng = np.random.default_rng(seed)
    moments = moments_of_all(exchange.strata, len(pairs), exchange.coupled)
    counts = permuted_counts(exchange.strata, len(pairs), replicates, rng)
    found = _results(pairs, counts, moments, with_score=with_score)
    if not exchange.coupled:
        return found
    counts = comonotone(counts, exchange.coupled, rng)
    return _safer(found, _results(pairs, counts, moments, with_score=with_score))


def _results(
    pairs: BothGraded, permuted: Counts, moments: Moments, *, with_score: bool
) -> TestResults:
    """All tests by one set of permuted counts."""
    observed = np.array([counts_of(two).passed for _, two in pairs], dtype=np.int64)
    # the first row is what was observed
    arranged = np.vstack([observed, permuted])
    deviations = np.sqrt(np.where(moments.variance > 0, moments.variance, 1.0))
    z_scores = (arranged - moments.expected) / deviations
    direction = arranged.sum(axis=1) - moments.expected.sum()
    largest = int(np.argmax(np.abs(z_scores[0])))
    lower = [_p_values(-direction), _p_values(-z_scores.min(axis=1))]
    upper = [_p_values(direction), _p_values(z_scores.max(axis=1))]
    p_score = None
    if with_score:
        moved = _score_differences(pairs, arranged, moments.pooled)
        p_score = float(_p_values(np.abs(moved))[0])
        lower.append(_p_values(-moved))
        upper.append(_p_values(moved))
    deviation = math.sqrt(moments.variance_of_sum) or 1.0
    return TestResults(
        p_score=p_score,
        cmh_z=float(direction[0]) / deviation,
        p_cmh=float(_p_values(np.abs(direction))[0]),
        p_less=float(lower[0][0]),
        p_more=float(upper[0][0]),
        largest_z=float(z_scores[0, largest]),
        p_largest_z=float(_p_values(np.abs(z_scores).max(axis=1))[0]),
        largest_pair=pairs[largest][1].name,
        p_worse=float(_p_values(-np.min(lower, axis=0))[0]),
        p_better=float(_p_values(-np.min(upper, axis=0))[0]),
        moves=_moves(z_scores),
    )


def _moves(z_scores: Floats) -> tuple[PairMove, ...]:
    """How each pair moved; the first row of ``z_scores`` is what was observed."""
    observed = z_scores[0]
    fell = _shares_reaching(-z_scores.min(axis=1), -observed)
    rose = _shares_reaching(z_scores.max(axis=1), observed)
    return tuple(
        PairMove(z=float(z), p_fell=float(down), p_rose=float(up))
        for z, down, up in zip(observed, fell, rose, strict=True)
    )


def _safer(one: TestResults, other: TestResults) -> TestResults:
    """The same tests, each with the larger of its two p-values."""
    larger = {
        name: max(getattr(one, name), getattr(other, name))
        for name in (*ONE_SIDED, "p_cmh", "p_largest_z")
    }
    if one.p_score is not None and other.p_score is not None:
        larger["p_score"] = max(one.p_score, other.p_score)
    moves = tuple(
        PairMove(
            z=move.z,
            p_fell=max(move.p_fell, alike.p_fell),
            p_rose=max(move.p_rose, alike.p_rose),
        )
        for move, alike in zip(one.moves, other.moves, strict=True)
    )
    return changed(one, moves=moves, **larger)


def _score_differences(pairs: BothGraded, counts: Counts, pooled: Counts) -> Floats:
    """Second minus first unrounded score, for rows of the second scan's counts."""
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    return _raw_scores(second, counts) - _raw_scores(first, pooled - counts)


def _raw_scores(pairs: Sequence[GradedPair], counts: Counts) -> Floats:
    """Unrounded scores for rows of pass counts, one column per pair."""
    units = np.zeros(counts.shape)
    for column, pair in enumerate(pairs):
        edges = _edges(counts_of(pair).total_evaluated, pair.distribution)
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


@lru_cache(maxsize=4096)
def _edges(total: int, distribution: Distribution | None) -> Counts:
    """The lowest counts of grades 2 to 5, which plans ask for time and again."""
    return np.array(edges_of(total, distribution))


def _p_values(statistic: Floats) -> Floats:
    """Share of arrangements at least as extreme as each one, itself included."""
    return _shares_reaching(statistic, statistic)


def _shares_reaching(statistic: Floats, values: Floats) -> Floats:
    """Share of arrangements whose statistic is at least each of these values."""
    ordered = np.sort(statistic)
    tie = TIE * (1 + np.abs(ordered).max())
    reached = len(statistic) - np.searchsorted(ordered, values - tie)
    shares: Floats = reached / len(statistic)
    return shares
