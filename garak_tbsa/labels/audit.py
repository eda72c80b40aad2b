# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of a scan -> all that they say, what speaks against them, and a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET

from garak_tbsa.detector_eval.report_labels import (
    HIT,
    PASS,
    Judged,
    Place,
    ReportLabels,
)
from garak_tbsa.gates.against_baseline import TIER, consistency, held_against_answers
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import FAIL_UNDER, GateVerdict, RuleOutcome
from garak_tbsa.hits import Hit
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.label_warnings import label_warnings
from garak_tbsa.labels.scan import AuditedScan, ScanOutputs
from garak_tbsa.labels.score import (
    LEVEL,
    AuditDraws,
    Estimate,
    draw_scores,
    draws_if_right,
    estimate_of,
    next_strata,
    score_hits,
    width_after,
    without_z_scores,
)
from garak_tbsa.outputs.documents import audit as documents
from garak_tbsa.outputs.json_text import told
from garak_tbsa.outputs.said import DISCLAIMER
from garak_tbsa.outputs.scored import gate_document
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.tbsa.score import score_pairs
from garak_tbsa.unavailable import Unavailable

NEXT = 20
"""Labels that are suggested next."""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False, eq=False)
class Audit:
    """What labels say of a scan, and what they say it of.

    Attributes
    ----------
    document : documents.Audit
        Every number.
    assessment : Scan
        By the detectors.
    scan : AuditedScan
        With the labels.
    matched : ReportLabels
    gate : GateVerdict or None
        The outcome of the rules; None without a rule.
    detectors : tuple of DetectorOnScan
        How good each was on this scan, or why that is not known; by name.
    outputs : tuple of Hit
        Those on which labels and detectors disagree, as the document lists them.
    """

    document: documents.Audit
    assessment: Scan
    scan: AuditedScan
    matched: ReportLabels
    gate: GateVerdict | None
    detectors: tuple[DetectorOnScan, ...]
    outputs: tuple[Hit, ...]


def audit_scan(
    assessment: Scan,
    scan: AuditedScan,
    matched: ReportLabels,
    outputs: ScanOutputs,
    *,
    files: Sequence[str],
    texts: Mapping[Place, Hit],
    rules: GateRules,
    seed: int = 1,
) -> Audit:
    """Say what labels make of a scan.

    Parameters
    ----------
    assessment : Scan
    scan : AuditedScan
        With at least one answer about an output of its strata.
    matched : ReportLabels
        Where the answers come from.
    outputs : ScanOutputs
        Those of the scan.
    files : sequence of str
        Paths of the labels.
    texts : mapping of Place to Hit
        The outputs of :func:`disputed_verdicts`.
    rules : GateRules
        No gate is judged without the lowest TBSA that passes.
    seed : int
    """
    drawn, if_right = draw_scores(scan, seed=seed), draws_if_right(scan, seed)
    bare = without_z_scores(scan)
    next_places = next_strata(scan, NEXT, seed)
    warnings = label_warnings(scan, matched, outputs.lengths)
    gate = None
    if rules.fail_under is not None:
        against = [*out_of_reach(scan), *warnings]
        gate = _judged(assessment, matched, drawn.score, against, rules)
    disputed = disputed_verdicts(scan, matched)
    detectors = detectors_on_scan(scan.strata, seed=seed)
    document = told(
        documents.Audit,
        assessment.report,
        schema_version=1,
        note=DISCLAIMER,
        tbsa=by_detectors(scan),
        audited=told(
            documents.AuditedScore,
            score_range(drawn.score),
            if_labels_right=score_range(if_right.score),
            level=LEVEL,
            labels=scan.labels,
            outputs=scan.outputs,
            pass_rate_only=told(
                documents.ByPassRates,
                score_range(score_hits(bare, drawn.hits).score),
                by_detectors=by_detectors(bare),
            ),
        ),
        detectors=[_detector(each) for each in detectors],
        pairs=list(_pairs(scan, drawn, if_right)),
        disagreements=[
            _disagreement(scan, judged, texts[judged[0]]) for judged in disputed
        ],
        not_audited=[
            documents.NotAudited(pair=name, reason=reason)
            for name, reason in scan.not_audited.items()
        ],
        next=list(_next(scan, next_places)),
        width_after_next=round(width_after(scan, drawn, next_places, seed)) / 10,
        labels=_labels(scan, matched, files, warnings),
        infile=assessment.report.source,
        run_id=assessment.report.run_uuid,
        checksum=assessment.checksum.text,
        warnings=[*outputs.unattributed_texts, *assessment.warnings],
        gate=None if gate is None else gate_document(gate),
    )
    return Audit(
        document=document,
        assessment=assessment,
        scan=scan,
        matched=matched,
        gate=gate,
        detectors=detectors,
        outputs=tuple(texts[place] for place, _ in disputed),
    )


