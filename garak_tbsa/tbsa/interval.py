# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The exact law of the score that a repeat of the scan would get.

A pair's grade depends on its pass count alone. The count of a repeat follows
the empirical-Bayes predictive law: one Beta(a, b) fitted to all pairs by
maximum beta-binomial likelihood, then Beta-binomial(n, a + k, b + n - k) for a
pair with k of n passed. Sums of ``60 / grade`` are whole numbers, so the law of
the score follows by convolution, without simulation. The unit of resampling is
one evaluated output.
"""

from __future__ import annotations

import math
from itertools import pairwise

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.beta_binomial import count_law, fit_prior
from garak_tbsa.tbsa.grades import PASS_RATE_BOUNDS, Z_BOUNDS, pair_grade
from garak_tbsa.tbsa.pairs import NO_EVALUATED_OUTPUT
from garak_tbsa.tbsa.score import (
    COMMON_MULTIPLE,
    TierSum,
    rounded_tenths,
    score_tiers,
    tier_sum,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.pairs import LeftOut

GRADES = (1, 2, 3, 4, 5)
SMALL_PAIR = 30
NEGLIGIBLE = 1e-17
LEVEL = 0.95


@record
class RepeatLaw:
    """Probability of each score of a repeated scan.

    Attributes
    ----------
    masses : tuple of (float, float)
        Score and its probability, lowest score first; they sum to 1.
    prior : (float, float)
        a and b of the fitted Beta.
    """

    masses: tuple[tuple[float, float], ...]
    prior: tuple[float, float]

    @property
    def range_95(self) -> tuple[float, float]:
        """Scores between which at least 95 % of repeats fall, equal tails."""
        return self.quantile((1 - LEVEL) / 2), self.quantile((1 + LEVEL) / 2)

    def quantile(self, probability: float) -> float:
        """Return the lowest score whose cumulated probability reaches this one."""
        reached = 0.0
        for tbsa, mass in self.masses:
            reached += mass
            if reached >= probability - 1e-12:
                return tbsa
        return self.masses[-1][0]


@record
class UnmeasuredBounds:
    """What the score could be, had the unmeasured pairs been measured.

    Attributes
    ----------
    count : int
        Tier 1 and 2 pairs without an evaluated output.
    worst, best : float
        TBSA with all of them at grade 1, and at 5.
    """

    count: int
    worst: float
    best: float


def repeat_law(graded: Sequence[GradedPair]) -> RepeatLaw | str:
    """Return the law of a repeat's score.

    Parameters
    ----------
    graded : sequence of GradedPair
        At least one pair.

    Returns
    -------
    RepeatLaw or str
        The reason, where counts or the calibration behind a Z-score are missing.
    """
    missing = why_unknown(graded)
    if missing is not None:
        return missing
    counts = [counts_of(pair) for pair in graded]
    prior = fit_prior(counts)
    laws: dict[int, list[list[float]]] = {1: [], 2: []}
    for pair, (passed, total) in zip(graded, counts, strict=True):
        laws[pair.tier].append(_grade_law(pair, passed, total, prior))
    tenths = _join_tiers(
        [_UnitLaw.of(laws[tier]) for tier in (1, 2)], [len(laws[1]), len(laws[2])]
    )
    total_mass = math.fsum(tenths.values())
    return RepeatLaw(
        masses=tuple(
            (tenth / 10, mass / total_mass) for tenth, mass in sorted(tenths.items())
        ),
        prior=prior,
    )


def small_pairs(graded: Iterable[GradedPair]) -> tuple[str, ...]:
    """Return the pairs with fewer than 30 outputs, whose grades move easily."""
    return tuple(
        pair.name
        for pair in graded
        if pair.pair.total_evaluated is not None
        and pair.pair.total_evaluated < SMALL_PAIR
    )


def law_of(assessment: Assessment) -> RepeatLaw | str:
    """Return the law behind an assessment's own score, or why there is none."""
    if assessment.garak_score is not None:
        return "garak's own formula has no repeat interval"
    return repeat_law(assessment.graded)


def unmeasured_bounds(
    graded: Iterable[GradedPair], left_out: Iterable[LeftOut]
) -> UnmeasuredBounds | None:
    """Return best and worst TBSA over what was not measured, None if all was."""
    missing = [
        entry.pair.tier for entry in left_out if entry.reason == NO_EVALUATED_OUTPUT
    ]
    if not missing:
        return None
    grades: dict[int | None, list[int]] = {1: [], 2: []}
    for pair in graded:
        grades[pair.tier].append(pair.grade)

    def with_all_at(grade: int) -> float:
        sums = [
            tier_sum(grades[tier] + [grade] * missing.count(tier)) for tier in (1, 2)
        ]
        return score_tiers(*sums).tbsa

    return UnmeasuredBounds(
        count=len(missing), worst=with_all_at(1), best=with_all_at(5)
    )


def why_unknown(graded: Iterable[GradedPair]) -> str | None:
    """Return why the grade of another pass count cannot be told, None if it can."""
    graded = tuple(graded)
    uncounted = sum(not pair.pair.has_counts for pair in graded)
    if uncounted:
        return f"the report has no counts for {uncounted} pairs"
    unknown = sum(not pair.grades_by_count_known for pair in graded)
    if unknown:
        return (
            f"the calibration behind the Z-scores of {unknown} pairs is not installed"
            " (--calibration PATH names one)"
        )
    contradicted = sum(_grade_by_counts(pair) != pair.grade for pair in graded)
    if contradicted:
        return f"the counts of {contradicted} pairs contradict their grades"
    return None


