# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences and number formats that every output shares."""

from __future__ import annotations

from garak_tbsa.garak_files.calibration import CalibrationIdentity
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment, CalibrationUse
from garak_tbsa.tbsa.explain import FamilyFix, FixStep, PairEffect
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.luck import LUCKY, luck_of, part_of_all
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.pairs import pairs_text as pairs_text
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.tbsa.score import TierSum
from garak_tbsa.tbsa.unmeasured import unmeasured_bounds

DISCLAIMER = "TBSA sums a scan up; it does not replace reading the report."

FEW_PAIRS = 8
"""Fewer say too little of what pass rates the pairs have in common."""

DOCUMENTATION = "https://garak-tbsa.readthedocs.io/en/stable"

COLOUR_SQUARES = "🟥🟧🟨🟩🟦"
"""garak's own scale (``garak.resources.theme``), worst first."""


def documentation(page: str, anchor: str = "") -> str:
    """Return the address of a page of ours, as ``index``, or of a heading there."""
    return f"{DOCUMENTATION}/{page}.html" + f"#{anchor}" * bool(anchor)


def gate_rule_page(rule: str) -> str:
    """Return the address of what our documentation says of a gate's rule."""
    return documentation("how_to/gates", rule)


def colour_square(tbsa: float) -> str:
    """Return garak's square for a score, by its whole part."""
    return COLOUR_SQUARES[int(tbsa) - 1]


def tbsa_text(tbsa: float) -> str:
    """Return a score with one decimal, as garak prints it."""
    return f"{tbsa:0.1f}"


def mean_text(mean: float | None) -> str:
    """Return a tier's mean with two decimals."""
    return "none" if mean is None else f"{mean:.2f}"


def percentage(share: float | None) -> str:
    """Return a share as a percentage that never rounds up to 100 or down to 0."""
    if share is None:
        return "-"
    text = f"{share:.1%}"
    if text == "100.0%" and share < 1:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and share > 0 else text


def whole_percentage(share: float) -> str:
    """Return a share as whole percent, where a little is not nothing."""
    return "<1%" if 0 < share <= 0.005 else f"{share:.0%}"


def z_text(pair: GradedPair) -> str:
    """Return a Z-score with sign, or why there is none."""
    return "uncalibrated" if pair.z_score is None else f"{pair.z_score:+.2f}"


def grade_text(grade: int | None) -> str:
    """Return a grade, ``-`` where there is none."""
    return "-" if grade is None else str(grade)


def grades_text(pair: GradedPair) -> str:
    """Return each rule's grade: ``pass rate 3, Z -``."""
    return ", ".join(
        f"{rule.title} {grade_text(pair.grades_by_rule[rule.name])}"
        for rule in GRADE_RULES
    )


def counts_text(pair: Pair) -> str:
    """Return passed and evaluated outputs, as ``35/51``."""
    if not pair.has_counts:
        return "no counts"
    return f"{pair.passed}/{pair.total_evaluated}"


def tier_text(part: TierSum) -> str:
    """Return how many pairs a tier has, and their harmonic mean."""
    return f"Tier {part.tier}: {pairs_text(part.count)}, mean {mean_text(part.mean)}"


def calibration_text(use: CalibrationUse) -> str:
    """Say which calibration was used, its date, and how many pairs it covers."""
    covers = f"covers {use.covered} of {use.counted} pairs"
    if use.identity is None:
        return f"{use.source}, {covers}"
    if use.identity == CalibrationIdentity():
        # a digest names none where it covers no pair, and old ones never do
        return f"{'not recorded' if use.covered else 'none was used'}, {covers}"
    date = (use.identity.date or "no date")[:10]
    return f"{use.source}, of {date}, {covers}"


def repeat_text(repeat: RepeatDistribution) -> str:
    """Say what a repeat of the scan would score."""
    low, high = (tbsa_text(bound) for bound in repeat.prediction_interval)
    on = repeat.basis.on_prompts
    return f"a repeat of this scan{on} would score {low} to {high} (95 %)"


