# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report or a comparison as one self-contained page.

A little script of ours sorts and filters the pairs of a score; without it everything is
there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from garak_tbsa.comparison_in_words import cause_in_words, rates_text
from garak_tbsa.outputs.compared import ComparedScans, z_text
from garak_tbsa.outputs.drawings import (
    costs_drawing,
    grade_shares,
    repeats_drawing,
    strip_drawing,
)
from garak_tbsa.outputs.html_page import filled, scale_values, scan_facts
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.report.rows import GarakWording
from garak_tbsa.report.settings import canonical
from garak_tbsa.safe_text import shown
from garak_tbsa.statistics import compare
from garak_tbsa.statistics.compare import FELL, ROSE
from garak_tbsa.tbsa.evidence import HOSTILE
from garak_tbsa.tbsa.fixes import module_of
from garak_tbsa.tbsa.pairs import small_pairs
from garak_tbsa.tbsa.rules import BEST_GRADE, GRADES
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

FIXES_SHOWN = 12
PART_SHOWN = 200_000
MODULE_LENGTH = 200
COMMENT_LENGTH = 60
DIFFERENCES_SHOWN = 100
COLOURS = {compare.WORSE: "g1", compare.BOTH_WAYS: "g2", compare.BETTER: "g4"}


def render(scored: ScoredReport) -> str:
    """Return the page of one scored report."""
    assessment, ends = scored.assessment, scored.ends
    values = {
        "view": scored,
        "whole": scored.band,
        "scale": scale_values(
            scored.tbsa, ends, f"; {scored.range_text}" if ends else ""
        ),
        "facts": [
            *scan_facts(scored.report),
            ("Read from", scored.report.origin),
            ("Calibration", scored.calibration),
            ("Version/probe hash", assessment.version_probe_hash),
            ("Checksum", scored.checksum),
        ],
        "tiers": [
            (
                part,
                grade_shares(
                    [p.grade for p in assessment.graded if p.tier == part.tier]
                ),
            )
            for part in scored.tiers
        ],
        "parts": [
            (name, shown(canonical(value).decode("ascii"), PART_SHOWN))
            for name, value in sorted(assessment.checksum.parts.items())
        ],
        "small_pairs": small_pairs(assessment.graded),
        "chart": repeats_drawing({"this scan": scored}) if ends else None,
        "hostile": HOSTILE,
        **_pair_values(scored),
    }
    return filled(
        "score.html", values, styles=["score.css", "hits.css"], scripts=["pairs.js"]
    )


def _pair_values(scored: ScoredReport) -> dict[str, Any]:
    """All that is said of single pairs: fixes, costs, rows, hits."""
    assessment, explanation = scored.assessment, scored.explanation
    effects = {effect.pair.name: effect for effect in explanation.effects}
    said = _said_by_garak(assessment)
    rows: list[dict[str, Any]] = [
        {
            "place": place,
            "pair": pair,
            "cost": effects[pair.name].cost,
            "garak": said.get(pair.name),
            "strip": strip_drawing(pair),
        }
        for place, pair in enumerate((each.pair for each in scored.by_risk), start=1)
    ]
    places = {row["pair"].name: row["place"] for row in rows}
    hits = _hits(scored, places)
    fixes = explanation.together[:FIXES_SHOWN]
    return {
        "fixes": fixes,
        "fixes_more": sum(each.is_fix for each in scored.by_risk) - len(fixes),
        "effects": effects,
        "costs": costs_drawing(assessment.score, explanation.effects),
        "garak": _garak_values(assessment, said),
        "hits": hits,
        "with_hits": () if hits is None else {place for _, _, place in hits["pairs"]},
        "groups": _groups(rows),
        "places": places,
    }


