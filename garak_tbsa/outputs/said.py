# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences and number forms that outputs share, each once.

Nothing here is escaped: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from garak_tbsa.comparison_in_words import detectable_in_words
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.report.calibration import CalibrationIdentity
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.statistics.among_repeats import (
    LUCKY,
    UnusualScore,
    pairs_of_lower_end,
    part_of_all,
)
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.statistics.repeat_prompts import ON_PROMPTS
from garak_tbsa.tbsa.fixes import FixStep, PairEffect, ScoreExplanation
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.pairs import pairs_text as pairs_text
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.tbsa.score import TierSum
from garak_tbsa.unavailable import Unavailable

DISCLAIMER = "TBSA sums a scan up; it does not replace reading the report."

DOCUMENTATION = "https://garak-tbsa.readthedocs.io/en/stable"

COLOUR_SQUARES = "🟥🟧🟨🟩🟦"
"""garak's own scale (``garak.resources.theme``), worst first."""

FEW_PAIRS = 8
"""Fewer say too little of what pass rates the pairs have in common."""

LOWER_END_SHOWN = 3
LEFT_OUT_NAMED = 5
"""Pairs that the first lines name; other forms have all of them further down."""

RATERS_NAMED = 3
LONGEST_NAME = 60

Ends = tuple[float, float]
"""Of the range of a score."""


def documentation(page: str, anchor: str = "") -> str:
    """Return the address of a page of ours, as ``index``, or of a heading there."""
    return f"{DOCUMENTATION}/{page}.html" + f"#{anchor}" * bool(anchor)


def colour_band(tbsa: float, ends: Ends | None = None) -> int:
    """Return the grade whose colour a score has.

    Parameters
    ----------
    tbsa : float
    ends : tuple of float or None
        Of its range, whose lower end gives the colour where it spans grades.
    """
    low, high = map(int, ends or (tbsa, tbsa))
    return int(tbsa) if low == high else low


def colour_square(tbsa: float, ends: Ends | None = None) -> str:
    """Return garak's square for a score, as :func:`colour_band` has it."""
    return COLOUR_SQUARES[colour_band(tbsa, ends) - 1]


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


def z_text(pair: Pair) -> str:
    """Return a Z-score with sign, or why there is none."""
    return "uncalibrated" if pair.z_score is None else f"{pair.z_score:+.2f}"


def grade_text(grade: int | None) -> str:
    """Return a grade, ``-`` where there is none."""
    return "-" if grade is None else str(grade)


def grades_text(pair: Pair) -> str:
    """Return each rule's grade: ``pass rate 3, Z -``."""
    return ", ".join(
        f"{rule.title} {grade_text(grade)}"
        for rule, grade in zip(GRADE_RULES, pair.grades, strict=True)
    )


def counts_text(pair: Pair) -> str:
    """Return passed and evaluated outputs, as ``35/51``."""
    if not pair.has_counts:
        return "no counts"
    return f"{pair.passed}/{pair.total_evaluated}"


def outputs_text(pair: Pair) -> str:
    """Return how many outputs were evaluated: ``4 outputs``."""
    count = pair.total_evaluated
    if count is None:
        return "no counts"
    return "1 output" if count == 1 else f"{count:,} outputs"


def calibration_text(scan: Scan) -> str:
    """Say which calibration was used, its date, and how many pairs it covers."""
    use = scan.calibration
    covers = f"covers {scan.calibrated} of {scan.contributing} pairs"
    if use.identity is None:
        return f"{use.source}, {covers}"
    if use.identity == CalibrationIdentity():
        # a digest names none where it covers no pair, and old ones never do
        return f"{'not recorded' if scan.calibrated else 'none was used'}, {covers}"
    date = (use.identity.date or "no date")[:10]
    return f"{use.source}, of {date}, {covers}"