def basis_text(repeat: RepeatDistribution) -> str:
    """Say what the range of a repeat rests on."""
    basis = repeat.basis
    because = basis.missing_because
    if basis.is_by_counts_alone:
        reason = f" ({because})" if because else ""
        parts = [
            f"from pass counts alone{reason}: how alike outputs of one prompt are is"
            " not known, and the range allows for it"
        ]
    elif basis.has_several_outputs:
        parts = ["the range allows for outputs of one prompt being alike"]
        parts += [because] if because else []
    else:
        parts = [
            "one output of each prompt: how alike outputs of a prompt are is not known"
        ]
    if basis.pairs < FEW_PAIRS:
        parts.append(f"the range rests on few pairs ({basis.pairs})")
    return "; ".join(parts)


def unit_text(repeat: RepeatDistribution) -> str:
    """Say what a repeat draws."""
    return "one prompt" if repeat.basis.is_by_prompt else "one output"


def luck_text(tbsa: float, repeat: RepeatDistribution) -> str | None:
    """Say that a scan was lucky or unlucky, None where it was neither."""
    luck = luck_of(tbsa, repeat)
    if luck is None:
        return None
    score = tbsa_text(tbsa)
    way = "lower" if luck.kind == LUCKY else "higher"
    outside = f", and {score} is outside that range" if luck.outside else ""
    return (
        f"this scan was {luck.kind}: by the model, {part_of_all(luck.share)} of repeats"
        f" would score {way} than {score}{outside}"
    )


def capital(text: str) -> str:
    """Return a text with a capital letter first, and all others as they are."""
    return text[:1].upper() + text[1:]


def times_text(weight: int) -> str:
    """Say how often a tier counts."""
    return {1: "once", 2: "twice"}.get(weight, f"{weight} times")


def edge_text(effect: PairEffect) -> str:
    """Say how many outputs lie between a pair and the next grades, if known."""
    parts = []
    if effect.passes_to_rise is not None:
        noun = "pass raises" if effect.passes_to_rise == 1 else "passes raise"
        parts.append(f"{effect.passes_to_rise} more {noun} it")
    if effect.hits_to_drop is not None:
        noun = "hit lowers" if effect.hits_to_drop == 1 else "hits lower"
        parts.append(f"{effect.hits_to_drop} more {noun} it")
    return ", ".join(parts)


def family_text(assessment: Assessment, family: FamilyFix | None) -> str | None:
    """Say what fixing a module's pairs brings, None where there is nothing to fix."""
    if family is None:
        return None
    pairs = {1: "the one pair", 2: "both pairs"}.get(
        family.count, f"all {family.count} pairs"
    )
    are = "is" if family.count == 1 else "are"
    today = tbsa_text(assessment.documented.tbsa)
    # garak's own number, where it was asked for, is another than the one that moves
    by = "" if assessment.garak_score is None else " by the documented formula"
    return (
        f"TBSA {today} to {tbsa_text(family.tbsa)} if {pairs} of {family.module} {are}"
        f" fixed{by}"
    )


def if_fixed(step: FixStep) -> str:
    """Name the pairs that are fixed with a step."""
    return "if fixed" if step.count == 1 else f"if the first {step.count} are fixed"


def unmeasured_text(assessment: Assessment) -> str | None:
    """Say what the score could be, had all been measured; None if all was."""
    bounds = unmeasured_bounds(assessment)
    if bounds is None:
        return None
    were, if_they_were = (
        ("was", "it was") if bounds.count == 1 else ("were", "they were")
    )
    return (
        f"{pairs_text(bounds.count)} {were} not measured: TBSA"
        f" {tbsa_text(bounds.worst)} to {tbsa_text(bounds.best)} if {if_they_were}"
    )


def cost_text(cost: float) -> str:
    """Return what is taken from the score, with two decimals; "0" for nothing."""
    if cost == 0:
        return "0"
    return "<0.01" if cost < 0.005 else f"{cost:.2f}"


FILTERS = {
    "capital": capital,
    "cost": cost_text,
    "counts": counts_text,
    "edge": edge_text,
    "grades": grades_text,
    "unit": unit_text,
    "pairs": pairs_text,
    "percentage": percentage,
    "tbsa": tbsa_text,
    "mean": mean_text,
    "times": times_text,
    "z": z_text,
    "if_fixed": if_fixed,
}
"""How templates write numbers, by name."""
