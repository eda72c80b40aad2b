# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a scored report, from its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.outputs import evidence_wording
from garak_tbsa.outputs.html_page import (
    filled,
    scale_values,
    scan_facts,
)
from garak_tbsa.outputs.page.costs import costs_values
from garak_tbsa.outputs.page.garak_page import garak_values, said_by_garak
from garak_tbsa.outputs.page.pair_groups import group_values
from garak_tbsa.outputs.page.repeat_chart import repeat_chart
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.evidence import HOSTILE
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.unavailable import Unavailable

FIXES_SHOWN = 12
PART_SHOWN = 200_000


def render(scored: ScoredReport) -> str:
    """Return the page of one scored report."""
    return filled(
        "score.html",
        _values(scored),
        styles=["score.css"],
        scripts=["pairs.js"],
    )


def _values(scored: ScoredReport) -> dict[str, Any]:
    return {
        "view": scored,
        "whole": int(scored.tbsa),
        "scale": _scale(scored),
        "facts": _facts(scored),
        "tiers": [(part, _grade_shares(scored, part.tier)) for part in scored.tiers],
        "parts": [
            (name, shown(canonical(value).decode("ascii"), PART_SHOWN))
            for name, value in sorted(scored.assessment.checksum.parts.items())
        ],
        **_pair_values(scored),
        **repeat_chart(scored.repeat),
    }


def _pair_values(scored: ScoredReport) -> dict[str, Any]:
    """Return all that is said of single pairs: fixes, costs, rows, hits."""
    assessment, explanation = scored.assessment, scored.explanation
    if assessment.score is None or explanation is None:
        # only garak's own formula counts such a report's pairs
        return {
            "fixes": (),
            "costs": None,
            "garak": None,
            "hits": None,
            "with_hits": (),
            **group_values((), {}, {}),
        }
    effects = {effect.pair.name: effect for effect in explanation.effects}
    said = said_by_garak(assessment)
    costs = {name: effect.cost for name, effect in effects.items()}
    groups = group_values(scored.worst_first, costs, said)
    hits = _hits(scored, groups["places"])
    fixes = explanation.together[:FIXES_SHOWN]
    return {
        "fixes": fixes,
        "fixes_more": sum(cost > 0 for cost in costs.values()) - len(fixes),
        "effects": effects,
        "costs": costs_values(assessment.score, explanation.effects),
        "garak": garak_values(assessment, explanation, said),
        "hits": hits,
        "with_hits": () if hits is None else {place for _, _, place in hits["pairs"]},
        "words": evidence_wording,
        "hostile": HOSTILE,
        **groups,
    }


def _hits(scored: ScoredReport, places: Mapping[str, int]) -> dict[str, Any] | None:
    """Return the pairs whose hits are shown, None where nobody asked for any.

    Parameters
    ----------
    scored : ScoredReport
    places : mapping of str to int
        The number of each pair's row, by name; hits are shown of pairs with a row.
    """
    if scored.evidence == NOT_ASKED_FOR:
        return None
    if isinstance(scored.evidence, Unavailable):
        return {"missing": scored.evidence.reason, "pairs": ()}
    pairs = [
        (found, pair, places[found.name])
        for found, pair in scored.with_hits
        if found.hit_count and pair is not None and found.name in places
    ]
    reasons = [
        found.hits.reason
        for found, _ in scored.with_hits
        if isinstance(found.hits, Unavailable)
    ]
    missing = None if pairs else next(iter(reasons), "no pair has a hit")
    return {"missing": missing, "pairs": pairs}


def _scale(scored: ScoredReport) -> dict[str, Any]:
    """The score, and the range of a repeat, on a line from 1.0 to 5.0."""
    if isinstance(scored.repeat, Unavailable):
        return scale_values(scored.tbsa, None)
    ends = scored.repeat.prediction_interval
    return scale_values(scored.tbsa, ends, f"; {scored.range_text}")


def _facts(scored: ScoredReport) -> list[tuple[str, str]]:
    assessment = scored.assessment
    return [
        *scan_facts(scored.report),
        ("Read from", scored.report.origin),
        ("Calibration", scored.calibration),
        ("Formula", assessment.formula),
        ("Version/probe hash", assessment.version_probe_hash),
        ("Checksum", scored.checksum),
    ]


def _grade_shares(scored: ScoredReport, tier: int) -> list[dict[str, Any]]:
    """How many pairs of a tier are at each grade, as parts of a bar 100 wide."""
    grades = [pair.grade for pair in scored.assessment.graded if pair.tier == tier]
    parts, before = [], 0
    for grade in GRADES:
        count = grades.count(grade)
        if count:
            x = round(100 * before / len(grades), 2)
            width = round(100 * count / len(grades), 2)
            parts.append({"grade": grade, "count": count, "x": x, "width": width})
        before += count
    return parts