def labels_text(count: int, raters: Sequence[str], files: Sequence[str]) -> str:
    """Return whose labels they are: ``60 labels of anna in scan.labels.jsonl``.

    Of a path the name alone is told, as pages go to others.
    """
    number = "1 label" if count == 1 else f"{count:,} labels"
    who = f"{len(raters)} raters"
    if len(raters) <= RATERS_NAMED:
        who = " and ".join(readable(shown(each, LONGEST_NAME)) for each in raters)
    where = " and ".join(readable(os.path.basename(path)) for path in files)
    return f"{number} of {who} in {where}"


def capital(text: str) -> str:
    """Return a text with a capital letter first, and all others as they are."""
    return text[:1].upper() + text[1:]


def times_text(weight: int) -> str:
    """Say how often a tier counts."""
    return {1: "once", 2: "twice"}.get(weight, f"{weight} times")


def edge_text(effect: PairEffect) -> str:
    """Say how many outputs lie between a pair and the next grades, if known."""
    rise, drop = effect.passes_to_rise, effect.hits_to_drop
    parts = []
    if rise is not None:
        parts.append(f"{rise} more {'pass raises' if rise == 1 else 'passes raise'} it")
    if drop is not None:
        parts.append(f"{drop} more {'hit lowers' if drop == 1 else 'hits lower'} it")
    return ", ".join(parts)


def if_fixed(step: FixStep) -> str:
    """Name the pairs that are fixed with a step."""
    return "if fixed" if step.count == 1 else f"if the first {step.count} are fixed"


def cost_text(cost: float) -> str:
    """Return what is taken from the score, with two decimals; "0" for nothing."""
    if cost == 0:
        return "0"
    return "<0.01" if cost < 0.005 else f"{cost:.2f}"


# what is said of a score


def range_text(repeat: RepeatDistribution | Unavailable) -> str:
    """Say what a repeat would score, or why that is not known."""
    if isinstance(repeat, Unavailable):
        return f"no repeat interval: {repeat.reason}"
    low, high = map(tbsa_text, repeat.prediction_interval)
    on = repeat.basis.on_prompts
    return f"a repeat of this scan{on} would score {low} to {high} (95 %)"


def basis_text(repeat: RepeatDistribution) -> str:
    """Say what a range rests on."""
    basis = repeat.basis
    because = basis.missing_because
    if basis.is_by_counts_alone:
        reason = f" ({because})" if because else ""
        said = (
            f"from pass counts alone{reason}: how alike outputs of one prompt are"
            " is not known, and the range allows for it"
        )
    elif basis.has_several_outputs:
        said = "the range allows for outputs of one prompt being alike"
        said += f"; {because}" if because else ""
    else:
        said = (
            "one output of each prompt: how alike outputs of a prompt are is not known"
        )
    if basis.pairs < FEW_PAIRS:
        said += f"; the range rests on few pairs ({basis.pairs})"
    return said


def lower_end_text(scan: Scan, repeat: RepeatDistribution) -> str | None:
    """Name the pairs on which the lower end rests, where the range spans grades."""
    low, high = map(int, repeat.prediction_interval)
    found = pairs_of_lower_end(scan.graded, scan.score, repeat) if low < high else []
    names = [f"{each.name} ({outputs_text(each)})" for each in found[:LOWER_END_SHOWN]]
    return f"the lower end rests on {', '.join(names)}" if names else None


def luck_text(tbsa: float, found: UnusualScore) -> str:
    """Say that a scan was lucky or unlucky."""
    score = tbsa_text(tbsa)
    way = "lower" if found.kind == LUCKY else "higher"
    outside = f", and {score} is outside that range" if found.outside else ""
    return (
        f"this scan was {found.kind}: by the model, {part_of_all(found.share)} of"
        f" repeats would score {way} than {score}{outside}"
    )


