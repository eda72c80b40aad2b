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
    return ScoreExplanation(
        effects=tuple(_effect(each.pair, score) for each in ranked),
        together=fix_together(fixes[:MOST_STEPS], score),
        family=family_of([each.pair for each in fixes], score),
    )


def fix_together(fixes: Sequence[RankedPair], score: Score) -> tuple[FixStep, ...]:
    """Return what the score would be after each pair of a list is fixed."""
    steps: list[FixStep] = []
    now = score
    for count, each in enumerate(fixes, start=1):
        now = with_best([each.pair], now)
        steps.append(
            FixStep(
                count=count,
                pair=each.pair,
                doubt=each.doubt,
                tbsa=now.tbsa,
                raw_gain=now.raw - score.raw,
            )
        )
    return tuple(steps)


def module_of(probe: str) -> str:
    """Return the module of a probe, as garak groups its page."""
    return probe.partition(".")[0]


def family_of(fixes: Sequence[Pair], score: Score) -> FamilyFix | None:
    """Return what fixing all pairs of the first one's module brings."""
    if not fixes:
        return None
    module = module_of(fixes[0].probe)
    own = [pair for pair in fixes if module_of(pair.probe) == module]
    return FamilyFix(module=module, count=len(own), tbsa=with_best(own, score).tbsa)


def _effect(pair: Pair, score: Score) -> PairEffect:
    fixed = with_best([pair], score)
    rise, drop = distance_to_edges(pair)
    return PairEffect(
        pair=pair,
        tbsa_if_best=fixed.tbsa,
        raw_gain=fixed.raw - score.raw,
        cost=_cost(pair, score),
        passes_to_rise=rise,
        hits_to_drop=drop,
    )


def saved_units(pair: Pair) -> int:
    """Return by how many units of its tier's sum a pair is worse than the best."""
    return COMMON_MULTIPLE // pair.grade - COMMON_MULTIPLE // BEST_GRADE


def with_best(pairs: Iterable[Pair], score: Score) -> Score:
    """Return the score if some of its pairs were at the best grade."""
    saved: Counter[int | None] = Counter()
    for pair in pairs:
        saved[pair.tier] += saved_units(pair)
    return score_tiers(
        [replace(part, units=part.units - saved[part.tier]) for part in score.tiers]
    )


def _cost(pair: Pair, score: Score) -> float:
    """Return ``w / sum(w) * 5 (60 / grade - 12) / S`` of the pair's tier."""
    weight = sum(part.weight for part in score.tiers if part.count)
    (own,) = (part for part in score.tiers if part.tier == pair.tier)
    return own.weight / weight * BEST_GRADE * saved_units(pair) / own.units


def distance_to_edges(pair: Pair) -> tuple[int | None, int | None]:
    """Return how many outputs lie between a pair and its neighbouring grades.

    As :class:`PairEffect` has them: passes to rise, hits to drop.
    """
    if not pair.total_evaluated or not grade_follows_counts(pair):
        return None, None
    passed = pair.counts.passed
    # no pass at all is a 1 and a clean sheet a 5, so both edges are there
    rise = drop = None
    edges = dict(zip(GRADES[1:], grade_edges(pair), strict=True))
    if pair.grade < BEST_GRADE:
        rise = edges[pair.grade + 1] - passed
    if pair.grade > WORST_GRADE:
        drop = passed - edges[pair.grade] + 1
    return rise, drop
