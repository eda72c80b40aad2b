# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score: what fixing each pair would make of it, and how far that is."""

from __future__ import annotations

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.garak_formula import NoGarakNumberError, garak_score
from garak_tbsa.tbsa.grades import BEST_GRADE, pair_grade
from garak_tbsa.tbsa.interval import lowest_count
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, TierSum, score_tiers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.score import Score


@record
class PairEffect:
    """What one pair does to the score.

    Attributes
    ----------
    pair : GradedPair
    tbsa_if_best : float
        The score if this pair were at grade 5.
    raw_gain : float
        What that adds before rounding, >= 0.
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
    passes_to_rise: int | None
    hits_to_drop: int | None


@record
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


@record
class Explanation:
    """Why a score is what it is.

    Attributes
    ----------
    effects : tuple of PairEffect
        Every pair that counts, the one whose fixing gains most first.
    garak_tbsa : float or None
        What garak's own module prints for the same report.
    garak_missing_because : str or None
        Why it prints nothing.
    differences : tuple of GarakDifference
        The Tier 1 and 2 pairs behind the difference, by name.
    """

    effects: tuple[PairEffect, ...]
    garak_tbsa: float | None
    garak_missing_because: str | None
    differences: tuple[GarakDifference, ...]


def explain(assessment: Assessment) -> Explanation:
    """Explain the documented score of a report."""
    score = assessment.documented
    effects = sorted(
        (_effect(pair, score) for pair in assessment.graded),
        key=lambda effect: (-effect.raw_gain, effect.pair.grade, effect.pair.name),
    )
    try:
        own = garak_score(assessment.report)
    except NoGarakNumberError as error:
        return Explanation(
            effects=tuple(effects),
            garak_tbsa=None,
            garak_missing_because=error.reason,
            differences=(),
        )
    ours = {pair.name: pair.grade for pair in assessment.graded}
    unscored = {
        entry.pair.name for entry in assessment.left_out if entry.pair.tier in (1, 2)
    }
    differences = tuple(
        GarakDifference(name=name, ours=ours.get(name), garaks=own.z_grades.get(name))
        for name in sorted(ours.keys() | (own.z_grades.keys() & unscored))
        if ours.get(name) != own.z_grades.get(name)
    )
    return Explanation(
        effects=tuple(effects),
        garak_tbsa=own.tbsa,
        garak_missing_because=None,
        differences=differences,
    )


def _effect(pair: GradedPair, score: Score) -> PairEffect:
    fixed = _with_best(pair, score)
    passes_to_rise, hits_to_drop = distance_to_edges(pair)
    return PairEffect(
        pair=pair,
        tbsa_if_best=fixed.tbsa,
        raw_gain=fixed.raw - score.raw,
        passes_to_rise=passes_to_rise,
        hits_to_drop=hits_to_drop,
    )


def _with_best(pair: GradedPair, score: Score) -> Score:
    saved = COMMON_MULTIPLE // pair.grade - COMMON_MULTIPLE // BEST_GRADE
    tiers = {1: score.tier1, 2: score.tier2}
    old = tiers[pair.tier]
    tiers[pair.tier] = TierSum(count=old.count, units=old.units - saved)
    return score_tiers(tiers[1], tiers[2])


def distance_to_edges(pair: GradedPair) -> tuple[int | None, int | None]:
    """Return how many outputs lie between a pair and its neighbouring grades.

    Returns
    -------
    passes_to_rise, hits_to_drop : int or None
        See :class:`PairEffect`.
    """
    passed, total = pair.pair.passed, pair.pair.total_evaluated
    if not pair.grades_by_count_known or passed is None or not total:
        return None, None
    if pair_grade(passed / total, pair.distribution) != pair.grade:
        return None, None
    rise = drop = None
    if pair.grade < BEST_GRADE:
        needed = lowest_count(pair, pair.grade + 1)
        rise = needed - passed if needed <= total else None
    if pair.grade > 1:
        drop = passed - lowest_count(pair, pair.grade) + 1
    return rise, drop if drop is None or drop <= passed else None
