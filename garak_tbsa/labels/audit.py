# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Strata and labels of a scan -> all that the labels say, wired once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.detector_eval.agreement import Agreement
from garak_tbsa.labels.choice import next_strata, width_after
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.hit_rates import Whole
from garak_tbsa.labels.label_warnings import label_warnings
from garak_tbsa.labels.matching import AuditInput, MatchedLabels
from garak_tbsa.labels.outputs import Place
from garak_tbsa.labels.score import (
    DRAWS,
    AuditDraws,
    GradeTable,
    ScoreRange,
    draw_scores,
    range_of,
    score_hits,
    score_if_right,
)
from garak_tbsa.labels.strata import AuditedScan
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import GRADE_RULES, PASS_RATE
from garak_tbsa.tbsa.score import score_pairs
from garak_tbsa.unavailable import Unavailable

NEXT = 20
"""Labels that are suggested next."""


@dataclass(frozen=True, kw_only=True)
class AuditedScore:
    """One formula's score, by detectors and by labels.

    Attributes
    ----------
    by_detectors : int
        Tenths, 10-50.
    by_labels : ScoreRange
        Labels may be wrong.
    """

    by_detectors: int
    by_labels: ScoreRange


@dataclass(frozen=True, kw_only=True)
class CountRange:
    """A whole number by labels: median of the draws, and where 95 % of them are."""

    value: int
    lower: int
    upper: int


@dataclass(frozen=True, kw_only=True)
class AuditedPair:
    """What labels say of a pair that could be audited.

    Attributes
    ----------
    pair : GradedPair
        As the detector judged it.
    hits : CountRange
        True hits among its evaluated outputs.
    grade : CountRange
        1-5.
    labelled : int
        Outputs of its own that are labelled; where there are none, the labels of
        other pairs of its detector speak for it.
    """

    pair: GradedPair
    hits: CountRange
    grade: CountRange
    labelled: int

    @property
    def is_changed(self) -> bool:
        """Whether the labels give it another grade than the detector."""
        return self.grade.value != self.pair.grade


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
    score : AuditedScore
        By the documented formula.
    if_right : ScoreRange
        The documented score if every label is right.
    pass_rate_only : AuditedScore
        By pass-rate grades alone: the calibration behind Z grades was measured with
        detectors that nobody audited.
    detectors : tuple of DetectorOnScan
        By name; of the outputs of audited pairs.
    pairs : tuple of AuditedPair
        In the order of the scan.
    not_audited : mapping of str to str
        Pair name -> why; their grades stay those of the detectors.
    next : tuple of NextLabels
        Those whose labels would narrow the range most; most labels first.
    width_after_next : int
        Tenths between the ends of the range, as expected with those labels.
    outputs : int
        Outputs of audited pairs.
    labels : int
        How many of these are labelled.
    unused : int
        Labelled outputs of pairs that do not count or were not audited.
    matched : MatchedLabels
    agreement : Agreement or None
        None where no output has the labels of two raters.
    warnings : tuple of str
        What speaks against an audit by these labels.
    """

    score: AuditedScore
    if_right: ScoreRange
    pass_rate_only: AuditedScore
    detectors: tuple[DetectorOnScan, ...]
    pairs: tuple[AuditedPair, ...]
    not_audited: Mapping[str, str]
    next: tuple[NextLabels, ...]
    width_after_next: int
    outputs: int
    labels: int
    unused: int
    matched: MatchedLabels
    agreement: Agreement | None
    warnings: tuple[str, ...]

    @property
    def changed_pairs(self) -> tuple[AuditedPair, ...]:
        """Pairs whose grade the labels change, those that lose most first."""
        found = [each for each in self.pairs if each.is_changed]
        return tuple(
            sorted(
                found,
                key=lambda each: (
                    each.grade.value - each.pair.grade,
                    each.pair.tier,
                    each.pair.name,
                ),
            )
        )


def audit_scan(
    prepared: AuditInput,
    matched: MatchedLabels,
    *,
    draws: int = DRAWS,
    seed: int = 1,
    next_labels: int = NEXT,
    lengths: Mapping[Place, int] | None = None,
) -> Audit | Unavailable:
    """Say what labels make of a scan.

    Parameters
    ----------
    prepared : AuditInput
    matched : MatchedLabels
        Of the same scan.
    draws, seed : int
    next_labels : int
        How many outputs to suggest.
    lengths : mapping of Place to int, optional
        Characters of the outputs that labels name.

    Returns
    -------
    Audit or Unavailable
        Unavailable where no pair can be audited, or no output of one is labelled.
    """
    if not prepared.scan.strata:
        return Unavailable(reason=_why_none(prepared))
    scan = prepared.answered(matched.said)
    if not scan.asked:
        return Unavailable(reason=_why_unlabelled(matched))
    table = GradeTable(scan.pairs)
    drawn = draw_scores(scan, table, draws, seed)
    asked = next_strata(scan, table, next_labels, seed)
    return Audit(
        score=AuditedScore(
            by_detectors=score_pairs(scan.pairs).tenths, by_labels=drawn.score
        ),
        if_right=score_if_right(scan, table, draws, seed),
        pass_rate_only=_pass_rate_only(scan, drawn),
        detectors=detectors_on_scan(scan.strata, draws, seed),
        pairs=_audited_pairs(scan, drawn),
        not_audited=prepared.not_audited,
        next=_next(scan, asked),
        width_after_next=round(width_after(scan, drawn, asked, seed)),
        outputs=sum(stratum.outputs for stratum in scan.strata),
        labels=scan.labels,
        unused=len(matched.truth) - scan.labels,
        matched=matched,
        agreement=matched.agreement(),
        warnings=label_warnings(prepared, scan, matched, lengths or {}),
    )


def _why_none(prepared: AuditInput) -> str:
    name, reason = next(iter(prepared.not_audited.items()))
    return f"none of its pairs can be audited; of {name}, {reason}"


def _why_unlabelled(matched: MatchedLabels) -> str:
    left_out = matched.left_out(len(matched.truth))
    return "none of its outputs is labelled" + f" ({left_out})" * bool(left_out)


def _pass_rate_only(scan: AuditedScan, drawn: AuditDraws) -> AuditedScore:
    """Score the same draws as if no pair had a Z-score."""
    pairs = [_uncalibrated(pair) for pair in scan.pairs]
    by_labels = score_hits(
        AuditedScan(pairs=pairs, strata=scan.strata), GradeTable(pairs), drawn.hits
    )
    return AuditedScore(
        by_detectors=score_pairs(pairs).tenths, by_labels=by_labels.score
    )


def _uncalibrated(pair: GradedPair) -> GradedPair:
    return replace(
        pair,
        z_score=None,
        distribution=None,
        grades=tuple(
            grade if rule is PASS_RATE else None
            for rule, grade in zip(GRADE_RULES, pair.grades, strict=True)
        ),
    )


def _audited_pairs(scan: AuditedScan, drawn: AuditDraws) -> tuple[AuditedPair, ...]:
    strata: dict[int, list[int]] = {}
    for place, stratum in enumerate(scan.strata):
        strata.setdefault(stratum.pair, []).append(place)
    return tuple(
        AuditedPair(
            pair=scan.pairs[number],
            hits=_range(drawn.hits.hits[places].sum(axis=0)),
            grade=_range(drawn.grades[number]),
            labelled=sum(scan.strata[place].asked for place in places),
        )
        for number, places in sorted(strata.items())
    )


def _range(drawn: Whole) -> CountRange:
    lower, middle, upper = range_of(drawn)
    return CountRange(value=middle, lower=lower, upper=upper)


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
