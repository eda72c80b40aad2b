# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as its document, and that as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, convert

from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.outputs import said
from garak_tbsa.outputs.documents import explanation, gate, score
from garak_tbsa.outputs.json_text import json_text, told
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.statistics.repeat import LEVEL
from garak_tbsa.tbsa.pairs import small_pairs
from garak_tbsa.tbsa.rules import FORMULA
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION: Final = 4


def render(scored: ScoredReport) -> str:
    """Return the JSON text of one scored report."""
    return json_text(score_document(scored))


def score_document(scored: ScoredReport) -> score.Score:
    """Return the document of one scored report."""
    assessment, report, verdict = scored.assessment, scored.report, scored.verdict
    bounds, use = assessment.unmeasured, assessment.calibration
    identity = use.identity and told(score.CalibrationIdentity, use.identity)
    return told(
        score.Score,
        report,
        tbsa=scored.tbsa,
        version_probe_hash=assessment.version_probe_hash,
        probe_detector_pairs_contributing=assessment.contributing,
        infile=report.source,
        run_id=report.run_uuid,
        schema_version=SCHEMA_VERSION,
        note=said.DISCLAIMER,
        formula=FORMULA,
        checksum=scored.checksum,
        checksum_parts=assessment.checksum.parts,
        read_from=report.origin,
        partial=report.is_partial,
        calibration=told(
            score.Calibration,
            use,
            date=identity and identity.date,
            identity=identity,
        ),
        raw_tbsa=assessment.score.raw,
        missing_tier=assessment.score.missing_tier,
        tiers=score.Tiers(
            **{
                f"tier_{part.tier}": told(score.TierMean, part, pairs=part.count)
                for part in scored.tiers
            }
        ),
        pairs=[
            told(score.Pair, pair, calibrated=pair.is_calibrated)
            for pair in assessment.graded
        ],
        left_out=[told(score.LeftOut, entry) for entry in assessment.left_out],
        silent_probes=[
            told(score.SilentProbe, each, reason_text=each.text)
            for each in assessment.silent
        ],
        repeat_interval=_repeat(scored),
        unmeasured=bounds
        and score.Unmeasured(
            pairs=bounds.count, worst_tbsa=bounds.worst, best_tbsa=bounds.best
        ),
        warnings=assessment.warnings,
        gate=None if verdict is None else gate_document(verdict),
        explanation=_explanation(scored),
    )


def gate_document(verdict: GateVerdict) -> gate.Gate:
    """Return each rule's outcome, with the pairs that it is about."""
    rules = convert(verdict.outcomes, list[gate.Rule], from_attributes=True)
    return gate.Gate(passed=verdict.passed, rules=rules)


def several_document(
    results: Sequence[ScoredReport], unreadable: Sequence[score.Unreadable]
) -> score.Several:
    """Return the document of several reports."""
    return score.Several(
        schema_version=SCHEMA_VERSION,
        reports=[score_document(each) for each in results],
        unreadable=list(unreadable),
    )


def _explanation(scored: ScoredReport) -> explanation.Explanation:
    """What fixing each pair would do, and garak's own number if it was asked for."""
    found, own = scored.explanation, scored.garak_tbsa
    is_asked, number, missing = own != NOT_ASKED_FOR, None, None
    if isinstance(own, Unavailable):
        missing = own.reason
    else:
        number = own
    return explanation.Explanation(
        fix_first=[
            told(
                explanation.Fix,
                each,
                probe=each.pair.probe,
                detector=each.pair.detector,
                tier=each.pair.tier,
                grade=each.pair.grade,
            )
            for each in found.effects
        ],
        fix_together=[
            told(
                explanation.FixStep,
                step,
                pairs=step.count,
                add=[step.pair.name],
                drop=[],
            )
            for step in found.together
        ],
        garak_tbsa=number if is_asked else UNSET,
        garak_missing_because=missing if is_asked else UNSET,
    )


def _repeat(scored: ScoredReport) -> score.Repeat | None:
    repeat, unusual = scored.repeat, scored.unusual_score
    if repeat == NOT_ASKED_FOR:
        return None
    small = list(small_pairs(scored.assessment.graded))
    if isinstance(repeat, Unavailable):
        return score.Repeat(
            lower=None,
            upper=None,
            missing_because=repeat.reason,
            pairs_under_30_outputs=small,
        )
    lower, upper = repeat.prediction_interval
    return told(
        score.Repeat,
        repeat.basis,
        lower=lower,
        upper=upper,
        missing_because=UNSET,
        level=LEVEL,
        distribution=[
            score.Probability(tbsa=tbsa, probability=share)
            for tbsa, share in repeat.probabilities
        ],
        resampling_unit=scored.unit,
        assumed=scored.basis,
        luck=unusual and told(score.Luck, unusual, text=scored.unusual_text),
        pairs_under_30_outputs=small,
    )
