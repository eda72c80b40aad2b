# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as one self-contained page without scripts.

Every string from the report passes through Jinja's autoescaping, with control
characters made visible first. The Content-Security-Policy allows the one style
sheet, by its hash, and nothing else; the page to label on has a script of its own.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from garak_tbsa import __version__
from garak_tbsa.lean.plain_json import canonical
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.tbsa.interval import small_pairs
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.long_text import joined
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
PAIRS_SHOWN = 2000
"""More than the largest scan of today has; a page of 100,000 takes 565 MB to make."""

PART_SHOWN = 200_000
BAR_STEP = 44
BAR_HEIGHT = 96
LEAST_SHARE = 0.001
SCALE_START, SCALE_STEP, DOT = 12, 74, 8


def render(scored: ScoredReport) -> str:
    """Return the page of one scored report."""
    return filled("score.html", _score_values(scored))


def filled(template: str, values: dict[str, Any], own: str | None = None) -> str:
    """Fill a template of this package; see the module for what is escaped.

    Parameters
    ----------
    template : str
    values : dict
    own : str, optional
        Name of a style sheet, which follows the one of all pages, and of a script,
        where the page has these; the policy of the template is to allow both.
    """
    style, script = _read("base.css"), ""
    if own is not None:
        style, script = style + _read(f"{own}.css"), _read(f"{own}.js")
    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        finalize=_harmless,
    )
    pieces = environment.get_template(template).generate(
        style=Markup(style),  # noqa: S704 - our own file, not a report's text
        style_hash=_source_hash(style),
        script=Markup(script),  # noqa: S704 - our own file too
        script_hash=_source_hash(script),
        version=__version__,
        disclaimer=wording.DISCLAIMER,
        **values,
    )
    return joined(pieces)


def _source_hash(source: str) -> str:
    """Return what a Content-Security-Policy knows a style sheet or a script by."""
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"sha256-{digest}"


def _read(name: str) -> str:
    folder = files("garak_tbsa.tbsa.outputs") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _harmless(value: object) -> object:
    """Make control characters visible; markup is escaped by Jinja after this."""
    return printable(value) if type(value) is str else value


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
            )[:PAIRS_SHOWN]
        ],
        "pairs_more": len(assessment.graded[PAIRS_SHOWN:]),
        "left_out": [
            {"name": entry.pair.name, "text": entry.text}
            for entry in assessment.left_out[:PAIRS_SHOWN]
        ],
        "left_out_more": len(assessment.left_out[PAIRS_SHOWN:]),
        "unmeasured": wording.unmeasured_text(assessment),
        "checksum": assessment.checksum.text,
        "parts": [
            (name, shown(canonical(value).decode("ascii"), PART_SHOWN))
            for name, value in sorted(assessment.checksum.parts.items())
        ],
        **_probability_chart(repeat),
        "small_pairs": small_pairs(assessment.graded)[:PAIRS_SHOWN],
        "small_pairs_count": len(small_pairs(assessment.graded)),
    }


def _repeat(repeat: RepeatDistribution | Unavailable) -> str:
    if repeat == NOT_ASKED_FOR:
        return "No repeat interval was asked for."
    if isinstance(repeat, Unavailable):
        return f"No repeat interval: {repeat.reason}."
    assumed = "" if repeat.assumed.repeat is None else repeat.assumed.text
    sentences = (wording.repeat_text(repeat), assumed)
    return " ".join(_sentence(each) for each in sentences if each)


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


def scale_values(
    tbsa: float, ends: tuple[float, float] | None, more: str = ""
) -> dict[str, Any]:
    """Return what ``scale.html`` draws: a score and a range from 1.0 to 5.0.

    Parameters
    ----------
    tbsa : float
    ends : tuple of float or None
        Of the range; None draws none.
    more : str
        What is said of them to those who see no picture, after the score.
    """
    scale: dict[str, Any] = {
        "at": on_scale(tbsa),
        "low": 0.0,
        "width": 0.0,
        "ticks": [{"grade": grade, "x": on_scale(grade)} for grade in GRADES],
        "label": f"TBSA {wording.tbsa_text(tbsa)} on a scale from 1.0 to 5.0{more}",
    }
    if ends is not None:
        low, high = map(on_scale, ends)
        scale["low"] = round(low - DOT, 1)
        scale["width"] = round(high - low + 2 * DOT, 1)
    return scale


def on_scale(tbsa: float) -> float:
    """Return where a score is on the line of :func:`scale_values`."""
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
