# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as JSON: garak's five keys and everything that the text says.

``schemas/score.schema.json`` describes it; ``schema_version`` rises
with every change that a reader could trip over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.statistics.repeat import LEVEL, RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment, CalibrationUse
from garak_tbsa.tbsa.explain import FixStep, PairEffect, ScoreExplanation
from garak_tbsa.tbsa.gate import GateVerdict
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.luck import luck_of
from garak_tbsa.tbsa.pairs import LeftOut, Pair, small_pairs
from garak_tbsa.tbsa.unmeasured import unmeasured_bounds
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION = 3


def render(scored: ScoredReport) -> str:
    """Return the JSON text of one scored report."""
    return json_text(score_document(scored))


def score_document(scored: ScoredReport) -> dict[str, Any]:
    """Return the document of one scored report."""
    assessment, verdict = scored.assessment, scored.verdict
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
        "repeat_interval": _repeat(assessment, scored.repeat),
        "unmeasured": _unmeasured(assessment),
        "warnings": list(assessment.warnings),
        "gate": None if verdict is None else gate_members(verdict),
    }
    if report.parts:
        document["merged_from"] = [part.source for part in report.parts]
    if scored.explanation is not None:
        document["explanation"] = explanation_members(scored.explanation)
    return document


def gate_members(verdict: GateVerdict) -> dict[str, Any]:
    """Return each rule's outcome, with the pairs that it is about."""
    return {
        "passed": verdict.passed,
        "rules": [asdict(outcome) for outcome in verdict.outcomes],
    }


def explanation_members(explanation: ScoreExplanation) -> dict[str, Any]:
    """Return what fixing each pair would do, and what garak itself would print."""
    own = explanation.garak_tbsa
    return {
        "fix_first": [_effect(effect) for effect in explanation.effects],
        "fix_together": [_step(step) for step in explanation.together],
        "garak_tbsa": None if isinstance(own, Unavailable) else own,
        "garak_missing_because": own.reason if isinstance(own, Unavailable) else None,
        "graded_otherwise_by_garak": [
            asdict(difference) for difference in explanation.differences
        ],
    }


def _effect(effect: PairEffect) -> dict[str, Any]:
    return {
        "probe": effect.pair.probe,
        "detector": effect.pair.detector,
        "tier": effect.pair.tier,
        "grade": effect.pair.grade,
        "tbsa_if_best": effect.tbsa_if_best,
        "raw_gain": effect.raw_gain,
        "cost": effect.cost,
        "passes_to_rise": effect.passes_to_rise,
        "hits_to_drop": effect.hits_to_drop,
    }


def _step(step: FixStep) -> dict[str, Any]:
    return {
        "pairs": step.count,
        "add": [step.pair.name],
        "drop": [],
        "tbsa": step.tbsa,
        "raw_gain": step.raw_gain,
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


def _calibration(use: CalibrationUse) -> dict[str, Any]:
    identity = use.identity
    return {
        "chosen": use.chosen,
        "source": use.source,
        "date": None if identity is None else identity.date,
        "identity": None if identity is None else asdict(identity),
        "covered": use.covered,
        "counted": use.counted,
    }


def _tiers(assessment: Assessment) -> dict[str, Any]:
    if assessment.score is None:
        return {}
    return {
        str(part.tier): {"pairs": part.count, "mean": part.mean, "weight": part.weight}
        for part in assessment.score.tiers
    }


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
    return _counts(pair) | {
        "pass_rate": pair.pass_rate,
        "z_score": pair.z_score,
        "calibrated": pair.is_calibrated,
        **{f"{rule}_grade": grade for rule, grade in pair.grades_by_rule.items()},
        "grade": pair.grade,
    }


def _left_out(entry: LeftOut) -> dict[str, Any]:
    return _counts(entry.pair) | {"reason": entry.reason, "reason_text": entry.text}


def _unmeasured(assessment: Assessment) -> dict[str, Any] | None:
    bounds = unmeasured_bounds(assessment)
    if bounds is None:
        return None
    return {
        "pairs": bounds.count,
        "worst_tbsa": bounds.worst,
        "best_tbsa": bounds.best,
    }


def _repeat(
    assessment: Assessment, repeat: RepeatDistribution | Unavailable
) -> dict[str, Any] | None:
    if repeat == NOT_ASKED_FOR:
        return None
    small = list(small_pairs(assessment.graded))
    if isinstance(repeat, Unavailable):
        return {
            "lower": None,
            "upper": None,
            "missing_because": repeat.reason,
            "pairs_under_30_outputs": small,
        }
    lower, upper = repeat.prediction_interval
    return {
        "lower": lower,
        "upper": upper,
        "level": LEVEL,
        "distribution": [
            {"tbsa": tbsa, "probability": share} for tbsa, share in repeat.probabilities
        ],
        "resampling_unit": wording.unit_text(repeat),
        "repeat": repeat.basis.repeat,
        "pairs_with_attempts": repeat.basis.pairs_with_attempts,
        "assumed": wording.basis_text(repeat),
        "luck": _luck(assessment.tbsa, repeat),
        "pairs_under_30_outputs": small,
    }


def _luck(tbsa: float, repeat: RepeatDistribution) -> dict[str, Any] | None:
    luck = luck_of(tbsa, repeat)
    if luck is None:
        return None
    return {**asdict(luck), "text": wording.luck_text(tbsa, repeat)}
