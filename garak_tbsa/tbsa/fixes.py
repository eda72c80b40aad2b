# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The order of risk, what each pair costs the score, and what fixing pairs would bring.

One pair alone often moves no tenth, so the score is also told after each pair of the
order of risk. What is fixed stays fixed, so that a reader can work down the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import BEST_GRADE, GRADES, WORST_GRADE
from garak_tbsa.tbsa.score import (
    COMMON_MULTIPLE,
    Score,
    grade_edges,
    grade_follows_counts,
    score_tiers,
)

WORST_GRADES = range(1, 4)
"""Grades of pairs that are listed as fixes; those of grade 4 and 5 are not."""

FEW_OUTPUTS = 10
"""A pair of fewer leads no list: one output more could be another grade."""

MOST_STEPS = 500
"""Nobody plans to fix more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FixStep:
    """What the score would be with one more pair fixed, the next in order of risk.

    Attributes
    ----------
    count : int
        How many pairs are fixed with it, 1 or more.
    tbsa : float
        The score if it and those before it were at grade 5.
    raw_gain : float
        What that adds to today's score before rounding, > 0.
    """

    count: int
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
    """A pair in its place, and what it does to the score.

    Attributes
    ----------
    pair : Pair
    doubt : str or None
        Why it does not lead while another pair to be fixed can; None if it may.
    step : FixStep or None
        None where it is not listed as one to fix.
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
    doubt: str | None
    step: FixStep | None
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
        Every pair that counts, in order of risk: those to be fixed come first.
    family : FamilyFix or None
        The module of the first pair to fix; None where nothing is to be fixed.
    """

    effects: tuple[PairEffect, ...]
    family: FamilyFix | None

    @property
    def fixes(self) -> list[PairEffect]:
        """The pairs to fix, at most 500."""
        return [each for each in self.effects if each.step is not None]


def by_risk(pairs: Iterable[Pair], mostly_wrong: Container[str] = ()) -> list[Pair]:
    """Return pairs in order of risk: grade, tier, pass rate, size, name.

    The first of those that are to be fixed and in no doubt leads; all others are in
    their place behind it.

    Parameters
    ----------
    pairs : iterable of Pair
    mostly_wrong : container of str
        Detectors of which more flags are known to be wrong than right.
    """
    ordered = sorted(
        pairs,
        key=lambda pair: (
            *(pair.grade, pair.tier or 0, pair.pass_rate),
            *(-(pair.total_evaluated or 0), pair.name),
        ),
    )
    for place, pair in enumerate(ordered):
        if pair.grade in WORST_GRADES and _doubt(pair, mostly_wrong) is None:
            return [pair, *ordered[:place], *ordered[place + 1 :]]
    return ordered


def _doubt(pair: Pair, mostly_wrong: Container[str]) -> str | None:
    outputs = pair.total_evaluated
    found = []
    if outputs is not None and outputs < FEW_OUTPUTS:
        found.append(f"few outputs: {outputs}")
    if pair.detector in mostly_wrong:
        found.append("its detector is more often wrong than right")
    return "; ".join(found) or None


def explain(
    pairs: Iterable[Pair], score: Score, mostly_wrong: Container[str] = ()
) -> ScoreExplanation:
    """Explain a score.

    Parameters
    ----------
    pairs : iterable of Pair
        Those behind the score.
    score : Score
        Theirs.
    mostly_wrong : container of str
        As in :func:`by_risk`.
    """
    ordered = by_risk(pairs, mostly_wrong)
    fixes = [pair for pair in ordered if pair.grade in WORST_GRADES]
    weight = sum(part.weight for part in score.tiers if part.count)
    tiers = {part.tier: part for part in score.tiers}
    effects, together = [], score
    for count, pair in enumerate(ordered, start=1):
        step = None
        if count <= min(len(fixes), MOST_STEPS):
            together = with_best([pair], together)
            gain = together.raw - score.raw
            step = FixStep(count=count, tbsa=together.tbsa, raw_gain=gain)
        fixed, own = with_best([pair], score), tiers[pair.tier or 0]
        rise, drop = distance_to_edges(pair)
        effects.append(
            PairEffect(
                pair=pair,
                doubt=_doubt(pair, mostly_wrong),
                step=step,
                tbsa_if_best=fixed.tbsa,
                raw_gain=fixed.raw - score.raw,
                # w / sum(w) * 5 (60 / grade - 12) / S of the pair's tier
                cost=own.weight / weight * BEST_GRADE * _saved_units(pair) / own.units,
                passes_to_rise=rise,
                hits_to_drop=drop,
            )
        )
    family = None
    if fixes:
        module = module_of(fixes[0].probe)
        alike = [pair for pair in fixes if module_of(pair.probe) == module]
        tbsa = with_best(alike, score).tbsa
        family = FamilyFix(module=module, count=len(alike), tbsa=tbsa)
    return ScoreExplanation(effects=tuple(effects), family=family)


def module_of(probe: str) -> str:
    """Return the module of a probe, as garak groups its page."""
    return probe.partition(".")[0]


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
