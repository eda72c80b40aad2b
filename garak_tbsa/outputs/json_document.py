# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report, or a comparison, as JSON: garak's five keys and all that is known.

``schemas/score.schema.json`` and ``schemas/compare.schema.json`` describe them;
``schema_version`` rises with every change that a reader could trip over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from garak_tbsa.comparison_in_words import cause_in_words, unmatched_in_words
from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.outputs import wording
from garak_tbsa.outputs.compared import ComparedScans, ScoredSide
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.statistics.compare import FELL, Cause, ComparedPair
from garak_tbsa.statistics.repeat import LEVEL
from garak_tbsa.tbsa.pairs import Pair, small_pairs
from garak_tbsa.tbsa.rules import FORMULA
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION = 4
COUNTS = ("passed", "total_evaluated")
PAIR = ("probe", "detector", "tier", *COUNTS, "nones")


def members(record: object, *names: str) -> dict[str, Any]:
    """Return attributes of a record by their names."""
    return {name: getattr(record, name) for name in names}


def render(scored: ScoredReport) -> str:
    """Return the JSON text of one scored report."""
    return json_text(score_document(scored))


def score_document(scored: ScoredReport) -> dict[str, Any]:
    """Return the document of one scored report."""
    assessment, report, verdict = scored.assessment, scored.report, scored.verdict
    bounds = assessment.unmeasured
    document = {
        "tbsa": scored.tbsa,
        "version_probe_hash": assessment.version_probe_hash,
        "probe_detector_pairs_contributing": assessment.contributing,
        "infile": report.source,
        "run_id": report.run_uuid,
        "schema_version": SCHEMA_VERSION,
        "note": wording.DISCLAIMER,
        "formula": FORMULA,
        "checksum": scored.checksum,
        "checksum_parts": dict(assessment.checksum.parts),
        **members(report, "garak_version", "dialect"),
        "read_from": report.origin,
        **members(report, "start_time", "target_type", "target_name"),
        "partial": report.is_partial,
        "partial_reason": report.partial_reason,
        "calibration": _calibration(scored),
        "raw_tbsa": assessment.score.raw,
        "missing_tier": assessment.score.missing_tier,
        "tiers": {
            str(part.tier): {"pairs": part.count, **members(part, "mean", "weight")}
            for part in scored.tiers
        },
        "pairs": [
            {
                **members(pair, *PAIR, "pass_rate", "z_score"),
                "calibrated": pair.is_calibrated,
                **{f"{rule}_grade": n for rule, n in pair.grades_by_rule.items()},
                "grade": pair.grade,
            }
            for pair in assessment.graded
        ],
        "left_out": [
            {
                **members(entry, *PAIR),
                "reason": entry.reason,
                "reason_text": entry.reason_text,
            }
            for entry in assessment.left_out
        ],
        "silent_probes": [
            {**members(each, "probe", "tier"), "reason_text": each.text}
            for each in assessment.silent
        ],
        "repeat_interval": _repeat(scored),
        "unmeasured": bounds
        and {
            "pairs": bounds.count,
            "worst_tbsa": bounds.worst,
            "best_tbsa": bounds.best,
        },
        "warnings": list(assessment.warnings),
        "gate": None if verdict is None else gate_members(verdict),
    }
    document["explanation"] = _explanation(scored)
    return document


def gate_members(verdict: GateVerdict) -> dict[str, Any]:
    """Return each rule's outcome, with the pairs that it is about."""
    return {
        "passed": verdict.passed,
        "rules": [asdict(outcome) for outcome in verdict.outcomes],
    }


