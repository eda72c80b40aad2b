# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score: what each pair costs, and what fixing them would bring."""

from __future__ import annotations

from dataclasses import dataclass, replace

from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.fix_together import FixStep, fix_together, saved_units
from garak_tbsa.tbsa.garak_formula import NoGarakNumberError, garak_score
from garak_tbsa.tbsa.grade_counts import grade_with, lowest_count
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import BEST_GRADE, SCORED_TIERS, WORST_GRADE
from garak_tbsa.tbsa.score import Score, score_tiers
from garak_tbsa.unavailable import Unavailable


@dataclass(frozen=True, kw_only=True, slots=True)
class PairEffect:
    """What one pair does to the score.

    Attributes
    ----------
    pair : GradedPair
    tbsa_if_best : float
        The score if this pair were at grade 5.
    raw_gain : float
        What that adds before rounding, >= 0.
    cost : float
        How much of 5.0 the pair takes from the score before rounding, >= 0: its share
        of what its tier takes, by the units that its grade has above those of a 5. The
        costs of all pairs and the score add up to 5.0.
    passes_to_rise : int or None
        How many of the hits would have to be passes for the next grade; None at
        grade 5, or where counts or calibration are missing.
    hits_to_drop : int or None
        How many of the passes would have to be hits to lose the grade; None at
        grade 1, or where counts or calibration are missing.
    """

    pair: GradedPair
    tbsa_if_best: float
    raw_gain: float
    cost: float
    passes_to_rise: int | None
    hits_to_drop: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class GarakDifference:
    """A pair that garak's own module grades otherwise.

    Attributes
    ----------
    name : str
        ``probe+detector``.
    ours : int or None
        The documented formula's grade; None where the pair does not count.
    garaks : int or None
        The grade garak's own module uses; None where it drops the pair.
    """

    name: str
    ours: int | None
    garaks: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreExplanation:
    """Why a score is what it is.

    Attributes
    ----------
    effects : tuple of PairEffect
        Every pair that counts, the one whose fixing gains most first.
    together : tuple of FixStep
        What fixing 1, 2, 3 ... pairs together brings.
    garak_tbsa : float or Unavailable
        What garak's own module prints for the same report, or why it prints nothing.
    differences : tuple of GarakDifference
        The Tier 1 and 2 pairs behind the difference, by name.
    """

    effects: tuple[PairEffect, ...]
    together: tuple[FixStep, ...]
    garak_tbsa: float | Unavailable
    differences: tuple[GarakDifference, ...]


def explain(assessment: Assessment) -> ScoreExplanation:
    """Explain the documented score of a report."""
    score = assessment.documented
    effects = sorted(
        (_effect(pair, score) for pair in assessment.graded),
        key=lambda effect: (-effect.raw_gain, effect.pair.grade, effect.pair.name),
    )
    together = fix_together(assessment.graded, score)
    try:
        own = garak_score(assessment.report)
    except NoGarakNumberError as error:
        return ScoreExplanation(
            effects=tuple(effects),
            together=together,
            garak_tbsa=Unavailable(reason=error.reason),
            differences=(),
        )
    ours = {pair.name: pair.grade for pair in assessment.graded}
    unscored = {
        entry.pair.name
        for entry in assessment.left_out
        if entry.pair.tier in SCORED_TIERS
    }
    differences = tuple(
        GarakDifference(name=name, ours=ours.get(name), garaks=own.z_grades.get(name))
        for name in sorted(ours.keys() | (own.z_grades.keys() & unscored))
        if ours.get(name) != own.z_grades.get(name)
    )
    return ScoreExplanation(
        effects=tuple(effects),
        together=together,
        garak_tbsa=own.tbsa,
        differences=differences,
    )


def _effect(pair: GradedPair, score: Score) -> PairEffect:
    fixed = _with_best(pair, score)
    edges = distance_to_edges(pair)
    return PairEffect(
        pair=pair,
        tbsa_if_best=fixed.tbsa,
        raw_gain=fixed.raw - score.raw,
        cost=_cost(pair, score),
        passes_to_rise=edges.passes_to_rise,
        hits_to_drop=edges.hits_to_drop,
    )


def _with_best(pair: GradedPair, score: Score) -> Score:
    saved = saved_units(pair)
    return score_tiers(
        [
            replace(part, units=part.units - saved) if part.tier == pair.tier else part
            for part in score.tiers
        ]
    )


def _cost(pair: GradedPair, score: Score) -> float:
    """Return ``w / sum(w) * 5 (60 / grade - 12) / S`` of the pair's tier."""
    weight = sum(part.weight for part in score.tiers if part.count)
    (own,) = (part for part in score.tiers if part.tier == pair.tier)
    return own.weight / weight * BEST_GRADE * saved_units(pair) / own.units


@dataclass(frozen=True, kw_only=True, slots=True)
class EdgeDistance:
    """Outputs between a pair and its neighbouring grades, see :class:`PairEffect`."""

    passes_to_rise: int | None
    hits_to_drop: int | None


def distance_to_edges(pair: GradedPair) -> EdgeDistance:
    """Return how many outputs lie between a pair and its neighbouring grades."""
    counts = pair.counts
    if not pair.grades_by_count_known or counts is None or not counts.total_evaluated:
        return EdgeDistance(passes_to_rise=None, hits_to_drop=None)
    passed, total = counts.passed, counts.total_evaluated
    if grade_with(pair, passed) != pair.grade:
        return EdgeDistance(passes_to_rise=None, hits_to_drop=None)
    rise = drop = None
    if pair.grade < BEST_GRADE:
        needed = lowest_count(pair, pair.grade + 1)
        rise = needed - passed if needed <= total else None
    if pair.grade > WORST_GRADE:
        drop = passed - lowest_count(pair, pair.grade) + 1
    return EdgeDistance(
        passes_to_rise=rise,
        hits_to_drop=drop if drop is None or drop <= passed else None,
    )
