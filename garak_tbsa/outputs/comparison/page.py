# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans side by side as one self-contained page, without a script."""

from __future__ import annotations

from typing import Any

from garak_tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    ScoredSide,
    z_text,
)
from garak_tbsa.outputs.comparison.distributions import chart_values
from garak_tbsa.outputs.html_page import filled, scan_facts
from garak_tbsa.statistics.compare import (
    BETTER,
    BOTH_WAYS,
    FELL,
    ROSE,
    UNTESTED,
    WORSE,
    ComparedPair,
)
from garak_tbsa.tbsa.comparison_in_words import cause_in_words, rates_text

COLOURS = {WORSE: "g1", BOTH_WAYS: "g2", BETTER: "g4"}
SLOPE_TOP, SLOPE_HEIGHT = 6, 32


def render(compared: ComparedScans) -> str:
    """Return the page of one comparison."""
    return filled("compare.html", _values(compared), styles=("compare.css",))


def _values(compared: ComparedScans) -> dict[str, Any]:
    changed, others = _in_order(compared)
    return {
        "view": compared,
        "colour": COLOURS.get(compared.verdict, ""),
        "p_values": _p_values(compared),
        "causes": [
            ("Worse" if cause.direction == FELL else "Better", cause_in_words(cause))
            for cause in compared.causes
        ],
        "sides": [(side, _facts(side)) for side in compared.sides],
        "chart": chart_values(compared.sides),
        "changed": changed,
        "others": others,
        "outstanding": compared.outstanding(FELL, ROSE),
        "rates": rates_text,
        "height": _height,
        "z": z_text,
    }


def _p_values(compared: ComparedScans) -> str:
    """The p-values that the verdict rests on, or why there is none."""
    tests = compared.comparison.tests
    if tests is None or compared.verdict == UNTESTED:
        return compared.headline.removeprefix(f"{UNTESTED}: ")
    return (
        f"p = {tests.p_worse:.3g} for worse, {tests.p_better:.3g} for better, each held"
        f" against {compared.alpha:g}"
    )


def _facts(side: ScoredSide) -> list[tuple[str, str]]:
    return [
        *scan_facts(side.report),
        ("Pairs", str(side.assessment.contributing)),
        ("Calibration", side.calibration),
        ("Checksum", side.checksum),
    ]


def _in_order(
    compared: ComparedScans,
) -> tuple[list[ComparedPair], list[ComparedPair]]:
    """Pairs that changed, those of the verdict first; and all others."""
    because = compared.pairs_of_verdict
    named = {pair.name for pair in because}
    rest = sorted(
        (pair for pair in compared.comparison.pairs if pair.name not in named),
        key=lambda pair: (-abs(pair.z), pair.name),
    )
    return (
        because + [pair for pair in rest if pair.changed_grade],
        [pair for pair in rest if not pair.changed_grade],
    )


def _height(rate: float) -> float:
    return round(SLOPE_TOP + SLOPE_HEIGHT * (1 - rate), 1)