def counts_of(pair: GradedPair) -> tuple[int, int]:
    """Return the outputs passed and evaluated of a pair that has counts."""
    passed, total = pair.pair.passed, pair.pair.total_evaluated
    assert passed is not None
    assert total is not None
    return passed, total


def _grade_by_counts(pair: GradedPair) -> int:
    passed, total = counts_of(pair)
    return pair_grade(passed / total, pair.distribution)


def _grade_law(
    pair: GradedPair, passed: int, total: int, prior: tuple[float, float]
) -> list[float]:
    """Probability of grade 1 to 5 for one pair of a repeat."""
    first, weights = count_law(total, prior[0] + passed, prior[1] + total - passed)
    edges = [0, *(lowest_count(pair, grade) for grade in GRADES[1:]), total + 1]
    return [
        math.fsum(weights[max(0, low - first) : max(0, high - first)])
        for low, high in pairwise(edges)
    ]


def lowest_count(pair: GradedPair, grade: int) -> int:
    """Return the lowest pass count with which a pair gets at least this grade.

    ``total_evaluated + 1`` where no count does. The pair grade never falls as
    the count rises, so the count is looked for around where the bounds put it.
    """
    total, distribution = counts_of(pair)[1], pair.distribution
    rate = PASS_RATE_BOUNDS[grade - 2]
    if distribution is not None:
        z_bound = Z_BOUNDS[grade - 2]
        rate = max(rate, distribution.mu + z_bound * distribution.effective_sigma)
    count = min(total, max(0, math.ceil(rate * total)))
    while count > 0 and pair_grade((count - 1) / total, distribution) >= grade:
        count -= 1
    while count <= total and pair_grade(count / total, distribution) < grade:
        count += 1
    return count


class _UnitLaw:
    """Law of a tier's sum of units; entry i is the mass of ``first + i``."""

    def __init__(self, first: int, weights: list[float]) -> None:
        self.first = first
        self.weights = weights

    @classmethod
    def of(cls, laws: Iterable[list[float]]) -> _UnitLaw:
        """Add up independent pairs, each a law over grades 1 to 5."""
        total = cls(0, [1.0])
        for law in laws:
            total = total._plus(law)
        return total

    def _plus(self, law: list[float]) -> _UnitLaw:
        terms = [
            (COMMON_MULTIPLE // grade, mass)
            for grade, mass in zip(GRADES, law, strict=True)
            if mass > NEGLIGIBLE
        ]
        least = min(unit for unit, _ in terms)
        most = max(unit for unit, _ in terms)
        width = len(self.weights) + most - least
        summed = [0.0] * width
        for unit, mass in terms:
            shift = unit - least
            tail = [0.0] * (width - shift - len(self.weights))
            shifted = [0.0] * shift + self.weights + tail
            summed = [a + mass * b for a, b in zip(summed, shifted, strict=True)]
        return _UnitLaw(self.first + least, summed)._trimmed()

    def _trimmed(self) -> _UnitLaw:
        low, high = 0, len(self.weights)
        while self.weights[low] < NEGLIGIBLE:
            low += 1
        while self.weights[high - 1] < NEGLIGIBLE:
            high -= 1
        return _UnitLaw(self.first + low, self.weights[low:high])


def _join_tiers(laws: Sequence[_UnitLaw], counts: Sequence[int]) -> dict[int, float]:
    """Probability of each score in tenths, from the laws of both tiers' units."""
    (law1, law2), (n1, n2) = laws, counts
    if not n1 or not n2:
        only, count = (law1, n1) if n1 else (law2, n2)
        tenths: dict[int, float] = {}
        for index, mass in enumerate(only.weights):
            tenth = rounded_tenths(COMMON_MULTIPLE * count, only.first + index)
            tenths[tenth] = tenths.get(tenth, 0.0) + mass
        return tenths
    return _join_two(law1, law2, n1, n2)


def _join_two(law1: _UnitLaw, law2: _UnitLaw, n1: int, n2: int) -> dict[int, float]:
    """For each sum of Tier 1, cut the sums of Tier 2 where the tenth changes.

    A score reaches t tenths if and only if ``400 n2 S1 >= S2 (S1 (2t - 1) - 800 n1)``.
    """
    cumulated = [0.0]
    for weight in law2.weights:
        cumulated.append(cumulated[-1] + weight)
    last = len(law2.weights) - 1
    tenths: dict[int, float] = {}
    for index, mass in enumerate(law1.weights):
        s1 = law1.first + index
        tenth, reach, below = _tenths(n1, s1, n2, law2.first), -1, 0.0
        while reach < last:
            slope = s1 * (2 * tenth - 1) - 800 * n1
            reach = last if slope <= 0 else 400 * n2 * s1 // slope - law2.first
            upto = cumulated[min(reach, last) + 1]
            tenths[tenth] = tenths.get(tenth, 0.0) + mass * (upto - below)
            below = upto
            tenth -= 1
    return {tenth: mass for tenth, mass in tenths.items() if mass > 0}


def _tenths(n1: int, s1: int, n2: int, s2: int) -> int:
    tiers = TierSum(count=n1, units=s1), TierSum(count=n2, units=s2)
    return score_tiers(*tiers).tenths
