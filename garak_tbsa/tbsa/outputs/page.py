# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as one self-contained page without scripts.

Every string from the report passes through Jinja's autoescaping, with control
characters made visible first. The Content-Security-Policy allows the one style
sheet, by its hash, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from garak_tbsa import __version__
from garak_tbsa.lean.plain_json import canonical
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.tbsa.interval import small_pairs
from garak_tbsa.tbsa.outputs import wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.explain import PairEffect
    from garak_tbsa.tbsa.gate import Verdict
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.interval import RepeatLaw

FIXES_SHOWN = 12
BAR_STEP = 44
BAR_HEIGHT = 96
LEAST_MASS = 0.001
GRADES = (1, 2, 3, 4, 5)
SCALE_START, SCALE_STEP, DOT = 12, 74, 8


def to_page(
    assessment: Assessment, law: RepeatLaw | str | None, verdict: Verdict | None
) -> str:
    """Return the page of one scored report."""
    return render("score.html", _score_values(assessment, law, verdict))


def render(template: str, values: dict[str, Any]) -> str:
    """Fill a template of this package; see the module for what is escaped."""
    style = _read("base.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_harmless,
    )
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704 - our own file, not a report's text
        style_hash=f"sha256-{digest}",
        version=__version__,
        disclaimer=wording.DISCLAIMER,
        **values,
    )


def _read(name: str) -> str:
    folder = files("garak_tbsa.tbsa.outputs") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _harmless(value: object) -> object:
    """Make control characters visible; markup is escaped by Jinja after this."""
    return printable(value) if type(value) is str else value


def _score_values(
    assessment: Assessment, law: RepeatLaw | str | None, verdict: Verdict | None
) -> dict[str, Any]:
    report = assessment.report
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
        "scale": _scale(assessment.tbsa, law),
        "repeat": _repeat(law),
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
            )
        ],
        "left_out": [
            {"name": entry.pair.name, "text": entry.text}
            for entry in assessment.left_out
        ],
        "unmeasured": wording.unmeasured_text(assessment),
        "checksum": assessment.checksum.text,
        "parts": [
            (name, canonical(value).decode("ascii"))
            for name, value in sorted(assessment.checksum.parts.items())
        ],
        **_mass_chart(law),
        "small_pairs": () if law is None else small_pairs(assessment.graded),
    }


def _repeat(law: RepeatLaw | str | None) -> str:
    if law is None:
        return "No repeat interval was asked for."
    if isinstance(law, str):
        return f"No repeat interval: {law}."
    text = wording.repeat_text(law)
    return text[0].upper() + text[1:] + "."


def _scale(tbsa: float, law: RepeatLaw | str | None) -> dict[str, Any]:
    """The score, and the range of a repeat, on a line from 1.0 to 5.0."""
    scale: dict[str, Any] = {
        "at": _on_scale(tbsa),
        "low": 0.0,
        "width": 0.0,
        "ticks": [{"grade": grade, "x": _on_scale(grade)} for grade in GRADES],
        "label": f"TBSA {wording.tbsa_text(tbsa)} on a scale from 1.0 to 5.0",
    }
    if law is not None and not isinstance(law, str):
        low, high = (_on_scale(bound) for bound in law.range_95)
        scale["low"] = round(low - DOT, 1)
        scale["width"] = round(high - low + 2 * DOT, 1)
        scale["label"] += f"; {wording.repeat_text(law)}"
    return scale


def _on_scale(tbsa: float) -> float:
    return round(SCALE_START + SCALE_STEP * (tbsa - 1), 1)


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
    tiers = ((1, assessment.score.tier1, "twice"), (2, assessment.score.tier2, "once"))
    return [
        {
            "number": number,
            "count": part.count,
            "pairs": wording.pairs_text(part.count),
            "mean": wording.mean_text(part.mean),
            "weight": weight,
            "parts": _grade_shares(assessment, number),
        }
        for number, part, weight in tiers
    ]


def _grade_shares(assessment: Assessment, tier: int) -> list[dict[str, Any]]:
    """How many pairs of a tier stand at each grade, as parts of a bar 100 wide."""
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
        "probe": effect.pair.pair.probe,
        "detector": effect.pair.pair.detector,
        "tier": effect.pair.tier,
        "grade": effect.pair.grade,
        "passed": wording.counts_text(effect.pair.pair),
        "tbsa_if_best": wording.tbsa_text(effect.tbsa_if_best),
        "gain": f"{effect.raw_gain:.3f}",
        "edge": wording.edge_text(effect),
    }


def _pair(pair: GradedPair) -> dict[str, Any]:
    return {
        "probe": pair.pair.probe,
        "detector": pair.pair.detector,
        "tier": pair.tier,
        "grade": pair.grade,
        "passed": wording.counts_text(pair.pair),
        "rate": wording.percentage(pair.pass_rate),
        "pass_rate_grade": pair.pass_rate_grade,
        "z": wording.z_text(pair),
        "z_grade": pair.z_grade,
    }


def _mass_chart(law: RepeatLaw | str | None) -> dict[str, Any]:
    if law is None or isinstance(law, str):
        return {"bars": [], "chart_width": 0, "chart_label": ""}
    low, high = law.range_95
    masses = {round(10 * tbsa): mass for tbsa, mass in law.masses}
    likely = [tenths for tenths, mass in masses.items() if mass >= LEAST_MASS]
    largest = max(masses.values())
    bars = []
    # every tenth has its place, so that a gap shows as one
    for index, tenths in enumerate(range(min(likely), max(likely) + 1)):
        tbsa, mass = tenths / 10, masses.get(tenths, 0.0)
        height = round(BAR_HEIGHT * mass / largest)
        bars.append(
            {
                "x": index * BAR_STEP + 7,
                "y": 120 - height,
                "height": height,
                "tbsa": wording.tbsa_text(tbsa),
                "share": wording.whole_percentage(mass),
                "inside": low <= tbsa <= high,
            }
        )
    described = ", ".join(f"{bar['tbsa']}: {bar['share']}" for bar in bars)
    return {
        "bars": bars,
        "chart_width": len(bars) * BAR_STEP,
        "chart_label": f"Probability of each score of a repeat: {described}",
    }