def several_document(
    documents: Sequence[Mapping[str, Any]], unreadable: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """Return the document of several reports."""
    return {
        "schema_version": SCHEMA_VERSION,
        "reports": list(documents),
        "unreadable": list(unreadable),
    }


def _explanation(scored: ScoredReport) -> dict[str, Any]:
    """What fixing each pair would do, and garak's own number if it was asked for."""
    found, own = scored.explanation, scored.garak_tbsa
    effect = ("tbsa_if_best", "raw_gain", "cost", "passes_to_rise", "hits_to_drop")
    document: dict[str, Any] = {
        "fix_first": [
            members(each.pair, "probe", "detector", "tier", "grade")
            | members(each, *effect)
            for each in found.effects
        ],
        "fix_together": [
            {
                "pairs": step.count,
                "add": [step.pair.name],
                "drop": [],
                **members(step, "tbsa", "raw_gain"),
            }
            for step in found.together
        ],
    }
    if own != NOT_ASKED_FOR:
        reason = own.reason if isinstance(own, Unavailable) else None
        document["garak_tbsa"] = None if reason else own
        document["garak_missing_because"] = reason
    return document


def _calibration(scored: ScoredReport) -> dict[str, Any]:
    use = scored.assessment.calibration
    identity = use.identity
    return {
        **members(use, "chosen", "source"),
        "date": identity and identity.date,
        "identity": identity and asdict(identity),
        **members(use, "covered", "counted"),
    }


def _repeat(scored: ScoredReport) -> dict[str, Any] | None:
    repeat, unusual = scored.repeat, scored.unusual_score
    if repeat == NOT_ASKED_FOR:
        return None
    small = {"pairs_under_30_outputs": list(small_pairs(scored.assessment.graded))}
    if isinstance(repeat, Unavailable):
        missing = {"lower": None, "upper": None, "missing_because": repeat.reason}
        return missing | small
    lower, upper = repeat.prediction_interval
    return {
        "lower": lower,
        "upper": upper,
        "level": LEVEL,
        "distribution": [
            {"tbsa": tbsa, "probability": share} for tbsa, share in repeat.probabilities
        ],
        "resampling_unit": scored.unit,
        **members(repeat.basis, "repeat", "pairs_with_attempts"),
        "assumed": scored.basis,
        "luck": unusual and {**asdict(unusual), "text": scored.unusual_text},
        **small,
    }


def render_comparison(compared: ComparedScans) -> str:
    """Return the JSON text of a comparison."""
    return json_text(comparison_document(compared))


def comparison_document(compared: ComparedScans) -> dict[str, Any]:
    """Return the document of a comparison."""
    comparison, tests = compared.comparison, compared.comparison.tests
    exchange, common = comparison.exchange, comparison.common
    first, second = map(_side, compared.sides)
    return {
        "schema_version": SCHEMA_VERSION,
        "note": wording.DISCLAIMER,
        "verdict": {
            "kind": compared.verdict,
            "text": compared.headline,
            "alpha": compared.alpha,
            "p_worse": tests and tests.p_worse,
            "p_better": tests and tests.p_better,
        },
        "because": [_cause(cause, compared.alpha) for cause in compared.causes],
        "comparable": compared.not_comparable is None,
        "not_comparable_because": compared.not_comparable,
        "differing_parts": [each.part for each in comparison.differences],
        "differences": [asdict(each) for each in comparison.differences],
        "common_pairs": common
        and {
            "pairs": list(common.names),
            "of_another_tier": list(common.other_tier),
        },
        "first": first,
        "second": second,
        "tbsa_difference": comparison.tbsa_difference,
        "tests": tests
        and {name: p for name, p in asdict(tests).items() if name != "moves"},
        "assumption": compared.assumption,
        "detectable": _detectable(compared),
        "not_matched": unmatched_in_words(exchange),
        "pairs_compared": comparison.compared,
        "pairs_by_prompt": len(exchange.by_prompt),
        "pairs_by_whole_prompt": len(exchange.by_whole_prompt),
        "pairs_by_count": [
            {"pair": exchange.pairs[place][1].name, "reason": reason}
            for place, reason in exchange.unmatched.items()
        ],
        "pairs_only_in_one": list(comparison.vanished.names),
        "pairs": [_compared_pair(pair) for pair in comparison.pairs],
        "changed_grades": [
            {
                "pair": change.name,
                "tier": change.second.tier,
                "first": change.first.grade,
                "second": change.second.grade,
                "first_counts": members(change.first, *COUNTS),
                "second_counts": members(change.second, *COUNTS),
            }
            for change in comparison.changes
        ],
    }


def _detectable(compared: ComparedScans) -> dict[str, Any]:
    """Which pairs could fall wholly unseen by the comparison."""
    found = compared.detectable
    document = {"text": compared.can_find, "can_fall": None, "undetectable": None}
    if isinstance(found, Unavailable):
        return document | {"unseen": []}
    share, of_each = found.undetectable, ("tier", "outputs", "chance", "cost")
    return document | {
        "can_fall": found.can_fall,
        "undetectable": None if isinstance(share, Unavailable) else share,
        "unseen": [
            {"pair": each.name, **members(each, *of_each)} for each in found.unseen
        ],
    }


def _cause(cause: Cause, alpha: float) -> dict[str, Any]:
    return {
        "direction": "worse" if cause.direction == FELL else "better",
        "kind": cause.kind,
        "text": cause_in_words(cause),
        "pairs": [
            {
                **_compared_pair(pair),
                "stands_out": pair.stands_out(cause.direction, alpha),
            }
            for pair in cause.pairs
        ],
        "pairs_moved": cause.moved,
        "pairs_against": cause.against,
    }


def _compared_pair(pair: ComparedPair) -> dict[str, Any]:
    sides: dict[str, Pair] = {"first": pair.first, "second": pair.second}
    move = pair.move
    return {
        "pair": pair.name,
        **members(pair.second, "probe", "detector", "tier"),
        **{
            f"{side}_{name}": getattr(own, name)
            for name in ("grade", "pass_rate")
            for side, own in sides.items()
        },
        **{f"{side}_counts": members(own, *COUNTS) for side, own in sides.items()},
        "tested": pair.not_tested is None,
        "not_tested_because": pair.not_tested,
        "units_exchanged": list(pair.units),
        "z": move and move.z,
        "p_fell": move and move.p_fell,
        "p_rose": move and move.p_rose,
    }


def _side(side: ScoredSide) -> dict[str, Any]:
    report, repeat = side.report, side.repeat
    missing = based_on = None
    if isinstance(repeat, Unavailable):
        missing = repeat.reason
    else:
        based_on = members(repeat.basis, "repeat", "pairs_with_attempts")
        based_on["assumed"] = side.basis
    return {
        "infile": report.source,
        "run_id": report.run_uuid,
        **members(report, "target", "garak_version", "start_time"),
        "tbsa": side.tbsa,
        "tbsa_of_whole_report": side.tbsa if side.whole is None else side.whole,
        "repeat_interval": side.ends and list(side.ends),
        "interval_missing_because": missing,
        "interval_based_on": based_on,
        "checksum": side.checksum,
        "partial": report.is_partial,
        "warnings": list(side.warnings),
    }
