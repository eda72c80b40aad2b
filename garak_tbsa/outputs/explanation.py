# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Why a score is what it is, as text: one line for each pair to fix."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.evidence_wording import short_trust
from garak_tbsa.outputs.text import RULE, marked, score_line
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.tbsa.explain import (
    FixStep,
    GarakDifference,
    ScoreExplanation,
    explain,
)
from garak_tbsa.unavailable import Unavailable

FIX_FIRST = "Fix first; each pair adds most to those before it (fixed means grade 5):"
INDENT = "    "


def lines(scored: ScoredReport, *, most: int | None) -> list[str]:
    """Return what a terminal shows.

    Parameters
    ----------
    scored : ScoredReport
        With the evidence on its detectors.
    most : int or None
        How many pairs to name of each kind; None names all.

    Raises
    ------
    NotScorableError
        Only garak's own formula gives this report a number.
    """
    explanation = scored.explanation or explain(scored.assessment)
    best = [effect for effect in explanation.effects if effect.raw_gain == 0]
    fragile = [effect.pair.name for effect in best if effect.hits_to_drop == 1]
    lose = "loses" if len(fragile) == 1 else "lose"
    shown = [score_line(scored.tbsa), *marked("   ", scored.tiers_text)]
    shown += [*marked("⚠️ ", *scored.evidence_problems), RULE]
    shown += _fix_lines(scored, explanation, most)
    shown.append(f"{wording.pairs_text(len(best))} at grade 5 already.")
    shown += _named(
        f"{len(fragile)} of them {lose} it with one more hit", fragile, most
    )
    out = [f"{entry.pair.name}: {entry.text}" for entry in scored.left_out]
    shown += _named(f"Left out: {wording.pairs_text(len(out))}", out, most)
    return [*shown, *_garak_lines(explanation, most), RULE, wording.DISCLAIMER]


def _fix_lines(
    scored: ScoredReport, explanation: ScoreExplanation, most: int | None
) -> list[str]:
    if scored.fixes_said is None:
        return []
    steps = explanation.together[:most]
    shown = [f"{scored.fixes_said}.", FIX_FIRST]
    shown += [_step_line(step, scored) for step in steps]
    wanting = sum(effect.raw_gain > 0 for effect in explanation.effects)
    more = wanting - len(steps)
    advice = "" if most is None else " (--all shows them)"
    return [*shown, *([f"… and {more} more{advice}"] if more else [])]


def _step_line(step: FixStep, scored: ScoredReport) -> str:
    pair, trust = step.pair, short_trust(scored.evidence, step.pair.name)
    return (
        f"{step.count:>3}. {wording.tbsa_text(step.tbsa)}  {pair.probe} +"
        f" {pair.detector}: Tier {pair.tier}, grade {pair.grade},"
        f" {wording.counts_text(pair)} passed; {trust}"
    )


def _named(title: str, names: Sequence[str], most: int | None) -> list[str]:
    """Count what is there, and name it where it is asked for all."""
    if not names:
        return []
    if most is not None:
        return [f"{title}."]
    return [f"{title}:", *marked(INDENT, *names)]


def _garak_lines(explanation: ScoreExplanation, most: int | None) -> list[str]:
    own = explanation.garak_tbsa
    if isinstance(own, Unavailable):
        return [own.reason]
    differences = [
        f"{each.name}: {_two_grades(each)}" for each in explanation.differences
    ]
    count = wording.pairs_text(len(differences)) if differences else "no pair"
    title = (
        f"garak's own module prints {wording.tbsa_text(own)} for this report; it grades"
        f" {count} differently"
    )
    if not differences or most is not None:
        return [f"{title}."]
    return _named(f"{title} (documented / garak's own)", differences, most)


def _two_grades(difference: GarakDifference) -> str:
    ours = "left out" if difference.ours is None else str(difference.ours)
    garaks = "dropped" if difference.garaks is None else str(difference.garaks)
    return f"{ours} / {garaks}"