def by_detectors(scan: AuditedScan) -> float:
    """Return the score of a scan as its detectors judged."""
    return score_pairs(scan.pairs).tenths / 10


def score_range(found: Estimate[int]) -> documents.ScoreRange:
    """Return a score in tenths, with its range, as it is told."""
    value, lower, upper = (n / 10 for n in (found.value, found.lower, found.upper))
    return documents.ScoreRange(tbsa=value, lower=lower, upper=upper)


def _detector(found: DetectorOnScan) -> documents.Detector:
    shares = {
        name: documents.MeasuredShare(
            value=None, lower=None, upper=None, missing_because=share.reason
        )
        if isinstance(share, Unavailable)
        else told(documents.MeasuredShare, share, missing_because=UNSET)
        for name, share in found.shares.items()
    }
    return told(documents.Detector, found, **shares)


def _pairs(
    scan: AuditedScan, drawn: AuditDraws, if_right: AuditDraws
) -> Iterator[documents.AuditedPair]:
    """Yield what labels say of each audited pair, in the order of the scan."""
    hits = drawn.hits.hits.copy()
    strata: dict[int, list[int]] = {}
    for place, stratum in enumerate(scan.strata):
        if stratum.is_whole:
            hits[place] = stratum.hits
        strata.setdefault(stratum.pair, []).append(place)
    for number, places in sorted(strata.items()):
        pair, grade = scan.pairs[number], estimate_of(drawn.grades[number])
        right = estimate_of(if_right.grades[number])
        yield told(
            documents.AuditedPair,
            pair,
            labels=sum(scan.strata[place].labelled for place in places),
            audited_grade=told(documents.Grades, grade),
            grade_if_labels_right=told(documents.Grades, right),
            audited_hits=told(documents.Whole, estimate_of(hits[places].sum(axis=0))),
            changed=not grade.lower <= pair.grade <= grade.upper,
        )


def disputed_verdicts(scan: AuditedScan, matched: ReportLabels) -> list[Judged]:
    """Return the outputs on which labels and detector disagree, Tier 1 first."""
    found = [
        judged
        for judged, is_hit in matched.truth.items()
        if judged in scan.stratum_of and scan.flagged(judged) != is_hit
    ]

    def order(judged: Judged) -> tuple[int | None, str, Place]:
        pair = scan.pair_of(judged)
        return pair.tier, pair.name, judged[0]

    return sorted(found, key=order)


def _disagreement(
    scan: AuditedScan, judged: Judged, output: Hit
) -> documents.Disagreement:
    flagged = scan.flagged(judged)
    return told(
        documents.Disagreement,
        output,
        probe=scan.pair_of(judged).probe,
        detector=judged[1],
        flagged=flagged,
        label=PASS if flagged else HIT,
        attempt=output.attempt_uuid,
        prompt=output.prompt.text,
        response=output.response.text,
    )


