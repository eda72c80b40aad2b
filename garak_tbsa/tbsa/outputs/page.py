# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as one self-contained page without scripts."""

from __future__ import annotations

from garak_tbsa.lean.plain_json import canonical
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.tbsa.interval import small_pairs
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.html_page import ROWS_SHOWN, filled, scale_values
from garak_tbsa.tbsa.outputs.registry import NOT_ASKED_FOR
from garak_tbsa.tbsa.rules import GRADE_RULES, GRADES
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.explain import PairEffect
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.interval import RepeatDistribution
    from garak_tbsa.tbsa.outputs.registry import ScoredReport

FIXES_SHOWN = 12
PART_SHOWN = 200_000
BAR_STEP = 44
BAR_HEIGHT = 96
LEAST_SHARE = 0.001


def render(scored: ScoredReport) -> str:
    """Return the page of one scored report."""
    return filled("score.html", _score_values(scored))


def _score_values(scored: ScoredReport) -> dict[str, Any]:
    assessment, verdict = scored.assessment, scored.verdict
    repeat, report = scored.repeat, assessment.report
    effects = explain(assessment).effects if assessment.score is not None else ()
    wanting = [effect for effect in effects if effect.raw_gain > 0]
    warnings = list(assessment.warnings)
    if report.partial_reason is not None:
        warnings.insert(0, f"Partial: {report.partial_reason}")
    missing = wording.missing_tier_text(assessment)
    if missing is not None:
        warnings.append(missing)
    return {
        "tbsa": wording.tbsa_text(assessment.tbsa),
        "whole": int(assessment.tbsa),
        "scale": _scale(assessment.tbsa, repeat),
        "repeat": _repeat(repeat),
        "luck": _luck(assessment, repeat),
        "note": wording.pairs_counted(assessment) + ".",
        "target": report.target,
        "warnings": warnings,
        "facts": _facts(assessment),
        "verdict": verdict if verdict is not None and verdict.outcomes else None,
        "tiers": _tiers(assessment),
        "fixes": [_fix(effect) for effect in wanting[:FIXES_SHOWN]],
        "fixes_more": len(wanting[FIXES_SHOWN:]),
        "pairs": [
            _pair(pair)
            for pair in sorted(
                assessment.graded, key=lambda pair: (pair.grade, pair.tier, pair.name)
            )[:ROWS_SHOWN]
        ],
        "pairs_more": len(assessment.graded[ROWS_SHOWN:]),
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
        **_probability_chart(repeat),
        "small_pairs": small_pairs(assessment.graded)[:ROWS_SHOWN],
        "small_pairs_count": len(small_pairs(assessment.graded)),
    }


def _repeat(repeat: RepeatDistribution | Unavailable) -> str:
    if repeat == NOT_ASKED_FOR:
        return "No repeat interval was asked for."
    if isinstance(repeat, Unavailable):
        return f"No repeat interval: {repeat.reason}."
    sentences = (wording.repeat_text(repeat), wording.basis_text(repeat))
    return " ".join(map(_sentence, sentences))


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
        ("Report", report.source),
        ("Target", report.target),
        ("garak version", report.garak_version or "unknown"),
        ("Start", report.start_time or "unknown"),
        ("Run", report.run_uuid or "unknown"),
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


def _fix(effect: PairEffect) -> dict[str, Any]:
    return {
        "probe": effect.pair.probe,
        "detector": effect.pair.detector,
        "tier": effect.pair.tier,
        "grade": effect.pair.grade,
        "passed": wording.counts_text(effect.pair),
        "tbsa_if_best": wording.tbsa_text(effect.tbsa_if_best),
        "gain": f"{effect.raw_gain:.3f}",
        "edge": wording.edge_text(effect),
    }


def _pair(pair: GradedPair) -> dict[str, Any]:
    return {
        "probe": pair.probe,
        "detector": pair.detector,
        "tier": pair.tier,
        "grade": pair.grade,
        "passed": wording.counts_text(pair),
        "rate": wording.percentage(pair.pass_rate),
        "z": wording.z_text(pair),
        "grades": [
            (rule.title, wording.grade_text(pair.grades_by_rule[rule.name]))
            for rule in GRADE_RULES
        ],
    }


def _probability_chart(
    repeat: RepeatDistribution | Unavailable,
) -> dict[str, Any]:
    if isinstance(repeat, Unavailable):
        return {"bars": [], "chart_width": 0, "chart_label": ""}
    low, high = repeat.prediction_interval
    shares = {round(10 * tbsa): share for tbsa, share in repeat.probabilities}
    likely = [tenths for tenths, share in shares.items() if share >= LEAST_SHARE]
    largest = max(shares.values())
    bars = []
    # every tenth has its place, so that a gap shows as one
    for index, tenths in enumerate(range(min(likely), max(likely) + 1)):
        tbsa, share = tenths / 10, shares.get(tenths, 0.0)
        height = round(BAR_HEIGHT * share / largest)
        bars.append(
            {
                "x": index * BAR_STEP + 7,
                "y": 120 - height,
                "height": height,
                "tbsa": wording.tbsa_text(tbsa),
                "share": wording.whole_percentage(share),
                "inside": low <= tbsa <= high,
            }
        )
    described = ", ".join(f"{bar['tbsa']}: {bar['share']}" for bar in bars)
    return {
        "bars": bars,
        "chart_width": len(bars) * BAR_STEP,
        "chart_label": f"Probability of each score of a repeat: {described}",
    }
