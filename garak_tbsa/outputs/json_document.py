# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report, or a comparison, as its document, and that as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET, convert

from garak_tbsa.comparison_in_words import cause_in_words, unmatched_in_words
from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.outputs import said
from garak_tbsa.outputs.compared import ComparedScans, ScoredSide
from garak_tbsa.outputs.documents import comparison, explanation, gate, score
from garak_tbsa.outputs.json_text import Document, json_text, told
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.statistics.compare import FELL, Cause, ComparedPair
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


def render_comparison(compared: ComparedScans) -> str:
    """Return the JSON text of a comparison."""
    return json_text(comparison_document(compared))


def comparison_document(compared: ComparedScans) -> comparison.Comparison:
    """Return the document of a comparison."""
    found = compared.comparison
    tests, exchange, common = found.tests, found.exchange, found.common
    first, second = map(_side, compared.sides)
    return comparison.Comparison(
        schema_version=SCHEMA_VERSION,
        note=said.DISCLAIMER,
        verdict=told(
            comparison.Verdict,
            compared,
            kind=compared.verdict,
            text=compared.headline,
            p_worse=tests and tests.p_worse,
            p_better=tests and tests.p_better,
        ),
        because=[_cause(cause, compared.alpha) for cause in compared.causes],
        comparable=compared.not_comparable is None,
        not_comparable_because=compared.not_comparable,
        differing_parts=[each.part for each in found.differences],
        differences=[told(comparison.Difference, each) for each in found.differences],
        common_pairs=None
        if common is None
        else comparison.CommonPairs(
            pairs=list(common.names), of_another_tier=list(common.other_tier)
        ),
        first=first,
        second=second,
        tbsa_difference=found.tbsa_difference,
        tests=None if tests is None else told(comparison.Tests, tests),
        assumption=compared.assumption,
        detectable=_detectable(compared),
        not_matched=unmatched_in_words(exchange),
        pairs_compared=found.compared,
        pairs_by_prompt=len(exchange.by_prompt),
        pairs_by_whole_prompt=len(exchange.by_whole_prompt),
        pairs_by_count=[
            comparison.ByCount(pair=exchange.pairs[place][1].name, reason=reason)
            for place, reason in exchange.unmatched.items()
        ],
        pairs_only_in_one=list(found.vanished.names),
        pairs=[_compared_pair(comparison.ComparedPair, pair) for pair in found.pairs],
        changed_grades=[
            told(
                comparison.ChangedGrade,
                change.second,
                pair=change.name,
                first=change.first.grade,
                second=change.second.grade,
                first_counts=told(comparison.Counts, change.first),
                second_counts=told(comparison.Counts, change.second),
            )
            for change in found.changes
        ],
    )


def _detectable(compared: ComparedScans) -> comparison.Detectable:
    """Which pairs could fall wholly unseen by the comparison."""
    found = compared.detectable
    if isinstance(found, Unavailable):
        return comparison.Detectable(
            text=compared.can_find, can_fall=None, undetectable=None, unseen=[]
        )
    share = found.undetectable
    return comparison.Detectable(
        text=compared.can_find,
        can_fall=found.can_fall,
        undetectable=None if isinstance(share, Unavailable) else share,
        unseen=[told(comparison.Unseen, each, pair=each.name) for each in found.unseen],
    )


def _cause(cause: Cause, alpha: float) -> comparison.Cause:
    return told(
        comparison.Cause,
        cause,
        direction="worse" if cause.direction == FELL else "better",
        text=cause_in_words(cause),
        pairs=[
            _compared_pair(
                comparison.CausePair,
                pair,
                stands_out=pair.stands_out(cause.direction, alpha),
            )
            for pair in cause.pairs
        ],
        pairs_moved=cause.moved,
        pairs_against=cause.against,
    )


def _compared_pair(kind: type[Document], pair: ComparedPair, **others: Any) -> Document:
    first, second, move = pair.first, pair.second, pair.move
    return told(
        kind,
        second,
        pair=pair.name,
        first_grade=first.grade,
        second_grade=second.grade,
        first_pass_rate=first.pass_rate,
        second_pass_rate=second.pass_rate,
        first_counts=told(comparison.Counts, first),
        second_counts=told(comparison.Counts, second),
        tested=pair.not_tested is None,
        not_tested_because=pair.not_tested,
        units_exchanged=pair.units,
        z=move and move.z,
        p_fell=move and move.p_fell,
        p_rose=move and move.p_rose,
        **others,
    )


def _side(side: ScoredSide) -> comparison.Side:
    report, repeat = side.report, side.repeat
    missing = based_on = None
    if isinstance(repeat, Unavailable):
        missing = repeat.reason
    else:
        based_on = told(comparison.Basis, repeat.basis, assumed=side.basis)
    return told(
        comparison.Side,
        report,
        infile=report.source,
        run_id=report.run_uuid,
        tbsa=side.tbsa,
        tbsa_of_whole_report=side.tbsa if side.whole is None else side.whole,
        repeat_interval=side.ends,
        interval_missing_because=missing,
        interval_based_on=based_on,
        checksum=side.checksum,
        partial=report.is_partial,
        warnings=side.warnings,
    )
