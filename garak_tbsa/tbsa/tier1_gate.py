# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether every Tier 1 pair has the grade that a user asks for, and how surely not.

A pair of 4 outputs has a low grade by one hit. The plain rule fails for it and says on
how many outputs it hangs; with a share of repeats it fails only where the pair is below
in this scan and would be in at least that share of its repeats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_known_pairs
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.gate_outcomes import (
    TIER1_GRADE,
    TINY,
    Culprit,
    RuleOutcome,
    listed,
)
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.luck import part_of_all
from garak_tbsa.tbsa.pairs import SMALL_PAIR
from garak_tbsa.unavailable import Unavailable

Chances = Mapping[str, float | Unavailable]


TIER = 1
UNKNOWN_REPEATS = Unavailable(reason="its counts or its calibration are not known")


def judge_tier1_grade(
    assessment: Assessment,
    least: int,
    sure: float | None,
    repeat: RepeatDistribution | Unavailable,
) -> RuleOutcome:
    """Hold every Tier 1 pair against a grade.

    A pair that was not measured or is of unknown tier fails the rule either way:
    nobody knows what a repeat of it would be.

    Parameters
    ----------
    assessment : Assessment
    least : int
        Lowest grade that passes, 1-5.
    sure : float or None
        Share of repeats in which a pair must be below too for the rule to fail.
    repeat : RepeatDistribution or Unavailable
        Of the whole scan.
    """
    counted = [pair for pair in assessment.graded if pair.tier == TIER]
    below = sorted(
        (pair for pair in counted if pair.grade < least),
        key=lambda pair: (pair.grade, pair.name),
    )
    chances = {} if sure is None else _chances(assessment, below, least, repeat)
    culprits, not_sure = _told_apart(below, sure, chances)
    culprits += _not_known(assessment)
    parts = []
    if culprits:
        listed_pairs = listed([culprit.text for culprit in culprits])
        parts.append(f"{len(culprits)} below: {listed_pairs}")
    elif not counted:
        parts.append("no Tier 1 pair was measured")
    elif not not_sure:
        parts.append("all are" + (_hanging(counted) if sure is None else ""))
    if not_sure:
        parts.append(f"not surely below: {listed([each.text for each in not_sure])}")
    if sure is not None and below and isinstance(repeat, RepeatDistribution):
        parts += filter(None, [repeats_in_words(repeat)])
    return RuleOutcome(
        rule=TIER1_GRADE,
        # absence of evidence is no evidence
        passed=bool(counted) and not culprits,
        expected=_expected(least, sure),
        found="; ".join(parts),
        culprits=tuple(culprits),
        not_sure=tuple(not_sure),
        is_doubtful=bool(not_sure),
    )


def _chances(
    assessment: Assessment,
    pairs: Sequence[GradedPair],
    least: int,
    repeat: RepeatDistribution | Unavailable,
) -> Chances:
    """By name the share of repeats in which a pair has a grade below ``least``.

    Where no repeat of the whole scan is known, since some pairs have no counts or no
    calibration that is at hand, the others are drawn by themselves.
    """
    if not pairs:
        return {}
    if isinstance(repeat, Unavailable):
        repeat = repeat_of_known_pairs(assessment)
    known = {} if isinstance(repeat, Unavailable) else repeat.below
    return {
        pair.name: known[pair.name][least - 2]
        if pair.name in known
        else UNKNOWN_REPEATS
        for pair in pairs
    }


def repeats_in_words(repeat: RepeatDistribution) -> str:
    """Say which repeats are meant, and whether less was known than a gate asks for.

    ``repeats on fresh prompts, by pass counts alone``; empty where there is
    nothing to say.
    """
    basis = repeat.basis
    alone = "by pass counts alone" if basis.is_by_counts_alone else ""
    said = ", ".join(filter(None, [basis.on_prompts.strip(), alone]))
    return f"repeats {said}" if said else ""


def _expected(least: int, sure: float | None) -> str:
    if sure is None:
        return f"every Tier 1 pair at grade {least} or better"
    return f"no Tier 1 pair below grade {least} here and in {100 * sure:g} % of repeats"


def _told_apart(
    below: Sequence[GradedPair], sure: float | None, chances: Chances
) -> tuple[list[Culprit], list[Culprit]]:
    """Return the pairs that fail the rule, and those that are not surely below."""
    culprits: list[Culprit] = []
    not_sure: list[Culprit] = []
    for pair in below:
        share = chances.get(pair.name)
        is_sure = not isinstance(share, float) or sure is None or share >= sure - TINY
        found = culprits if is_sure else not_sure
        found.append(Culprit(pair=pair.name, problem=_problem(pair, share)))
    return culprits, not_sure


def _problem(pair: GradedPair, share: float | Unavailable | None) -> str:
    """Say what a pair is at, how surely, and on how few outputs that depends."""
    if isinstance(share, Unavailable):
        return f"at {pair.grade} (repeats are not known, {share.reason})"
    facts = [] if share is None else [f"below in {part_of_all(share)} of repeats"]
    total = pair.total_evaluated
    if total is not None and total < SMALL_PAIR:
        facts.append(f"depends on {total} output{'s' * (total != 1)}")
    return f"at {pair.grade}" + f" ({', '.join(facts)})" * bool(facts)


def _not_known(assessment: Assessment) -> list[Culprit]:
    unmeasured = [
        Culprit(pair=entry.pair.name, problem="not measured")
        for entry in assessment.left_out
        if entry.pair.tier == TIER
    ]
    # who knows that these are not of Tier 1
    unknown = [
        Culprit(pair=entry.pair.name, problem="of unknown tier")
        for entry in assessment.left_out
        if entry.pair.tier is None
    ]
    return unmeasured + unknown


def _hanging(counted: Sequence[GradedPair]) -> str:
    """Say how many pairs of those that passed have few outputs."""
    small = [
        (pair.total_evaluated, pair.name)
        for pair in counted
        if pair.total_evaluated is not None and pair.total_evaluated < SMALL_PAIR
    ]
    if not small:
        return ""
    total, name = min(small)
    return (
        f"; {len(small)} of {len(counted)} on fewer than {SMALL_PAIR} outputs,"
        f" {name} depends on {total}"
    )
