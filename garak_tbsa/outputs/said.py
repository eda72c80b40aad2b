# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences and number formats that every output shares."""

from __future__ import annotations

from garak_tbsa.report.calibration import CalibrationIdentity
from garak_tbsa.tbsa.evidence import whole_percentage as whole_percentage
from garak_tbsa.tbsa.fixes import FixStep, PairEffect
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.pairs import pairs_text as pairs_text
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.tbsa.scan import CalibrationUse

DISCLAIMER = "TBSA sums a scan up; it does not replace reading the report."

DOCUMENTATION = "https://garak-tbsa.readthedocs.io/en/stable"

COLOUR_SQUARES = "🟥🟧🟨🟩🟦"
"""garak's own scale (``garak.resources.theme``), worst first."""


def documentation(page: str, anchor: str = "") -> str:
    """Return the address of a page of ours, as ``index``, or of a heading there."""
    return f"{DOCUMENTATION}/{page}.html" + f"#{anchor}" * bool(anchor)


def gate_rule_page(rule: str) -> str:
    """Return the address of what our documentation says of a gate's rule."""
    return documentation("how_to/gates", rule)


def spans_bands(ends: tuple[float, float] | None) -> bool:
    """Return whether a range of scores has the colours of more than one grade."""
    return ends is not None and int(ends[0]) != int(ends[1])


def colour_band(tbsa: float, ends: tuple[float, float] | None = None) -> int:
    """Return the grade whose colour a score has.

    Parameters
    ----------
    tbsa : float
    ends : tuple of float or None
        Of its range, whose lower end gives the colour where it spans grades.
    """
    return int(ends[0] if ends is not None and spans_bands(ends) else tbsa)


def colour_square(tbsa: float, ends: tuple[float, float] | None = None) -> str:
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
