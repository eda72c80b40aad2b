# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of a scan would score, as a distribution.

A pair's grade depends on its pass count alone. The count of a repeat follows from
the pair's pass rate. What is known of that rate comes from the scan's outputs of the
pair, and from the pass rates of the other pairs of its tier (empirical Bayes,
:mod:`rate_prior`). As far as the scan is like the calibration's models, their rates on
that pair count too. Detectors of one probe judge the same outputs and are taken
jointly; probes are independent. Sums of ``60 / grade`` are whole numbers, so the
distribution of the score follows by convolution, without simulation.
"""

from __future__ import annotations

import math
from itertools import accumulate

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_chances import GradeChances, by_probe
from garak_tbsa.tbsa.grade_counts import counts_of, why_unknown
from garak_tbsa.tbsa.probe_units import units_of_probe
from garak_tbsa.tbsa.rate_prior import (
    FEWEST_OF_TIER,
    SeenPairs,
    TierPriors,
    fit_rates,
)
from garak_tbsa.tbsa.repeat_assumptions import NOTHING_KNOWN, assumptions_by_counts
from garak_tbsa.tbsa.rules import BEST_GRADE, SCORED_TIERS, TIER_WEIGHTS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, rounded_tenths
from garak_tbsa.tbsa.two_tiers import JoinBounds
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.probe_units import Terms
    from garak_tbsa.tbsa.repeat_assumptions import RepeatAssumptions

SMALL_PAIR = 30
NEGLIGIBLE = 1e-17
LEVEL = 0.95
ENOUGH = LEVEL - 1e-12
IMPROBABLE = 1e-15
"""What probabilities err by; a score less probable is left out."""

MANY_PAIRS = 400
MANY_OUTPUTS = 20_000
"""Beyond either, numpy's start-up costs less than lists of numbers do."""


@record
class RepeatDistribution:
    """Probability of each score of a repeated scan.

    Attributes
    ----------
    probabilities : tuple of (float, float)
        Score and its probability, lowest score first; they sum to 1. Scores with
        a probability below 1e-15 are left out.
    priors : TierPriors
        What was fitted to the pass rates of each tier's pairs.
    assumed : RepeatAssumptions
        What a repeat is, and how outputs and detectors go together.
    """

    probabilities: tuple[tuple[float, float], ...]
    priors: TierPriors
    assumed: RepeatAssumptions = NOTHING_KNOWN

    @property
    def prediction_interval(self) -> tuple[float, float]:
        """The two nearest scores between which at least 95 % of repeats fall.

        Of several the two with most repeats between them. Equal tails would hold more
        than asked for: scores are whole tenths, and no tail can be cut within one.
        """
        scores = [tbsa for tbsa, _ in self.probabilities]
        reached = [0.0, *accumulate(share for _, share in self.probabilities)]
        last, held = 0, []
        for first, low in enumerate(scores):
            while last < len(scores) and reached[last] - reached[first] < ENOUGH:
                last += 1
            within = reached[last] - reached[first]
            if within < ENOUGH:
                break
            high = scores[last - 1]
            held.append((round(10 * (high - low)), -round(within, 9), low, high))
        _, _, low, high = min(held)
        return low, high


