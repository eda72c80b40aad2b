# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans side by side as one self-contained page, without a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garak_tbsa.statistics.because import FELL, ComparedPair
from garak_tbsa.statistics.compare import BETTER, BOTH_WAYS, UNTESTED, WORSE
from garak_tbsa.tbsa.comparison_in_words import (
    assumption_in_words,
    cause_in_words,
    rates_text,
)
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.comparison import sentences
from garak_tbsa.tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    ScoredSide,
)
from garak_tbsa.tbsa.outputs.comparison.distributions import chart_values
from garak_tbsa.tbsa.outputs.html_page import ROWS_SHOWN, filled

COLOURS = {WORSE: "g1", BOTH_WAYS: "g2", BETTER: "g4"}
SLOPE_LEFT, SLOPE_RIGHT, SLOPE_TOP, SLOPE_HEIGHT = 8, 104, 6, 32


def render(compared: ComparedScans) -> str:
    """Return the page of one comparison."""
    return filled("compare.html", _values(compared), styles=("compare.css",))


def _values(compared: ComparedScans) -> dict[str, Any]:
    comparison, alpha = compared.comparison, compared.alpha
    verdict = comparison.verdict(alpha)
    changed, others = _in_order(compared)
    outstanding = {
        pair.name
        for cause in comparison.because(alpha)
        for pair in cause.pairs
        if pair.stands_out(cause.direction, alpha)
    }
    return {
        "verdict": verdict,
        "colour": COLOURS.get(verdict, ""),
        "headline": compared.headline,
        "p_values": _p_values(compared),
        "causes": [
            {
                "way": "Worse" if cause.direction == FELL else "Better",
                "text": cause_in_words(cause),
            }
            for cause in comparison.because(alpha)
        ],
        "difference": f"{comparison.tbsa_difference:+.1f}",
        "mark": sentences.not_comparable(comparison),
        "differences": sentences.difference_texts(comparison),
        "warnings": [
            text for side in compared.sides for text in sentences.warnings_of(side)
        ],
        "sides": [_side(side, compared) for side in compared.sides],
        "bases": sentences.bases(compared),
        "chart": chart_values(compared.sides),
        "changed": _rows(changed, outstanding),
        "others": _rows(others[:ROWS_SHOWN], outstanding),
        "others_count": len(others),
        "others_more": len(others[ROWS_SHOWN:]),
        "tests": ()
        if comparison.tests is None
        else sentences.test_rows(comparison.tests),
        "level": sentences.level_text(compared),
        "assumption": assumption_in_words(comparison.exchange),
        "notes": sentences.notes(comparison),
    }


def _p_values(compared: ComparedScans) -> str:
    """The p-values that the verdict rests on, or why there is none."""
    tests = compared.comparison.tests
    if tests is None or compared.comparison.verdict(compared.alpha) == UNTESTED:
        return compared.headline.removeprefix(f"{UNTESTED}: ")
    return (
        f"p = {tests.p_worse:.3g} for worse, {tests.p_better:.3g} for better, each held"
        f" against {compared.alpha:g}"
    )


def _side(side: ScoredSide, compared: ComparedScans) -> dict[str, Any]:
    assessment, report = side.assessment, side.assessment.report
    more = (
        sentences.whole_text(side, compared.comparison),
        sentences.luck_text(side),
    )
    return {
        "label": side.label,
        "tbsa": wording.tbsa_text(assessment.tbsa),
        "whole": int(assessment.tbsa),
        "interval": sentences.interval_text(side),
        "more": [text for text in more if text is not None],
        "facts": [
            ("Report", report.source),
            ("Target", report.target),
            ("garak version", report.garak_version or "unknown"),
            ("Start", report.start_time or "unknown"),
            ("Run", report.run_uuid or "unknown"),
            ("Pairs", str(assessment.contributing)),
            ("Calibration", wording.calibration_text(assessment.calibration)),
            ("Checksum", assessment.checksum.text),
        ],
    }


def _in_order(
    compared: ComparedScans,
) -> tuple[list[ComparedPair], list[ComparedPair]]:
    """Pairs that changed, those of the verdict first; and all others."""
    because = sentences.pairs_of_verdict(compared)
    named = {pair.name for pair in because}
    rest = sorted(
        (pair for pair in compared.comparison.pairs if pair.name not in named),
        key=lambda pair: (-abs(pair.z), pair.name),
    )
    return (
        because + [pair for pair in rest if pair.changed_grade],
        [pair for pair in rest if not pair.changed_grade],
    )


def _rows(pairs: Sequence[ComparedPair], outstanding: set[str]) -> list[dict[str, Any]]:
    return [_row(pair, pair.name in outstanding) for pair in pairs]


def _row(pair: ComparedPair, stands_out: bool) -> dict[str, Any]:
    before, after = pair.first.pass_rate, pair.second.pass_rate
    one, other = rates_text(before, after)
    return {
        "probe": pair.second.probe,
        "detector": pair.second.detector,
        "tier": pair.second.tier,
        "first_grade": pair.first.grade,
        "second_grade": pair.second.grade,
        "changed_grade": pair.changed_grade,
        "first_rate": one,
        "second_rate": other,
        "way": "fell" if after < before else "rose" if after > before else "level",
        "first_counts": wording.counts_text(pair.first),
        "second_counts": wording.counts_text(pair.second),
        "z": sentences.z_text(pair),
        "stands_out": stands_out,
        "left": SLOPE_LEFT,
        "right": SLOPE_RIGHT,
        "top": SLOPE_TOP,
        "bottom": SLOPE_TOP + SLOPE_HEIGHT,
        "first_y": _height(before),
        "second_y": _height(after),
    }


def _height(rate: float) -> float:
    return round(SLOPE_TOP + SLOPE_HEIGHT * (1 - rate), 1)
