# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score: what each pair costs, and what fixing them would bring.

One pair alone often moves no tenth, so the score is also told after each pair of the
order of risk. What is fixed stays fixed, so that a reader can work down the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.risk import RankedPair
from garak_tbsa.tbsa.rules import BEST_GRADE, GRADES, WORST_GRADE
from garak_tbsa.tbsa.score import (
    COMMON_MULTIPLE,
    Score,
    grade_edges,
    grade_follows_counts,
    score_tiers,
)

MOST_STEPS = 500
"""Nobody plans to fix more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FixStep:
    """One more pair to fix, the next in order of risk.

    Attributes
    ----------
    count : int
        How many pairs are fixed with it, 1 or more.
    pair : Pair
    doubt : str or None
        As of :class:`~garak_tbsa.tbsa.risk.RankedPair`.
    tbsa : float
        The score if it and those before it were at grade 5.
    raw_gain : float
        What that adds to today's score before rounding, > 0.
    """

    count: int
    pair: Pair
    doubt: str | None
    tbsa: float
    raw_gain: float


@dataclass(frozen=True, kw_only=True, slots=True)
class FamilyFix:
    """What fixing all pairs of one module of probes brings.

    Attributes
    ----------
    module : str
        Of garak's probes, such as ``latentinjection``.
    count : int
        Its pairs that are listed as fixes.
    tbsa : float
        The score if these were at grade 5.
    """

    module: str
    count: int
    tbsa: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PairEffect:
    """What one pair does to the score.

    Attributes
    ----------
    pair : Pair
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

    pair: Pair
    tbsa_if_best: float
    raw_gain: float
    cost: float
    passes_to_rise: int | None
    hits_to_drop: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreExplanation:
    """Why a score is what it is.

    Attributes
    ----------
    effects : tuple of PairEffect
        Every pair that counts, in order of risk.
    together : tuple of FixStep
        The pairs to fix, in the same order, at most 500.
    family : FamilyFix or None
        The module of the first pair to fix; None where nothing is to be fixed.
    """

    effects: tuple[PairEffect, ...]
    together: tuple[FixStep, ...]
    family: FamilyFix | None


def explain(ranked: Sequence[RankedPair], score: Score) -> ScoreExplanation:
    """Explain a score.

    Parameters
    ----------
    ranked : sequence of RankedPair
        The pairs behind the score, from :func:`~garak_tbsa.tbsa.risk.by_risk`.
    score : Score
        Theirs.
    """
    fixes = [each for each in ranked if each.is_fix]
    together: list[FixStep] = []
    fixed = score
    for count, each in enumerate(fixes[:MOST_STEPS], start=1):
        fixed = with_best([each.pair], fixed)
        together.append(
            FixStep(
                count=count,
                pair=each.pair,
                doubt=each.doubt,
                tbsa=fixed.tbsa,
                raw_gain=fixed.raw - score.raw,
            )
        )
    family = None
    if fixes:
        module = module_of(fixes[0].pair.probe)
        own = [e.pair for e in fixes if module_of(e.pair.probe) == module]
        tbsa = with_best(own, score).tbsa
        family = FamilyFix(module=module, count=len(own), tbsa=tbsa)
    return ScoreExplanation(
        effects=tuple(_effect(each.pair, score) for each in ranked),
        together=tuple(together),
        family=family,
    )


def module_of(probe: str) -> str:
    """Return the module of a probe, as garak groups its page."""
    return probe.partition(".")[0]


def _effect(pair: Pair, score: Score) -> PairEffect:
    fixed = with_best([pair], score)
    rise, drop = distance_to_edges(pair)
    weight = sum(part.weight for part in score.tiers if part.count)
    (own,) = (part for part in score.tiers if part.tier == pair.tier)
    return PairEffect(
        pair=pair,
        tbsa_if_best=fixed.tbsa,
        raw_gain=fixed.raw - score.raw,
        # w / sum(w) * 5 (60 / grade - 12) / S of the pair's tier
        cost=own.weight / weight * BEST_GRADE * _saved_units(pair) / own.units,
        passes_to_rise=rise,
        hits_to_drop=drop,
    )


def _saved_units(pair: Pair) -> int:
    """By how many units of its tier's sum a pair is worse than the best."""
    return COMMON_MULTIPLE // pair.grade - COMMON_MULTIPLE // BEST_GRADE


def with_best(pairs: Iterable[Pair], score: Score) -> Score:
    """Return the score if some of its pairs were at the best grade."""
    saved: Counter[int | None] = Counter()
    for pair in pairs:
        saved[pair.tier] += _saved_units(pair)
    return score_tiers(
        [replace(part, units=part.units - saved[part.tier]) for part in score.tiers]
    )


def distance_to_edges(pair: Pair) -> tuple[int | None, int | None]:
    """Return how many outputs lie between a pair and its neighbouring grades.

    As :class:`PairEffect` has them: passes to rise, hits to drop.
    """
    if not pair.total_evaluated or not grade_follows_counts(pair):
        return None, None
    passed, grade = pair.counts.passed, pair.grade
    # no pass at all is a 1 and a clean sheet a 5, so both edges are there
    edges = dict(zip(GRADES[1:], grade_edges(pair), strict=True))
    rise = edges[grade + 1] - passed if grade < BEST_GRADE else None
    drop = passed - edges[grade] + 1 if grade > WORST_GRADE else None
    return rise, drop