def repeat_distribution(
    graded: Sequence[GradedPair], assumed: RepeatAssumptions = NOTHING_KNOWN
) -> RepeatDistribution | Unavailable:
    """Return the distribution of a repeat's score.

    Parameters
    ----------
    graded : sequence of GradedPair
        At least one pair.
    assumed : RepeatAssumptions
        How outputs and detectors go together.

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
    priors = fit_priors_to(graded, assumed)
    tenths: dict[int, float] = {}
    for likely in priors.levels():
        for tenth, share in _tenths(graded, likely, assumed).items():
            tenths[tenth] = tenths.get(tenth, 0.0) + share
    total = math.fsum(tenths.values())
    return RepeatDistribution(
        probabilities=tuple(
            (tenth / 10, share / total)
            for tenth, share in sorted(tenths.items())
            if share > IMPROBABLE
        ),
        priors=priors,
        assumed=assumed,
    )


def _tenths(
    graded: Sequence[GradedPair], priors: TierPriors, assumed: RepeatAssumptions
) -> dict[int, float]:
    """Probability of each score in tenths."""
    if not _are_many(graded):
        return _tenths_of_few(graded, priors, assumed)
    from garak_tbsa.tbsa.interval_of_many import tenths_of_many

    return tenths_of_many(graded, priors, assumed)


def _are_many(graded: Sequence[GradedPair]) -> bool:
    return len(graded) > MANY_PAIRS or any(
        counts_of(pair).total_evaluated > MANY_OUTPUTS for pair in graded
    )


def fit_priors_to(
    graded: Sequence[GradedPair],
    assumed: RepeatAssumptions = NOTHING_KNOWN,
    *,
    by_tier: bool = True,
) -> TierPriors:
    """Return what pass rates the pairs of each tier have.

    Where a tier has fewer than twelve pairs, all pairs are taken together.

    Parameters
    ----------
    graded : sequence of GradedPair
        At least one pair, each with counts.
    assumed : RepeatAssumptions
        How their outputs go together.
    by_tier : bool
        Whether tiers are fitted by themselves where they have pairs enough.
    """
    likelihoods = None
    if _are_many(graded):
        from garak_tbsa.tbsa.rate_prior_of_many import LikelihoodsOfMany

        likelihoods = LikelihoodsOfMany
    tiers: dict[int, list[GradedPair]] = {}
    for pair in graded:
        tiers.setdefault(pair.tier, []).append(pair)
    groups: list[Sequence[GradedPair]] = [tiers[tier] for tier in sorted(tiers)]
    if not by_tier or min(map(len, groups)) < FEWEST_OF_TIER:
        groups = [graded]
    priors = fit_rates([_seen_of(pairs, assumed) for pairs in groups], likelihoods)
    fitted = {
        pair.tier: prior
        for pairs, prior in zip(groups, priors, strict=True)
        for pair in pairs
    }
    return TierPriors(of_tiers={tier: fitted[tier] for tier in sorted(fitted)})


def _seen_of(pairs: Sequence[GradedPair], assumed: RepeatAssumptions) -> SeenPairs:
    return SeenPairs(
        counts=[assumed.independent_of(pair) for pair in pairs],
        seen=[
            assumed.prompt_counts_of(pair) or assumed.seen_of(pair) for pair in pairs
        ],
        distributions=[pair.distribution for pair in pairs],
    )


def chances_of(
    priors: TierPriors, graded: Sequence[GradedPair], assumed: RepeatAssumptions
) -> GradeChances:
    """Return what gives the probabilities of the grades of each of these pairs.

    Parameters
    ----------
    priors : TierPriors
        At one of their levels.
    graded : sequence of GradedPair
    assumed : RepeatAssumptions
    """
    if not _are_many(graded):
        return GradeChances(priors, assumed)
    from garak_tbsa.tbsa.interval_of_many import ChancesOfMany

    return ChancesOfMany(priors, assumed)


def distribution_of(
    assessment: Assessment, assumed: RepeatAssumptions | None = None
) -> RepeatDistribution | Unavailable:
    """Return the distribution behind an assessment's own score.

    Parameters
    ----------
    assessment : Assessment
    assumed : RepeatAssumptions, optional
        What the pass counts and the scan's settings say, where it is not given.
    """
    if assessment.garak_score is not None:
        return Unavailable(reason="garak's own formula has no repeat interval")
    if assumed is None:
        assumed = assumptions_by_counts(assessment.report.settings)
    return repeat_distribution(assessment.graded, assumed)


def small_pairs(graded: Iterable[GradedPair]) -> tuple[str, ...]:
    """Return the pairs with fewer than 30 outputs, whose grades move easily."""
    return tuple(
        pair.name
        for pair in graded
        if pair.total_evaluated is not None and pair.total_evaluated < SMALL_PAIR
    )


def _tenths_of_few(
    graded: Sequence[GradedPair], priors: TierPriors, assumed: RepeatAssumptions
) -> dict[int, float]:
    """Probability of each score in tenths, exactly."""
    chances = GradeChances(priors, assumed)
    sums = {tier: _UnitSum(tier, 0, 0, [1.0]) for tier in SCORED_TIERS}
    for pairs in by_probe(graded):
        grades = [chances.of(pair) for pair in pairs]
        terms = units_of_probe(grades, [assumed.loading_of(pair) for pair in pairs])
        tier = pairs[0].tier
        sums[tier] = sums[tier].plus(len(pairs), terms)
    first, second = SCORED_TIERS
    return _joined(sums[first], sums[second])


class _UnitSum:
    """Distribution of a tier's sum of units; entry i is the share of ``first + i``."""

    def __init__(self, tier: int, count: int, first: int, shares: list[float]) -> None:
        self.tier = tier
        self.count = count
        self.first = first
        self.shares = shares

    @property
    def weight(self) -> int:
        """How often the tier's mean counts."""
        return TIER_WEIGHTS[self.tier]

    @property
    def possible(self) -> int:
        """How many sums are possible."""
        return len(self.shares) - self.shares.count(0.0)

    def plus(self, count: int, of_probe: Terms) -> _UnitSum:
        """Add the sum of ``count`` pairs that is independent of this one."""
        terms = [item for item in of_probe.items() if item[1] > NEGLIGIBLE]
        least = min(unit for unit, _ in terms)
        most = max(unit for unit, _ in terms)
        summed = [0.0] * (len(self.shares) + most - least)
        for unit, share in terms:
            place = slice(unit - least, unit - least + len(self.shares))
            summed[place] = [
                reached + share * more
                for reached, more in zip(summed[place], self.shares, strict=True)
            ]
        low, high = 0, len(summed)
        while summed[low] < NEGLIGIBLE:
            low += 1
        while summed[high - 1] < NEGLIGIBLE:
            high -= 1
        return _UnitSum(
            self.tier, self.count + count, self.first + least + low, summed[low:high]
        )


