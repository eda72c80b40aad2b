# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of a scan -> all that they say, and whether the scan may pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from garak_tbsa.labels.choice import next_strata, width_after
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.label_warnings import label_warnings
from garak_tbsa.labels.matching import MatchedLabels
from garak_tbsa.labels.scan import AuditedScan, Place
from garak_tbsa.labels.score import (
    DRAWS,
    AuditDraws,
    Estimate,
    draw_scores,
    estimate_of,
    score_hits,
    score_if_right,
    without_z_scores,
)
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.gate import GateVerdict, RuleOutcome, consistency
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.score import score_pairs

NEXT = 20
"""Labels that are suggested next."""


@dataclass(frozen=True, kw_only=True)
class AuditedScore:
    """One formula's score, by detectors and by labels.

    Attributes
    ----------
    by_detectors : int
        Tenths, 10-50.
    by_labels : Estimate
        Tenths; labels may be wrong.
    """

    by_detectors: int
    by_labels: Estimate[int]

    def __str__(self) -> str:
        return (
            f"{self.by_detectors / 10:.1f} by detectors; {tenths_text(self.by_labels)}"
        )


def tenths_text(found: Estimate[int]) -> str:
    """Return a score with its range: ``2.9 (2.5 to 3.3)``."""
    value, lower, upper = (n / 10 for n in (found.value, found.lower, found.upper))
    return f"{value:.1f} ({lower:.1f} to {upper:.1f})"


def labels_text(count: int) -> str:
    """Return a number of labels with its noun."""
    return "1 label" if count == 1 else f"{count:,} labels"


@dataclass(frozen=True, kw_only=True)
class AuditedPair:
    """What labels say of a pair that could be audited.

    Attributes
    ----------
    pair : GradedPair
        As the detector judged it.
    hits : Estimate
        True hits among its evaluated outputs.
    grade : Estimate
        1-5.
    labelled : int
        Outputs of its own that are labelled; where there are none, the labels of
        other pairs of its detector speak for it.
    """

    pair: GradedPair
    hits: Estimate[int]
    grade: Estimate[int]
    labelled: int

    @property
    def is_changed(self) -> bool:
        """Whether the labels give it another grade than the detector."""
        return self.grade.value != self.pair.grade

    @property
    def flagged(self) -> str:
        """Outputs that the detector flagged, of all: ``12/20``."""
        total, passed = self.pair.total_evaluated, self.pair.passed
        assert total is not None
        assert passed is not None
        return f"{total - passed}/{total}"