def _next(scan: AuditedScan, places: Sequence[int]) -> Iterator[documents.Next]:
    for place, labels in Counter(places).most_common():
        stratum = scan.strata[place]
        probe = scan.pairs[stratum.pair].probe
        yield told(documents.Next, stratum, probe=probe, labels=labels)


def _labels(
    scan: AuditedScan,
    matched: ReportLabels,
    files: Sequence[str],
    warnings: Sequence[str],
) -> documents.Labels:
    agreement = matched.agreement
    return told(
        documents.Labels,
        matched,
        files=list(files),
        used=scan.labels,
        of_other_pairs=len(matched.truth) - scan.labels,
        disputed=[
            told(documents.Disputed, place, detector=detector, hits=hits, passes=passes)
            for (place, detector), (hits, passes) in matched.disputed.items()
        ],
        warnings=list(warnings),
        agreement=agreement and told(documents.Agreement, agreement),
        problems=list(matched.problems),
    )


def number_of(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 label``, ``1,234 labels``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def answer_text(scan: AuditedScan, score: documents.ScoreRange) -> str:
    """Return the score by labels, and how much of the scan is not in it, in a line."""
    said = f"TBSA {by_detectors(scan):.1f} by detectors; {score.text}"
    said += f" by {number_of(scan.labels, 'label')}"
    missing = scan.not_audited_text
    return said if missing is None else f"{said}; {missing}"


def summary(scan: AuditedScan) -> str:
    """Say in a line what the labels so far make of the score, and what more would."""
    if not scan.answered_outputs:
        return f"TBSA {by_detectors(scan):.1f} by detectors; nothing is labelled yet"
    drawn = draw_scores(scan)
    said = answer_text(scan, score_range(drawn.score))
    width = drawn.score.upper - drawn.score.lower
    if scan.answered_outputs == scan.outputs or not width:
        return said
    after = width_after(scan, drawn, next_strata(scan, NEXT))
    return (
        f"{said}; {NEXT} more would bring the range from {width / 10:.1f} to"
        f" about {after / 10:.1f}"
    )


def _judged(
    assessment: Scan,
    matched: ReportLabels,
    score: Estimate[int],
    against: Sequence[str],
    rules: GateRules,
) -> GateVerdict:
    """Hold the lower end of an audited score's range against a rule.

    It is not judged by what is left where labels could not be used, nor by labels that
    something speaks against, nor where much of the scan was out of their reach. As with
    any gate, the report must agree with itself, and the target must have answered.
    """
    assert rules.fail_under is not None
    found = f"{score_range(score).text} by labels"
    if against:
        found += f", not judged, since {against[0]}"
    if matched.problems:
        found += (
            f", not judged, since {matched.unusable:,} of the labels could not be used,"
            f" first {matched.problems[0]}"
        )
    is_judged = not (matched.problems or against)
    outcome = RuleOutcome(
        rule=FAIL_UNDER,
        passed=is_judged and score.lower / 10 >= rules.fail_under,
        expected=f"a lower end of at least {rules.fail_under:g}",
        found=found,
    )
    others = consistency(assessment), *held_against_answers(assessment, rules)
    return GateVerdict(outcomes=(outcome, *others))


def out_of_reach(scan: AuditedScan) -> Iterator[str]:
    """Say what of a scan no label could have told, so much that no gate may pass."""
    unknown = [each.name for each in scan.pairs if each.total_evaluated is None]
    if unknown:
        yield f"nobody knows how many outputs {_first_of(unknown)} had"
    tier_1 = [
        pair.name
        for pair in scan.pairs
        if pair.tier == TIER and pair.name in scan.not_audited
    ]
    if tier_1:
        reason = scan.not_audited[tier_1[0]]
        yield f"no output of Tier 1's {_first_of(tier_1)} could be drawn: {reason}"


def _first_of(names: Sequence[str]) -> str:
    more = len(names) - 1
    return names[0] + f" and {more} more" * (more > 0)
