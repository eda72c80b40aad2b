# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Why a score is what it is, as text in 80 columns."""

from __future__ import annotations

from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.explain import GarakDifference, PairEffect, ScoreExplanation
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.text import RULE, score_line
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.terminal import broken
from garak_tbsa.unavailable import Unavailable

WIDTH = 80
INDENT = "    "
FIX_FIRST = (
    "Fix first: these pairs, in this order, gain most together (fixed means grade 5)."
)


def lines(
    assessment: Assessment, explanation: ScoreExplanation, *, most: int | None
) -> list[str]:
    """Return what a terminal shows.

    Parameters
    ----------
    assessment : Assessment
    explanation : Explanation
    most : int or None
        How many pairs to show; None shows all.
    """
    score = assessment.documented
    shown = [
        score_line(assessment.tbsa),
        *(
            f"   Tier {part.tier}: {wording.pairs_text(part.count)}, harmonic mean"
            f" {wording.mean_text(part.mean)}"
            f" (counts {wording.times_text(part.weight)})"
            for part in score.tiers
        ),
        *(
            f"   Grade by {rule.title} rises at {_bounds(rule.bounds)}"
            for rule in GRADE_RULES
        ),
        "   The lowest grade of a pair counts.",
        RULE,
    ]
    shown += _fix_lines(assessment, explanation, most)
    best = sum(effect.raw_gain == 0 for effect in explanation.effects)
    shown.append(f"{wording.pairs_text(best)} at grade 5 already.")
    shown += _near_edge_lines(explanation)
    shown += _left_out_lines(assessment)
    shown += [RULE, *_garak_lines(explanation)]
    return [*shown, RULE, wording.DISCLAIMER]


def _bounds(bounds: tuple[float, ...]) -> str:
    return ", ".join(f"{bound:g}" for bound in bounds)


def _fix_lines(
    assessment: Assessment, explanation: ScoreExplanation, most: int | None
) -> list[str]:
    """List pairs in the order of the sets that gain most together."""
    told = wording.together_text(assessment, explanation.together)
    if told is None:
        return []
    shown = [*wrapped("", f"{told}."), FIX_FIRST]
    effects = {effect.pair.name: effect for effect in explanation.effects}
    for step in explanation.together[:most]:
        for pair in step.added:
            shown += _effect_lines(step.count, effects[pair.name])
        for pair in step.dropped:
            shown += wrapped("     ", f"in place of {pair.name}")
        shown.append(f"     {wording.step_text(step)}")
    wanting = sum(effect.raw_gain > 0 for effect in explanation.effects)
    more = wanting - len(explanation.together[:most])
    if more:
        advice = "" if most is None else " (--all shows them)"
        shown.append(f"… and {more} more{advice}")
    return shown


def _effect_lines(rank: int, effect: PairEffect) -> list[str]:
    pair, edge = effect.pair, wording.edge_text(effect)
    return [
        *wrapped(f"{rank:>3}. ", f"{pair.probe} + {pair.detector}"),
        f"     Tier {pair.tier}, grade {pair.grade} ({wording.grades_text(pair)})",
        f"     {wording.counts_text(pair)} passed"
        f" ({wording.percentage(pair.pass_rate)}, Z {wording.z_text(pair)})",
        *([f"     {edge}"] if edge else []),
    ]


def _near_edge_lines(explanation: ScoreExplanation) -> list[str]:
    """Name the pairs at grade 5 that a single hit would cost their grade."""
    fragile = [
        effect.pair.name
        for effect in explanation.effects
        if effect.raw_gain == 0 and effect.hits_to_drop == 1
    ]
    if not fragile:
        return []
    lose = "loses" if len(fragile) == 1 else "lose"
    named = [line for name in fragile[:5] for line in wrapped(INDENT, name)]
    more = len(fragile) - 5
    return [
        f"{len(fragile)} of them {lose} it with one more hit:",
        *named,
        *([f"{INDENT}… and {more} more"] if more > 0 else []),
    ]


def _left_out_lines(assessment: Assessment) -> list[str]:
    if not assessment.left_out:
        return []
    shown = [RULE, f"Left out: {wording.pairs_text(len(assessment.left_out))}"]
    for entry in assessment.left_out:
        shown += wrapped(INDENT, f"{entry.pair.name}: {entry.text}")
    return shown


def _garak_lines(explanation: ScoreExplanation) -> list[str]:
    if isinstance(explanation.garak_tbsa, Unavailable):
        return wrapped("", explanation.garak_tbsa.reason)
    shown = [
        f"garak's own module prints {wording.tbsa_text(explanation.garak_tbsa)}"
        " for this report."
    ]
    if not explanation.differences:
        return [*shown, "It grades every pair the same."]
    shown.append("It grades these pairs differently (documented / garak's own):")
    for difference in explanation.differences:
        shown += wrapped(INDENT, f"{difference.name}: {_two_grades(difference)}")
    return shown


def _two_grades(difference: GarakDifference) -> str:
    ours = "left out" if difference.ours is None else str(difference.ours)
    garaks = "dropped" if difference.garaks is None else str(difference.garaks)
    return f"{ours} / {garaks}"


def wrapped(first: str, text: str) -> list[str]:
    """Break a line at 80 columns; long names break where a word of theirs ends."""
    parts = broken(text, WIDTH - len(first))
    indent = " " * len(first)
    return [f"{indent if n else first}{part}" for n, part in enumerate(parts)]
