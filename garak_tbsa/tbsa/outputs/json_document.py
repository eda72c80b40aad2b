# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as JSON: garak's five keys and everything that the text says.

``score.schema.json`` beside this file describes it; ``schema_version`` rises
with every change that a reader could trip over.
"""

from __future__ import annotations

import json

from garak_tbsa.lean.record import values_of
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.tbsa.interval import small_pairs, unmeasured_bounds
from garak_tbsa.tbsa.outputs import wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from garak_tbsa.tbsa.assessment import Assessment, CalibrationUse
    from garak_tbsa.tbsa.explain import Explanation, PairEffect
    from garak_tbsa.tbsa.gate import Verdict
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.interval import RepeatLaw
    from garak_tbsa.tbsa.pairs import LeftOut, Pair
    from garak_tbsa.tbsa.score import TierSum

SCHEMA_VERSION = 1


def score_document(
    assessment: Assessment,
    law: RepeatLaw | str | None,
    verdict: Verdict | None = None,
) -> dict[str, Any]:
    """Return the document of one scored report.

    Parameters
    ----------
    assessment : Assessment
    law : RepeatLaw, str or None
        The law of a repeat's score, why there is none, or None if not asked for.
    verdict : Verdict, optional
        How the gates went, where some are set.
    """
    report = assessment.report
    document: dict[str, Any] = {
        "tbsa": assessment.tbsa,
        "version_probe_hash": assessment.version_probe_hash,
        "probe_detector_pairs_contributing": assessment.contributing,
        "infile": report.source,
        "run_id": report.run_uuid,
        "schema_version": SCHEMA_VERSION,
        "note": wording.DISCLAIMER,
        "formula": assessment.formula,
        "checksum": assessment.checksum.text,
        "checksum_parts": dict(assessment.checksum.parts),
        "garak_version": report.garak_version,
        "dialect": report.dialect,
        "read_from": report.origin,
        "start_time": report.start_time,
        "target_type": report.target_type,
        "target_name": report.target_name,
        "partial": report.is_partial,
        "partial_reason": report.partial_reason,
        "calibration": _calibration(assessment.calibration),
        "raw_tbsa": None if assessment.score is None else assessment.score.raw,
        "missing_tier": None
        if assessment.score is None
        else assessment.score.missing_tier,
        "tiers": _tiers(assessment),
        "pairs": [_graded(pair) for pair in assessment.graded],
        "left_out": [_left_out(entry) for entry in assessment.left_out],
        "repeat_interval": _law(assessment, law),
        "unmeasured": _unmeasured(assessment),
        "warnings": list(assessment.warnings),
        "gate": None if verdict is None else _gate(verdict),
    }
    if assessment.score is not None:
        document["explanation"] = explanation_members(explain(assessment))
    return document


def _gate(verdict: Verdict) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "rules": [dict(values_of(outcome)) for outcome in verdict.outcomes],
    }


def explanation_members(explanation: Explanation) -> dict[str, Any]:
    """Return what fixing each pair would do, and what garak itself would print."""
    return {
        "fix_first": [_effect(effect) for effect in explanation.effects],
        "garak_tbsa": explanation.garak_tbsa,
        "garak_missing_because": explanation.garak_missing_because,
        "graded_otherwise_by_garak": [
            dict(values_of(difference)) for difference in explanation.differences
        ],
    }


def _effect(effect: PairEffect) -> dict[str, Any]:
    return {
        "probe": effect.pair.pair.probe,
        "detector": effect.pair.pair.detector,
        "tier": effect.pair.tier,
        "grade": effect.pair.grade,
        "tbsa_if_best": effect.tbsa_if_best,
        "raw_gain": effect.raw_gain,
        "passes_to_rise": effect.passes_to_rise,
        "hits_to_drop": effect.hits_to_drop,
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


def to_text(document: Mapping[str, Any]) -> str:
    """Serialise a document; the same document always gives the same bytes."""
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _calibration(use: CalibrationUse) -> dict[str, Any]:
    identity = use.identity
    return {
        "chosen": use.chosen,
        "source": use.source,
        "date": None if identity is None else identity.date,
        "identity": None if identity is None else dict(values_of(identity)),
        "covered": use.covered,
        "counted": use.counted,
    }


def _tiers(assessment: Assessment) -> dict[str, Any]:
    if assessment.score is None:
        return {}
    return {
        "1": _tier(assessment.score.tier1, 2),
        "2": _tier(assessment.score.tier2, 1),
    }


def _tier(part: TierSum, weight: int) -> dict[str, Any]:
    return {"pairs": part.count, "mean": part.mean, "weight": weight}


def _counts(pair: Pair) -> dict[str, Any]:
    return {
        "probe": pair.probe,
        "detector": pair.detector,
        "tier": pair.tier,
        "passed": pair.passed,
        "total_evaluated": pair.total_evaluated,
        "nones": pair.nones,
    }


def _graded(pair: GradedPair) -> dict[str, Any]:
    return _counts(pair.pair) | {
        "pass_rate": pair.pass_rate,
        "z_score": pair.z_score,
        "calibrated": pair.is_calibrated,
        "pass_rate_grade": pair.pass_rate_grade,
        "z_grade": pair.z_grade,
        "grade": pair.grade,
    }


def _left_out(entry: LeftOut) -> dict[str, Any]:
    return _counts(entry.pair) | {"reason": entry.reason, "reason_text": entry.text}


def _unmeasured(assessment: Assessment) -> dict[str, Any] | None:
    bounds = unmeasured_bounds(assessment.graded, assessment.left_out)
    if bounds is None:
        return None
    return {
        "pairs": bounds.count,
        "worst_tbsa": bounds.worst,
        "best_tbsa": bounds.best,
    }


def _law(assessment: Assessment, law: RepeatLaw | str | None) -> dict[str, Any] | None:
    if law is None:
        return None
    small = list(small_pairs(assessment.graded))
    if isinstance(law, str):
        return {
            "lower": None,
            "upper": None,
            "missing_because": law,
            "pairs_under_30_outputs": small,
        }
    lower, upper = law.range_95
    return {
        "lower": lower,
        "upper": upper,
        "level": 0.95,
        "masses": [{"tbsa": tbsa, "mass": mass} for tbsa, mass in law.masses],
        "resampling_unit": "one evaluated output",
        "pairs_under_30_outputs": small,
        "beta_prior": {"a": law.prior[0], "b": law.prior[1]},
    }
