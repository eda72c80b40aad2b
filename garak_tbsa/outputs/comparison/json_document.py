# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as JSON; ``schemas/compare.schema.json`` describes it.

``schema_version`` rises with every change that a reader could trip over.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    ScoredSide,
)
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.statistics.compare import FELL, Cause, ComparedPair, Comparison
from garak_tbsa.statistics.permutation import TestResults
from garak_tbsa.tbsa.comparison_in_words import cause_in_words, unmatched_in_words
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION = 3


def render(compared: ComparedScans) -> str:
    """Return the JSON text of a comparison."""
    return json_text(comparison_document(compared))


def comparison_document(compared: ComparedScans) -> dict[str, Any]:
    """Return the document of a comparison."""
    comparison, alpha = compared.comparison, compared.alpha
    first, second = compared.sides
    return {
        "schema_version": SCHEMA_VERSION,
        "note": wording.DISCLAIMER,
        "verdict": _verdict(compared),
        "because": [_cause(cause, alpha) for cause in compared.causes],
        "comparable": compared.not_comparable is None,
        "not_comparable_because": compared.not_comparable,
        "differing_parts": [each.part for each in comparison.differences],
        "differences": [asdict(each) for each in comparison.differences],
        "common_pairs": _common(comparison),
        "first": _side(first),
        "second": _side(second),
        "tbsa_difference": comparison.tbsa_difference,
        "tests": None if comparison.tests is None else _tests(comparison.tests),
        "assumption": compared.assumption,
        "not_matched": unmatched_in_words(comparison.exchange),
        "pairs_compared": comparison.compared,
        "pairs_by_prompt": len(comparison.exchange.by_prompt),
        "pairs_by_whole_prompt": len(comparison.exchange.by_whole_prompt),
        "pairs_by_count": [
            {"pair": comparison.exchange.pairs[place][1].name, "reason": reason}
            for place, reason in comparison.exchange.unmatched.items()
        ],
        "pairs_only_in_one": list(comparison.only_in_one),
        "pairs": [_pair(pair) for pair in comparison.pairs],
        "changed_grades": [
            {
                "pair": change.name,
                "tier": change.second.tier,
                "first": change.first.grade,
                "second": change.second.grade,
                "first_counts": _counts(change, 0),
                "second_counts": _counts(change, 1),
            }
            for change in comparison.changes
        ],
    }


def _verdict(compared: ComparedScans) -> dict[str, Any]:
    tests = compared.comparison.tests
    return {
        "kind": compared.verdict,
        "text": compared.headline,
        "alpha": compared.alpha,
        "p_worse": None if tests is None else tests.p_worse,
        "p_better": None if tests is None else tests.p_better,
    }


def _cause(cause: Cause, alpha: float) -> dict[str, Any]:
    return {
        "direction": "worse" if cause.direction == FELL else "better",
        "kind": cause.kind,
        "text": cause_in_words(cause),
        "pairs": [
            {**_pair(pair), "stands_out": pair.stands_out(cause.direction, alpha)}
            for pair in cause.pairs
        ],
        "pairs_moved": cause.moved,
        "pairs_against": cause.against,
    }


def _pair(pair: ComparedPair) -> dict[str, Any]:
    move = pair.move
    return {
        "pair": pair.name,
        "probe": pair.second.probe,
        "detector": pair.second.detector,
        "tier": pair.second.tier,
        "first_grade": pair.first.grade,
        "second_grade": pair.second.grade,
        "first_pass_rate": pair.first.pass_rate,
        "second_pass_rate": pair.second.pass_rate,
        "first_counts": _counts(pair, 0),
        "second_counts": _counts(pair, 1),
        "tested": pair.not_tested is None,
        "not_tested_because": pair.not_tested,
        "units_exchanged": list(pair.units),
        "z": None if move is None else move.z,
        "p_fell": None if move is None else move.p_fell,
        "p_rose": None if move is None else move.p_rose,
    }


def _counts(pair: ComparedPair, scan: int) -> dict[str, int | None]:
    found = (pair.first, pair.second)[scan]
    return {"passed": found.passed, "total_evaluated": found.total_evaluated}


def _common(comparison: Comparison) -> dict[str, Any] | None:
    if comparison.common is None:
        return None
    return {
        "pairs": list(comparison.common.names),
        "of_another_tier": list(comparison.common.other_tier),
    }


def _side(side: ScoredSide) -> dict[str, Any]:
    report, repeat = side.report, side.repeat
    ends = missing = based_on = None
    if isinstance(repeat, Unavailable):
        missing = repeat.reason
    else:
        ends = list(repeat.prediction_interval)
        based_on = {
            "repeat": repeat.basis.repeat,
            "pairs_with_attempts": repeat.basis.pairs_with_attempts,
            "assumed": side.basis,
        }
    return {
        "infile": report.source,
        "run_id": report.run_uuid,
        "target": report.target,
        "garak_version": report.garak_version,
        "start_time": report.start_time,
        "tbsa": side.tbsa,
        "tbsa_of_whole_report": side.tbsa if side.whole is None else side.whole,
        "repeat_interval": ends,
        "interval_missing_because": missing,
        "interval_based_on": based_on,
        "checksum": side.checksum,
        "partial": report.is_partial,
        "warnings": list(side.warnings),
    }


def _tests(tests: TestResults) -> dict[str, Any]:
    return {
        each.name: getattr(tests, each.name)
        for each in fields(tests)
        if each.name != "moves"
    }