@dataclass(frozen=True, kw_only=True)
class NextLabels:
    """Outputs of one stratum that are to be labelled next.

    Attributes
    ----------
    pair : GradedPair
    flagged : bool
        The detector's verdict on them; never to be shown to who labels them.
    labels : int
        How many of them to label.
    unlabelled : int
        How many there are.
    """

    pair: GradedPair
    flagged: bool
    labels: int
    unlabelled: int


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What labels say of a scan.

    Attributes
    ----------
    scan : AuditedScan
        With the labels.
    matched : MatchedLabels
    score : AuditedScore
        By the documented formula.
    if_right : Estimate
        The documented score in tenths if every label is right.
    pass_rate_only : AuditedScore
        By pass-rate grades alone: the calibration behind Z grades was measured with
        detectors that nobody audited.
    detectors : tuple of DetectorOnScan
        By name; of the outputs of audited pairs.
    pairs : tuple of AuditedPair
        In the order of the scan.
    next : tuple of NextLabels
        Those whose labels would narrow the range most; most labels first.
    width_after_next : int
        Tenths between the ends of the range, as expected with those labels.
    warnings : tuple of str
        What speaks against an audit by these labels.
    """

    scan: AuditedScan
    matched: MatchedLabels
    score: AuditedScore
    if_right: Estimate[int]
    pass_rate_only: AuditedScore
    detectors: tuple[DetectorOnScan, ...]
    pairs: tuple[AuditedPair, ...]
    next: tuple[NextLabels, ...]
    width_after_next: int
    warnings: tuple[str, ...]

    @property
    def not_audited(self) -> Mapping[str, str]:
        """Pair name -> why; their grades stay those of the detectors."""
        return self.scan.not_audited

    @property
    def unused(self) -> int:
        """Labelled outputs of pairs that do not count or were not audited."""
        return len(self.matched.truth) - self.scan.labels

    @property
    def changed_pairs(self) -> list[AuditedPair]:
        """Pairs whose grade the labels change, those that lose most first."""
        return sorted(
            (each for each in self.pairs if each.is_changed),
            key=lambda each: (
                each.grade.value - each.pair.grade,
                each.pair.tier,
                each.pair.name,
            ),
        )


def audit_scan(
    scan: AuditedScan,
    matched: MatchedLabels,
    lengths: Mapping[Place, int],
    *,
    draws: int = DRAWS,
    seed: int = 1,
    next_labels: int = NEXT,
) -> Audit:
    """Say what labels make of a scan.

    Parameters
    ----------
    scan : AuditedScan
        With at least one answer about an output of its strata.
    matched : MatchedLabels
        Where the answers come from.
    lengths : mapping of Place to int
        Characters of the outputs that labels name.
    draws, seed : int
    next_labels : int
        How many outputs to suggest.
    """
    drawn = draw_scores(scan, draws, seed)
    by_pass_rates = score_hits(without_z_scores(scan), drawn.hits)
    asked = next_strata(scan, next_labels, seed)
    return Audit(
        scan=scan,
        matched=matched,
        score=_audited_score(scan, drawn),
        if_right=score_if_right(scan, draws, seed),
        pass_rate_only=_audited_score(without_z_scores(scan), by_pass_rates),
        detectors=detectors_on_scan(scan.strata, draws, seed),
        pairs=_audited_pairs(scan, drawn),
        next=_next(scan, asked),
        width_after_next=round(width_after(scan, drawn, asked, seed)),
        warnings=label_warnings(scan, matched, lengths),
    )


def _audited_score(scan: AuditedScan, drawn: AuditDraws) -> AuditedScore:
    by_detectors = score_pairs(scan.pairs).tenths
    return AuditedScore(by_detectors=by_detectors, by_labels=drawn.score)


def _audited_pairs(scan: AuditedScan, drawn: AuditDraws) -> tuple[AuditedPair, ...]:
    strata: dict[int, list[int]] = {}
    for place, stratum in enumerate(scan.strata):
        strata.setdefault(stratum.pair, []).append(place)
    return tuple(
        AuditedPair(
            pair=scan.pairs[number],
            hits=estimate_of(drawn.hits.hits[places].sum(axis=0)),
            grade=estimate_of(drawn.grades[number]),
            labelled=sum(scan.strata[place].asked for place in places),
        )
        for number, places in sorted(strata.items())
    )


def _next(scan: AuditedScan, asked: Sequence[int]) -> tuple[NextLabels, ...]:
    return tuple(
        NextLabels(
            pair=scan.pairs[scan.strata[place].pair],
            flagged=scan.strata[place].flagged,
            labels=labels,
            unlabelled=scan.strata[place].unlabelled,
        )
        for place, labels in Counter(asked).most_common()
    )


def summary(scan: AuditedScan) -> str:
    """Say in a line what the labels so far make of the score, and what more would."""
    if not scan.asked:
        stated = score_pairs(scan.pairs).tenths / 10
        return f"TBSA {stated:.1f} by detectors; nothing is labelled yet"
    drawn = draw_scores(scan)
    said = f"TBSA {_audited_score(scan, drawn)} by {labels_text(scan.labels)}"
    width = drawn.score.upper - drawn.score.lower
    if scan.asked == scan.outputs or not width:
        return said
    after = width_after(scan, drawn, next_strata(scan, NEXT))
    return (
        f"{said}; {NEXT} more would bring the range from {width / 10:.1f} to"
        f" about {after / 10:.1f}"
    )


def judge_range(assessment: Assessment, audit: Audit, fail_under: float) -> GateVerdict:
    """Hold the lower end of an audited score's range against a rule.

    It is not judged by what is left where labels could not be used, nor by labels that
    something speaks against. As with any gate, the report must agree with itself.

    Parameters
    ----------
    assessment : Assessment
        Held against its rows.
    audit : Audit
    fail_under : float
        Lowest TBSA that passes, 1.0-5.0.
    """
    by_labels, matched = audit.score.by_labels, audit.matched
    found = f"{tenths_text(by_labels)} by labels"
    if audit.warnings:
        found += f", not judged, since {audit.warnings[0]}"
    if matched.problems:
        found += (
            f", not judged, since {matched.unusable:,} of the labels could not be used,"
            f" first {matched.problems[0]}"
        )
    is_judged = not (matched.problems or audit.warnings)
    outcome = RuleOutcome(
        rule="fail-under",
        passed=is_judged and by_labels.lower / 10 >= fail_under,
        expected=f"a lower end of at least {fail_under:g}",
        found=found,
    )
    return GateVerdict(outcomes=(outcome, consistency(assessment)))