def _joined(one: _UnitSum, other: _UnitSum) -> dict[int, float]:
    """Probability of each score in tenths, from the unit sums of both tiers."""
    if one.count and other.count:
        # a tier moves the score by as many more tenths as it has more weight
        rows, cut = sorted((one, other), key=lambda each: each.possible / each.weight)
        return _joined_both(rows, cut)
    only = one if one.count else other
    tenths: dict[int, float] = {}
    for index, share in enumerate(only.shares):
        tenth = rounded_tenths(COMMON_MULTIPLE * only.count, only.first + index)
        tenths[tenth] = tenths.get(tenth, 0.0) + share
    return tenths


def _joined_both(one: _UnitSum, other: _UnitSum) -> dict[int, float]:
    """For each sum of the one tier, cut the sums of the other where tenths change."""
    bounds = JoinBounds(one.tier, one.count, other.tier, other.count)
    cumulated = [0.0, *accumulate(other.shares)]
    past_all = other.first + len(other.shares) - 1
    shares = [0.0] * (10 * BEST_GRADE + 1)
    for units, share in enumerate(one.shares, one.first):
        if not share:
            continue
        tenth, below = bounds.tenth(units, other.first), 0.0
        slope, level = bounds.slope(tenth, units), bounds.level(units)
        less = bounds.slope_of_a_tenth(units)
        while level < slope * past_all:
            upto = cumulated[level // slope - other.first + 1]
            shares[tenth] += share * (upto - below)
            below = upto
            tenth -= 1
            slope -= less
        shares[tenth] += share * (cumulated[-1] - below)
    return {tenth: share for tenth, share in enumerate(shares) if share > 0}
