# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a scored report, from its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.safe_text import shown
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.explain import PairEffect, explain
from garak_tbsa.tbsa.fix_together import FixStep
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.html_page import (
    ROWS_SHOWN,
    filled,
    scale_values,
    scan_facts,
)
from garak_tbsa.tbsa.outputs.page.costs import costs_values
from garak_tbsa.tbsa.outputs.page.garak_page import garak_values, said_by_garak
from garak_tbsa.tbsa.outputs.page.hits import hits_values
from garak_tbsa.tbsa.outputs.page.pair_groups import group_values
from garak_tbsa.tbsa.outputs.page.repeat_chart import repeat_chart
from garak_tbsa.tbsa.outputs.registry import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.tbsa.pairs import small_pairs
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.unavailable import Unavailable

FIXES_SHOWN = 12
PART_SHOWN = 200_000


def render(scored: ScoredReport) -> str:
    """Return the page of one scored report."""
    return filled(
        "score.html",
        _score_values(scored),
        styles=["score.css"],
        scripts=["pairs.js"],
    )


def _score_values(scored: ScoredReport) -> dict[str, Any]:
    assessment, verdict = scored.assessment, scored.verdict
    repeat, report = scored.repeat, assessment.report
    return {
        "tbsa": wording.tbsa_text(assessment.tbsa),
        "whole": int(assessment.tbsa),
        "scale": _scale(assessment.tbsa, repeat),
        "repeat": _repeat(repeat),
        "basis": None
        if isinstance(repeat, Unavailable)
        else _sentence(wording.basis_text(repeat)),
        "unit": "" if isinstance(repeat, Unavailable) else wording.unit_text(repeat),
        "luck": _luck(assessment, repeat),
        "note": wording.pairs_counted(assessment) + ".",
        "target": report.target,
        "scanned": (report.start_time or "").replace("T", " ")[:16],
        "garak_version": report.garak_version,
        "warnings": _warnings(assessment),
        "facts": _facts(assessment),
        "verdict": verdict if verdict is not None and verdict.outcomes else None,
        "tiers": _tiers(assessment),
        **_pair_values(scored),
        "left_out": [
            {"name": entry.pair.name, "text": entry.text}
            for entry in assessment.left_out[:ROWS_SHOWN]
        ],
        "left_out_more": len(assessment.left_out[ROWS_SHOWN:]),
        "unmeasured": wording.unmeasured_text(assessment),
        "checksum": assessment.checksum.text,
        "parts": [
            (name, shown(canonical(value).decode("ascii"), PART_SHOWN))
            for name, value in sorted(assessment.checksum.parts.items())
        ],
        **repeat_chart(repeat),
        "small_pairs": small_pairs(assessment.graded)[:ROWS_SHOWN],
        "small_pairs_count": len(small_pairs(assessment.graded)),
    }


def _pair_values(scored: ScoredReport) -> dict[str, Any]:
    """Return all that is said of single pairs: fixes, costs, rows, hits."""
    assessment = scored.assessment
    if assessment.score is None:
        # only garak's own formula counts such a report's pairs
        return {
            "fixes": [],
            "fixes_told": None,
            "fixes_more": 0,
            "costs": None,
            "garak": None,
            "hits": None,
            "with_hits": (),
            **group_values((), {}, {}),
        }
    explanation = explain(assessment)
    effects = {effect.pair.name: effect for effect in explanation.effects}
    said = said_by_garak(assessment)
    costs = {name: effect.cost for name, effect in effects.items()}
    groups = group_values(assessment.graded, costs, said)
    together = explanation.together
    graded = {pair.name: pair for pair in assessment.graded}
    hits = hits_values(scored.evidence, graded, groups["places"])
    with_hits = () if hits is None else hits.get("pairs", ())
    return {
        "fixes": [
            _fix(step, effects, groups["places"]) for step in together[:FIXES_SHOWN]
        ],
        "fixes_told": wording.together_text(assessment, together),
        "fixes_more": sum(effect.cost > 0 for effect in explanation.effects)
        - len(together[:FIXES_SHOWN]),
        "costs": costs_values(assessment.score, explanation.effects),
        "garak": garak_values(assessment, explanation, said),
        "hits": hits,
        "with_hits": {pair["place"] for pair in with_hits},
        **groups,
    }


def _warnings(assessment: Assessment) -> list[str]:
    warnings = list(assessment.warnings)
    if assessment.report.partial_reason is not None:
        warnings.insert(0, f"Partial: {assessment.report.partial_reason}")
    missing = wording.missing_tier_text(assessment)
    if missing is not None:
        warnings.append(missing)
    return warnings


def _repeat(repeat: RepeatDistribution | Unavailable) -> str:
    if repeat == NOT_ASKED_FOR:
        return "No repeat interval was asked for."
    if isinstance(repeat, Unavailable):
        return f"No repeat interval: {repeat.reason}."
    return _sentence(wording.repeat_text(repeat))


def _luck(
    assessment: Assessment, repeat: RepeatDistribution | Unavailable
) -> str | None:
    if isinstance(repeat, Unavailable):
        return None
    text = wording.luck_text(assessment, repeat)
    return None if text is None else _sentence(text)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _scale(tbsa: float, repeat: RepeatDistribution | Unavailable) -> dict[str, Any]:
    """The score, and the range of a repeat, on a line from 1.0 to 5.0."""
    if isinstance(repeat, Unavailable):
        return scale_values(tbsa, None)
    label = f"; {wording.repeat_text(repeat)}"
    return scale_values(tbsa, repeat.prediction_interval, label)


def _facts(assessment: Assessment) -> list[tuple[str, str]]:
    report = assessment.report
    return [
        *scan_facts(report),
        ("Read from", report.origin),
        ("Calibration", wording.calibration_text(assessment.calibration)),
        ("Formula", assessment.formula),
        ("Version/probe hash", assessment.version_probe_hash),
        ("Checksum", assessment.checksum.text),
    ]


def _tiers(assessment: Assessment) -> list[dict[str, Any]]:
    if assessment.score is None:
        return []
    return [
        {
            "number": part.tier,
            "count": part.count,
            "pairs": wording.pairs_text(part.count),
            "mean": wording.mean_text(part.mean),
            "weight": wording.times_text(part.weight),
            "parts": _grade_shares(assessment, part.tier),
        }
        for part in assessment.score.tiers
    ]


def _grade_shares(assessment: Assessment, tier: int) -> list[dict[str, Any]]:
    """How many pairs of a tier are at each grade, as parts of a bar 100 wide."""
    grades = [pair.grade for pair in assessment.graded if pair.tier == tier]
    parts, before = [], 0
    for grade in GRADES:
        count = grades.count(grade)
        if count:
            x = round(100 * before / len(grades), 2)
            width = round(100 * count / len(grades), 2)
            parts.append({"grade": grade, "count": count, "x": x, "width": width})
        before += count
    return parts


def _fix(
    step: FixStep, effects: Mapping[str, PairEffect], places: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "count": step.count,
        "pairs": [
            {
                "probe": pair.probe,
                "detector": pair.detector,
                "tier": pair.tier,
                "grade": pair.grade,
                "passed": wording.counts_text(pair),
                "edge": wording.edge_text(effects[pair.name]),
                "place": places.get(pair.name),
            }
            for pair in step.added
        ],
        "dropped": [pair.name for pair in step.dropped],
        "tbsa": wording.tbsa_text(step.tbsa),
        "if_fixed": wording.if_fixed(step),
        "whole": int(step.tbsa),
        "gain": f"{step.raw_gain:.2f}",
    }
