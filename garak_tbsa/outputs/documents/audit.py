# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What labels say of a scan, as types."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from garak_tbsa.outputs.documents.gate import Gate
from garak_tbsa.outputs.documents.values import (
    ChecksumText,
    Count,
    Grade,
    Positive,
    ScoredTier,
    Share,
    Tbsa,
)


class ScoreRange(Struct, frozen=True, kw_only=True):
    """A score by labels, with its range.

    Attributes
    ----------
    tbsa
        Median of the score, given the labels.
    lower, upper
        Ends of the range.
    """

    tbsa: Tbsa
    lower: Tbsa
    upper: Tbsa

    @property
    def text(self) -> str:
        """Return ``2.9 (2.5 to 3.3)``."""
        return f"{self.tbsa:.1f} ({self.lower:.1f} to {self.upper:.1f})"


class ByPassRates(ScoreRange, frozen=True, kw_only=True):
    """The score by pass-rate grades alone.

    Attributes
    ----------
    by_detectors
        As the detectors judged.
    """

    by_detectors: Tbsa


class AuditedScore(ScoreRange, frozen=True, kw_only=True):
    """What TBSA would be if every output were judged as the labellers judge.

    Attributes
    ----------
    if_labels_right
        The same if every label is right; the other allows for wrong ones.
    level
        Probability that the score is in the range.
    labels
        Labelled outputs behind it.
    outputs
        Outputs of audited pairs.
    pass_rate_only
        By pass-rate grades alone, because the calibration for the Z grades was measured
        with detectors that were not audited.
    """

    if_labels_right: ScoreRange
    level: Share
    labels: Count
    outputs: Positive
    pass_rate_only: ByPassRates


class MeasuredShare(Struct, frozen=True, kw_only=True):
    """A share of outputs, with the range of 95 %.

    Attributes
    ----------
    value
        null if there are too few labels.
    lower, upper
        Ends of the range.
    missing_because
        Why there is no value; missing if there is one.
    """

    value: Share | None
    lower: Share | None
    upper: Share | None
    missing_because: str | UnsetType = UNSET


class Detector(Struct, frozen=True, kw_only=True):
    """A detector on this scan.

    Attributes
    ----------
    detector
        Its name.
    flagged, unflagged
        Outputs of audited pairs by its verdict.
    flagged_labels, unflagged_labels
        How many of these are labelled.
    flagged_hits, unflagged_hits
        How many of these are labelled hit.
    sensitivity
        Share of the true hits that the detector flagged.
    specificity
        Share of the true passes that it does not flag.
    precision
        Share of the flagged outputs that are true hits.
    negative_predictive_value
        Share of the unflagged outputs that are true passes.
    prevalence
        Share of the outputs that are true hits.
    hit_f1
        Harmonic mean of precision and sensitivity.
    """

    detector: str
    flagged: Count
    unflagged: Count
    flagged_labels: Count
    unflagged_labels: Count
    flagged_hits: Count
    unflagged_hits: Count
    sensitivity: MeasuredShare
    specificity: MeasuredShare
    precision: MeasuredShare
    negative_predictive_value: MeasuredShare
    prevalence: MeasuredShare
    hit_f1: MeasuredShare


class Whole(Struct, frozen=True, kw_only=True):
    """A whole number by labels, with the range of 95 %.

    Attributes
    ----------
    value
        Median.
    lower, upper
        Ends of the range.
    """

    value: Count
    lower: Count
    upper: Count

    @property
    def ends(self) -> str:
        """Return ``24 to 38``; the number alone where there is but one."""
        ends = f"{self.lower} to {self.upper}"
        return ends if self.lower != self.upper else str(self.value)

    @property
    def text(self) -> str:
        """Return ``30 (24 to 38)``; the number alone where there is but one."""
        is_one = self.lower == self.upper
        return self.ends if is_one else f"{self.value} ({self.ends})"


class Grades(Whole, frozen=True, kw_only=True):
    """DEFCON 1 (awful) to 5 (great) by labels, with the range of 95 %."""

    value: Grade
    lower: Grade
    upper: Grade


class AuditedPair(Struct, frozen=True, kw_only=True):
    """A pair that could be audited.

    Attributes
    ----------
    probe, detector, tier
        As in the score.
    passed, total_evaluated, grade
        By the detector.
    labels
        Labelled outputs of this pair; where there are none, the labels of other pairs
        of its detector speak for it.
    audited_grade
        The grade if every output were judged as the labellers judge.
    grade_if_labels_right
        The same if every label is right.
    audited_hits
        True hits among the evaluated outputs; what the labels say of outputs of one
        verdict that are all labelled.
    changed
        Whether the range of audited_grade excludes the detector's grade.
    """

    probe: str
    detector: str
    tier: ScoredTier
    passed: Count
    total_evaluated: Count
    labels: Count
    grade: Grade
    audited_grade: Grades
    grade_if_labels_right: Grades
    audited_hits: Whole
    changed: bool

    @property
    def name(self) -> str:
        """``probe+detector``, as elsewhere."""
        return f"{self.probe}+{self.detector}"

    @property
    def flagged(self) -> str:
        """Outputs that the detector flagged, of all: ``12/20``."""
        return f"{self.total_evaluated - self.passed}/{self.total_evaluated}"

    @property
    def differs_if_right(self) -> bool:
        """Whether wrong labels are what its grade by labels hangs on."""
        found, right = self.audited_grade, self.grade_if_labels_right
        is_changed = not right.lower <= self.grade <= right.upper
        return found.value != right.value or self.changed != is_changed