def can_find_text(repeat: RepeatDistribution, found: Detectable | Unavailable) -> str:
    """Say what a comparison with a repeat could find."""
    on = ON_PROMPTS[repeat.basis.repeat]
    what = detectable_in_words(found, "")
    return f"in a comparison with a repeat{on} at level {DEFAULT_ALPHA:g}, {what}"


def tiers_text(tiers: tuple[TierSum, ...]) -> str:
    """Say what each tier has."""
    return "; ".join(
        f"Tier {part.tier}: {pairs_text(part.count)}, mean {mean_text(part.mean)}"
        for part in tiers
    )


def counted_text(scan: Scan) -> str:
    """Say how many pairs count, are uncalibrated, and are left out.

    Reasons are counted where there are more than are named beside this.
    """
    bare = sum(pair.z_score is None for pair in scan.graded)
    entries = scan.left_out_lines
    reasons = sorted(Counter(text for _, text in entries).items())
    why = "; ".join(f"{text}: {count}" for text, count in reasons)
    because = f" ({why})" if len(entries) > LEFT_OUT_NAMED else ""
    out = f"{len(entries)} left out{because}" if entries else "none left out"
    counted = pairs_text(scan.contributing)
    return f"{counted} counted, {bare or 'none'} of them uncalibrated; {out}"


def unmeasured_text(scan: Scan) -> str | None:
    """Say what the score could be, had all been measured; None if all was."""
    bounds = scan.unmeasured
    if bounds is None:
        return None
    were, if_so = ("were", "they were") if bounds.count > 1 else ("was", "it was")
    return (
        f"{pairs_text(bounds.count)} {were} not measured: TBSA"
        f" {tbsa_text(bounds.worst)} to {tbsa_text(bounds.best)} if {if_so}"
    )


def doubts_of(scan: Scan) -> list[str]:
    """Return all that makes a score doubtful, what weighs most first."""
    partial, missing = scan.report.partial_reason, scan.score.missing_tier
    found = [] if partial is None else [f"Partial: {partial}"]
    if missing is not None:
        found.append(
            f"no Tier {missing} pair was measured, so the score is that of Tier"
            f" {3 - missing} alone"
        )
    return [*found, *scan.warnings]


def look_first_text(found: ScoreExplanation) -> str | None:
    """Say which pair to look at first; None if none is to be fixed."""
    if not found.fixes:
        return None
    first = found.fixes[0]
    pair, doubt = first.pair, f" ({first.doubt})" if first.doubt else ""
    return (
        f"look first at {pair.probe} + {pair.detector}: Tier {pair.tier}, grade"
        f" {pair.grade}{doubt}; {tbsa_text(first.tbsa_if_best)} if fixed"
    )


def fixes_text(found: ScoreExplanation, tbsa: float) -> str | None:
    """Say what fixing a module's pairs brings, None where there is nothing to fix.

    Of the first pairs in the order of fixing where no module moves the score.
    """
    family, today = found.family, tbsa_text(tbsa)
    if family is None:
        return None
    pairs = {1: "the one pair", 2: "both pairs"}.get(
        family.count, f"all {family.count} pairs"
    )
    are = "below grade 4 is" if family.count == 1 else "below grade 4 are"
    what, then = f"{pairs} of {family.module} {are}", tbsa_text(family.tbsa)
    moving = (
        each.step
        for each in found.fixes
        if each.step is not None and tbsa_text(each.step.tbsa) != today
    )
    if then == today and (step := next(moving, None)) is not None:
        what, then = f"the first {step.count} pairs are", tbsa_text(step.tbsa)
    return f"TBSA {today} to {then} if {what} fixed"


FILTERS = {
    "capital": capital,
    "cost": cost_text,
    "counts": counts_text,
    "edge": edge_text,
    "grades": grades_text,
    "pairs": pairs_text,
    "percentage": percentage,
    "tbsa": tbsa_text,
    "mean": mean_text,
    "times": times_text,
    "z": z_text,
    "if_fixed": if_fixed,
}
"""How templates write numbers, by name."""
