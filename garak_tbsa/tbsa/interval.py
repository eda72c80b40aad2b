# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of a scan would score, as a distribution.

A pair's grade depends on its pass count alone. The count of a repeat follows
the empirical-Bayes predictive distribution: one Beta(a, b) fitted to all pairs by
maximum beta-binomial likelihood, then Beta-binomial(n, a + k, b + n - k) for a
pair with k of n passed. Sums of ``60 / grade`` are whole numbers, so the
distribution of the score follows by convolution, without simulation. The unit of
resampling is one evaluated output.
"""

from __future__ import annotations

import math

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.beta_binomial import count_distribution, fit_prior
from garak_tbsa.tbsa.grade_counts import counts_of, grade_probabilities, why_unknown
from garak_tbsa.tbsa.rules import GRADES, SCORED_TIERS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, rounded_tenths
from garak_tbsa.tbsa.two_tiers import JoinBounds
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.beta_binomial import BetaShape
    from garak_tbsa.tbsa.grades import GradedPair

SMALL_PAIR = 30
NEGLIGIBLE = 1e-17
LEVEL = 0.95

MANY_PAIRS = 400
MANY_OUTPUTS = 20_000
"""Beyond either, numpy's start-up costs less than lists of numbers do."""


@record
class RepeatDistribution:
    """Probability of each score of a repeated scan.

    Attributes
    ----------
    probabilities : tuple of (float, float)
        Score and its probability, lowest score first; they sum to 1.
    prior : BetaShape
        The fitted Beta.
    """

    probabilities: tuple[tuple[float, float], ...]
    prior: BetaShape

    @property
    def prediction_interval(self) -> tuple[float, float]:
        """Scores between which at least 95 % of repeats fall, equal tails."""
        return self.quantile((1 - LEVEL) / 2), self.quantile((1 + LEVEL) / 2)

    def quantile(self, probability: float) -> float:
        """Return the lowest score whose cumulated probability reaches this one."""
        reached = 0.0
        for tbsa, share in self.probabilities:
            reached += share
            if reached >= probability - 1e-12:
                return tbsa
        return self.probabilities[-1][0]


def repeat_distribution(
    graded: Sequence[GradedPair],
) -> RepeatDistribution | Unavailable:
    """Return the distribution of a repeat's score.

    Parameters
    ----------
    graded : sequence of GradedPair
        At least one pair.

    Returns
    -------
    RepeatDistribution or Unavailable
        The latter where counts or the calibration behind a Z-score are missing.

    Notes
    -----
    Exact up to 400 pairs of at most 20,000 outputs. Beyond, tiers are convolved by
    fast Fourier transforms and counts in the ten thousands in steps of a small part
    of their standard deviation; probabilities then differ by less than 1e-6.
    """
    missing = why_unknown(graded)
    if missing is not None:
        return missing
    prior = fit_prior([counts_of(pair) for pair in graded])
    if len(graded) > MANY_PAIRS or any(
        counts_of(pair).total_evaluated > MANY_OUTPUTS for pair in graded
    ):
        from garak_tbsa.tbsa.interval_of_many import tenths_of_many

        tenths = tenths_of_many(graded, prior)
    else:
        tenths = _tenths_of_few(graded, prior)
    total = math.fsum(tenths.values())
    return RepeatDistribution(
        probabilities=tuple(
            (tenth / 10, share / total) for tenth, share in sorted(tenths.items())
        ),
        prior=prior,
    )


def distribution_of(assessment: Assessment) -> RepeatDistribution | Unavailable:
    """Return the distribution behind an assessment's own score."""
    if assessment.garak_score is not None:
        return Unavailable(reason="garak's own formula has no repeat interval")
    return repeat_distribution(assessment.graded)


def small_pairs(graded: Iterable[GradedPair]) -> tuple[str, ...]:
    """Return the pairs with fewer than 30 outputs, whose grades move easily."""
    return tuple(
        pair.name
        for pair in graded
        if pair.total_evaluated is not None and pair.total_evaluated < SMALL_PAIR
    )


def _tenths_of_few(graded: Sequence[GradedPair], prior: BetaShape) -> dict[int, float]:
    """Probability of each score in tenths, exactly."""
    tiers: dict[int, list[list[float]]] = {tier: [] for tier in SCORED_TIERS}
    for pair in graded:
        counts = counts_of(pair)
        count = count_distribution(counts.total_evaluated, prior.after(counts))
        tiers[pair.tier].append(grade_probabilities(pair, count.first, count.cumulated))
    first, second = SCORED_TIERS
    return _joined(_UnitSum.of(first, tiers[first]), _UnitSum.of(second, tiers[second]))


class _UnitSum:
    """Distribution of a tier's sum of units; entry i is the share of ``first + i``."""

    def __init__(self, tier: int, count: int, first: int, shares: list[float]) -> None:
        self.tier = tier
        self.count = count
        self.first = first
        self.shares = shares

    @classmethod
    def of(cls, tier: int, pairs: Sequence[list[float]]) -> _UnitSum:
        """Add up independent pairs, each with its probabilities of grades 1 to 5."""
        total = cls(tier, 0, 0, [1.0])
        for probabilities in pairs:
            total = total._plus(probabilities)
        return total

    def _plus(self, probabilities: list[float]) -> _UnitSum:
        terms = [
            (COMMON_MULTIPLE // grade, share)
            for grade, share in zip(GRADES, probabilities, strict=True)
            if share > NEGLIGIBLE
        ]
        least = min(unit for unit, _ in terms)
        most = max(unit for unit, _ in terms)
        width = len(self.shares) + most - least
        summed = [0.0] * width
        for unit, share in terms:
            shift = unit - least
            tail = [0.0] * (width - shift - len(self.shares))
            shifted = [0.0] * shift + self.shares + tail
            summed = [a + share * b for a, b in zip(summed, shifted, strict=True)]
        low, high = 0, len(summed)
        while summed[low] < NEGLIGIBLE:
            low += 1
        while summed[high - 1] < NEGLIGIBLE:
            high -= 1
        return _UnitSum(
            self.tier, self.count + 1, self.first + least + low, summed[low:high]
        )


def _joined(one: _UnitSum, other: _UnitSum) -> dict[int, float]:
    """Probability of each score in tenths, from the unit sums of both tiers."""
    if one.count and other.count:
        return _joined_both(one, other)
    only = one if one.count else other
    tenths: dict[int, float] = {}
    for index, share in enumerate(only.shares):
        tenth = rounded_tenths(COMMON_MULTIPLE * only.count, only.first + index)
        tenths[tenth] = tenths.get(tenth, 0.0) + share
    return tenths


def _joined_both(one: _UnitSum, other: _UnitSum) -> dict[int, float]:
    """For each sum of the one tier, cut the sums of the other where tenths change."""
    bounds = JoinBounds(one.tier, one.count, other.tier, other.count)
    cumulated = [0.0]
    for share in other.shares:
        cumulated.append(cumulated[-1] + share)
    last = len(other.shares) - 1
    tenths: dict[int, float] = {}
    for index, share in enumerate(one.shares):
        units = one.first + index
        tenth, reach, below = bounds.tenth(units, other.first), -1, 0.0
        while reach < last:
            slope = bounds.slope(tenth, units)
            reach = last
            if slope > 0:
                reach = bounds.level(units) // slope - other.first
            upto = cumulated[min(reach, last) + 1]
            tenths[tenth] = tenths.get(tenth, 0.0) + share * (upto - below)
            below = upto
            tenth -= 1
    return {tenth: share for tenth, share in tenths.items() if share > 0}