class Disagreement(Struct, frozen=True, kw_only=True):
    """A labelled output on which labels and detector disagree.

    Attributes
    ----------
    probe, detector
        Its pair.
    flagged
        The detector's verdict.
    label
        What most answers call it.
    attempt
        What garak-tbsa show finds the attempt by.
    line
        The attempt's row in the report.
    output_index
        From 0.
    prompt, response
        Hostile texts; without their middle where they are long.
    """

    probe: str
    detector: str
    flagged: bool
    label: Literal["hit", "pass"]
    attempt: str
    line: Positive
    output_index: Count
    prompt: str
    response: str

    @property
    def text(self) -> str:
        """Who says what of it."""
        judged = "flagged" if self.flagged else "passed"
        pair = f"{self.probe}+{self.detector}"
        return f"{pair}: {judged} by the detector, labelled {self.label}"


class NotAudited(Struct, frozen=True, kw_only=True):
    """A pair whose grade stays the detector's.

    Attributes
    ----------
    pair
        Its name.
    reason
        Why it could not be audited.
    """

    pair: str
    reason: str


class Next(Struct, frozen=True, kw_only=True):
    """Outputs of a pair and verdict that are to be labelled next.

    Attributes
    ----------
    probe, detector
        The pair.
    flagged
        The detector's verdict on these outputs; never show it to raters.
    labels
        How many of them to label.
    unlabelled
        How many there are.
    """

    probe: str
    detector: str
    flagged: bool
    labels: Positive
    unlabelled: Positive


class Disputed(Struct, frozen=True, kw_only=True):
    """An output about which answers differ.

    Attributes
    ----------
    attempt, output_index, detector
        Which one, judged by which detector.
    hits, passes
        Answers.
    """

    attempt: str
    output_index: Count
    detector: str
    hits: Positive
    passes: Positive


class Agreement(Struct, frozen=True, kw_only=True):
    """How far raters agree.

    Attributes
    ----------
    alpha
        Krippendorff's alpha, nominal; null if there is only one label.
    rows
        Outputs with at least two labels.
    raters
        Different raters of these.
    """

    alpha: float | None
    rows: Count
    raters: Count


class Labels(Struct, frozen=True, kw_only=True):
    """The labels, and which did not count.

    Attributes
    ----------
    files
        Their paths.
    used
        Labelled outputs of audited pairs.
    of_other_pairs
        Labelled outputs of pairs that do not count or were not audited.
    ties
        Outputs with as many answers hit as pass.
    skipped
        Answers skip and unsure.
    blank
        Rows without an answer.
    picked
        Labels of outputs that a person picked; the ranges assume that this was done
        without knowing the verdicts.
    disputed
        Outputs about which answers differ.
    warnings
        What speaks against an audit by these labels; a gate then fails.
    agreement
        null if no output has the labels of two raters.
    problems
        Labels that were not used, with file and row.
    """

    files: list[str]
    used: Count
    of_other_pairs: Count
    ties: Count
    skipped: Count
    blank: Count
    picked: Count
    disputed: list[Disputed]
    warnings: list[str]
    agreement: Agreement | None
    problems: list[str]


class Audit(Struct, frozen=True, kw_only=True):
    """What labels of some outputs say of a scan.

    Attributes
    ----------
    schema_version
        Of this description.
    note
        What a score is not.
    tbsa
        By the detectors.
    audited
        By the labels.
    detectors
        By name.
    pairs
        Every audited pair.
    disagreements
        Tier 1 first. Their texts come from attacks and from the attacked model.
    not_audited
        The other pairs that count.
    next
        What to label next, most labels first.
    width_after_next
        Expected upper - lower with those labels.
    labels
        Whose, and which did not count.
    infile
        The report's path.
    run_id, garak_version, target_type, target_name
        As the report says.
    partial_reason
        Why the scan is not complete; null if it is.
    checksum
        The score's; audits can only be compared if it is equal.
    warnings
        What is odd about the scan.
    gate
        null if no gate was set.
    """

    schema_version: Literal[1]
    note: str
    tbsa: Tbsa
    audited: AuditedScore
    detectors: list[Detector]
    pairs: list[AuditedPair]
    disagreements: list[Disagreement]
    not_audited: list[NotAudited]
    next: list[Next]
    width_after_next: Annotated[float, Meta(ge=0)]
    labels: Labels
    infile: str
    run_id: str | None
    garak_version: str | None
    target_type: str | None
    target_name: str | None
    partial_reason: str | None
    checksum: ChecksumText
    warnings: list[str]
    gate: Gate | None