def _groups(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The pairs by module of their probe, the module of the worst pair first."""
    modules: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        name = module_of(row["pair"].probe)[:MODULE_LENGTH]
        modules.setdefault(name, []).append(row)
    groups = []
    for name, own in modules.items():
        grades = [row["pair"].grade for row in own]
        counts = [(g, grades.count(g)) for g in GRADES if g in grades]
        groups.append(
            {
                "name": name,
                "pairs": len(own),
                "counts": counts,
                "cost": sum(row["cost"] for row in own),
                "below": [row for row in own if row["pair"].grade < BEST_GRADE],
                "best": [row for row in own if row["pair"].grade == BEST_GRADE],
            }
        )
    return groups


def _hits(scored: ScoredReport, places: Mapping[str, int]) -> dict[str, Any] | None:
    """The pairs whose hits are shown, None where nobody asked for any."""
    if scored.evidence == NOT_ASKED_FOR:
        return None
    with_hits = scored.hits_of(each.pair for each in scored.by_risk)
    pairs = [
        (found, pair, places[found.name])
        for found, pair in with_hits
        if found.hit_count
    ]
    # the first of those with hits that cannot be shown, where there is one
    evidence = scored.evidence
    problems = () if isinstance(evidence, Unavailable) else evidence.problems
    nobody_sees = (evidence, *(found.hits for found, _ in with_hits))
    reasons = [each.reason for each in nobody_sees if isinstance(each, Unavailable)]
    missing = None if pairs else next(iter(reasons), "no pair has a hit")
    return {"missing": missing, "problems": problems, "pairs": pairs}


def _said_by_garak(assessment: Scan) -> dict[str, str]:
    """Garak's words for each pair that its page grades otherwise, by name.

    They are those of the digest, from which garak makes its page.
    """
    ours = {pair.name: pair.grade for pair in assessment.graded}
    return {
        entry.pair_name: _garak_words(entry.wording)
        for entry in assessment.report.measurements
        if entry.wording is not None
        and entry.pair_name in ours
        and entry.wording.defcon != ours[entry.pair_name]
    }


def _garak_words(said: GarakWording) -> str:
    parts = ["no DEFCON" if said.defcon is None else f"DEFCON {said.defcon}"]
    comments = (("pass rate", said.pass_rate_comment), ("Z", said.z_comment))
    parts += [
        f"{kind} “{shown(comment, COMMENT_LENGTH)}”"
        for kind, comment in comments
        if comment is not None
    ]
    return ", ".join(parts)


def _garak_values(assessment: Scan, said: Mapping[str, str]) -> dict[str, Any] | None:
    """What the section on garak's own page shows, None where both agree."""
    if not said:
        return None
    grades = {pair.name: pair.grade for pair in assessment.graded}
    listed = sorted(said, key=lambda name: (grades[name], name))
    return {
        "of": len(grades),
        "count": len(said),
        "pairs": [(n, grades[n], said[n]) for n in listed[:DIFFERENCES_SHOWN]],
        "more": len(listed[DIFFERENCES_SHOWN:]),
    }


def render_comparison(compared: ComparedScans) -> str:
    """Return the page of two compared scans side by side."""
    tests, verdict = compared.comparison.tests, compared.verdict
    if tests is None or verdict == compare.UNTESTED:
        p_values = compared.headline.removeprefix(f"{compare.UNTESTED}: ")
    else:
        p_values = (
            f"p = {tests.p_worse:.3g} for worse, {tests.p_better:.3g} for better, each"
            f" held against {compared.alpha:g}"
        )
    noticed, fallen = compared.noticed, compared.fallen
    values = {
        "view": compared,
        "colour": COLOURS.get(verdict, ""),
        "p_values": p_values,
        "causes": [
            ("Worse" if cause.direction == FELL else "Better", cause_in_words(cause))
            for cause in compared.causes
        ],
        "sides": [
            (
                side,
                [
                    *scan_facts(side.report),
                    ("Pairs", str(side.assessment.contributing)),
                    ("Calibration", side.calibration),
                    ("Checksum", side.checksum),
                ],
            )
            for side in compared.sides
        ],
        "chart": repeats_drawing({side.label: side for side in compared.sides}),
        "rose": [pair for pair in noticed if pair not in fallen],
        "others": [pair for pair in compared.pairs_in_order if pair not in noticed],
        "hostile": HOSTILE,
        "outstanding": compared.outstanding(FELL, ROSE),
        "rates": rates_text,
        "height": lambda rate: round(6 + 32 * (1 - rate), 1),
        "z": z_text,
    }
    return filled("compare.html", values, styles=["compare.css", "hits.css"])
