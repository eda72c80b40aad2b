# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of a scan -> all that they say, what speaks against them, and a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from garak_tbsa.detector_eval.report_labels import (
    Place,
    ReportLabels,
)
from garak_tbsa.gates.against_baseline import TIER, consistency, held_against_answers
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import GateVerdict, RuleOutcome
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.label_warnings import label_warnings
from garak_tbsa.labels.scan import AuditedScan
from garak_tbsa.labels.score import (
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
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.tbsa.score import score_pairs

NEXT = 20
"""Labels that are suggested next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditedScore:
    """A score, by detectors and by labels.

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


def number_of(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 label``, ``1,234 labels``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditedPair:
    """What labels say of a pair that could be audited.

    Attributes
    ----------
    pair : Pair
        As the detector judged it.
    hits : Estimate
        True hits among its evaluated outputs; what the labels say of outputs of one
        verdict that are all labelled.
    grade : Estimate
        1-5; labels may be wrong, also where all outputs are labelled.
    grade_if_right : Estimate
        1-5, if every label is right.
    labelled : int
        Outputs of its own that are labelled; where there are none, the labels of
        other pairs of its detector speak for it.
    """

    pair: Pair
    hits: Estimate[int]
    grade: Estimate[int]
    grade_if_right: Estimate[int]
    labelled: int

    @property
    def is_changed(self) -> bool:
        """Whether the range of its grade excludes the detector's."""
        return self._excludes(self.grade)

    @property
    def differs_if_right(self) -> bool:
        """Whether wrong labels are what its grade by labels hangs on."""
        by_labels, if_right = self.grade, self.grade_if_right
        return by_labels.value != if_right.value or (
            self._excludes(by_labels) != self._excludes(if_right)
        )

    def _excludes(self, found: Estimate[int]) -> bool:
        return not found.lower <= self.pair.grade <= found.upper

    @property
    def flagged(self) -> str:
        """Outputs that the detector flagged, of all: ``12/20``."""
        total, passed = self.pair.total_evaluated, self.pair.passed
        assert total is not None
        assert passed is not None
        return f"{total - passed}/{total}"


@dataclass(frozen=True, kw_only=True, slots=True)
class NextLabels:
    """Outputs of one stratum that are to be labelled next.

    Attributes
    ----------
    pair : Pair
    flagged : bool
        The detector's verdict on them; never to be shown to who labels them.
    labels : int
        How many of them to label.
    unlabelled : int
        How many there are.
    """

    pair: Pair
    flagged: bool
    labels: int
    unlabelled: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit:
    """What labels say of a scan.

    Attributes
    ----------
    scan : AuditedScan
        With the labels.
    matched : ReportLabels
    score : AuditedScore
    if_right : Estimate
        The score in tenths if every label is right.
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
    matched: ReportLabels
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
        return sorted((x for x in self.pairs if x.is_changed), key=_by_loss)

    @property
    def pairs_if_right(self) -> list[AuditedPair]:
        """Pairs of whose grades something else holds if every label is right."""
        return sorted((x for x in self.pairs if x.differs_if_right), key=_by_loss)


def _by_loss(found: AuditedPair) -> tuple[int, int | None, str]:
    pair = found.pair
    return found.grade.value - pair.grade, pair.tier, pair.name


def audit_scan(
    scan: AuditedScan,
    matched: ReportLabels,
    lengths: Mapping[Place, int],
    seed: int = 1,
) -> Audit:
    """Say what labels make of a scan.

    Parameters
    ----------
    scan : AuditedScan
        With at least one answer about an output of its strata.
    matched : ReportLabels
        Where the answers come from.
    lengths : mapping of Place to int
        Characters of the outputs that labels name.
    seed : int
    """
    drawn, if_right = draw_scores(scan, seed=seed), draws_if_right(scan, seed)
    by_pass_rates = score_hits(without_z_scores(scan), drawn.hits)
    next_places = next_strata(scan, NEXT, seed)
    return Audit(
        scan=scan,
        matched=matched,
        score=_audited_score(scan, drawn),
        if_right=if_right.score,
        pass_rate_only=_audited_score(without_z_scores(scan), by_pass_rates),
        detectors=detectors_on_scan(scan.strata, seed=seed),
        pairs=_audited_pairs(scan, drawn, if_right),
        next=_next(scan, next_places),
        width_after_next=round(width_after(scan, drawn, next_places, seed)),
        warnings=label_warnings(scan, matched, lengths),
    )


def _audited_score(scan: AuditedScan, drawn: AuditDraws) -> AuditedScore:
    by_detectors = score_pairs(scan.pairs).tenths
    return AuditedScore(by_detectors=by_detectors, by_labels=drawn.score)


def _audited_pairs(
    scan: AuditedScan, drawn: AuditDraws, if_right: AuditDraws
) -> tuple[AuditedPair, ...]:
    hits = drawn.hits.hits.copy()
    for place, stratum in enumerate(scan.strata):
        if stratum.is_whole:
            hits[place] = stratum.hits
    strata: dict[int, list[int]] = {}
    for place, stratum in enumerate(scan.strata):
        strata.setdefault(stratum.pair, []).append(place)
    return tuple(
        AuditedPair(
            pair=scan.pairs[number],
            hits=estimate_of(hits[places].sum(axis=0)),
            grade=estimate_of(drawn.grades[number]),
            grade_if_right=estimate_of(if_right.grades[number]),
            labelled=sum(scan.strata[place].labelled for place in places),
        )
        for number, places in sorted(strata.items())
    )


def _next(scan: AuditedScan, next_places: Sequence[int]) -> tuple[NextLabels, ...]:
    return tuple(
        NextLabels(
            pair=scan.pairs[scan.strata[place].pair],
            flagged=scan.strata[place].flagged,
            labels=labels,
            unlabelled=scan.strata[place].unlabelled,
        )
        for place, labels in Counter(next_places).most_common()
    )


def answer_text(scan: AuditedScan, score: AuditedScore) -> str:
    """Return the score by labels, and how much of the scan is not in it, in a line."""
    said = f"TBSA {score} by {number_of(scan.labels, 'label')}"
    missing = scan.not_audited_text
    return said if missing is None else f"{said}; {missing}"


def summary(scan: AuditedScan) -> str:
    """Say in a line what the labels so far make of the score, and what more would."""
    if not scan.answered_outputs:
        stated = score_pairs(scan.pairs).tenths / 10
        return f"TBSA {stated:.1f} by detectors; nothing is labelled yet"
    drawn = draw_scores(scan)
    said = answer_text(scan, _audited_score(scan, drawn))
    width = drawn.score.upper - drawn.score.lower
    if scan.answered_outputs == scan.outputs or not width:
        return said
    after = width_after(scan, drawn, next_strata(scan, NEXT))
    return (
        f"{said}; {NEXT} more would bring the range from {width / 10:.1f} to"
        f" about {after / 10:.1f}"
    )


def judge_range(assessment: Scan, audit: Audit, rules: GateRules) -> GateVerdict:
    """Hold the lower end of an audited score's range against a rule.

    It is not judged by what is left where labels could not be used, nor by labels that
    something speaks against, nor where much of the scan was out of their reach. As with
    any gate, the report must agree with itself, and the target must have answered.

    Parameters
    ----------
    assessment : Scan
    audit : Audit
    rules : GateRules
        With the lowest TBSA that passes.
    """
    fail_under = rules.fail_under
    assert fail_under is not None
    by_labels, matched = audit.score.by_labels, audit.matched
    found = f"{tenths_text(by_labels)} by labels"
    against = [*out_of_reach(audit.scan), *audit.warnings]
    if against:
        found += f", not judged, since {against[0]}"
    if matched.problems:
        found += (
            f", not judged, since {matched.unusable:,} of the labels could not be used,"
            f" first {matched.problems[0]}"
        )
    is_judged = not (matched.problems or against)
    outcome = RuleOutcome(
        rule="fail-under",
        passed=is_judged and by_labels.lower / 10 >= fail_under,
        expected=f"a lower end of at least {fail_under:g}",
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
