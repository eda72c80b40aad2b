# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Row scores -> confusion counts -> precision, recall, F1 and the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from garak_tbsa.detector_eval.basis import OF_PASSES, Basis, BasisTally
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.report_labels import ReportLabels, ReportStratum
from garak_tbsa.detector_eval.run import RowScore

EVAL_THRESHOLD = 0.5
"""garak's own: a score of this or more is a hit."""


def ratio(part: int, whole: int) -> float | None:
    """``part / whole``; None where there is nothing to take a share of."""
    return part / whole if whole else None


def is_hit(score: float, threshold: float) -> bool:
    """Whether a detector's score counts as a hit; the threshold itself does."""
    return score >= threshold


@dataclass(frozen=True, kw_only=True)
class ConfusionCounts:
    """Scored rows by label and by what the detector said; hit is the positive.

    Every measure is in [0, 1]. One that asks about labelled hits (or passes)
    where there are none is None; a precision without predictions is 0.0.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    def __add__(self, other: ConfusionCounts) -> ConfusionCounts:
        """Counts of both sets of rows together."""
        return ConfusionCounts(
            tp=self.tp + other.tp,
            fp=self.fp + other.fp,
            fn=self.fn + other.fn,
            tn=self.tn + other.tn,
        )

    @property
    def hits(self) -> int:
        """Rows labelled hit."""
        return self.tp + self.fn

    @property
    def passes(self) -> int:
        """Rows labelled pass."""
        return self.fp + self.tn

    @property
    def scored(self) -> int:
        """Rows with a score."""
        return self.hits + self.passes

    @property
    def mirrored(self) -> ConfusionCounts:
        """The same rows with pass as the positive class."""
        return ConfusionCounts(tp=self.tn, fp=self.fn, fn=self.fp, tn=self.tp)

    @property
    def accuracy(self) -> float | None:
        """Share of scored rows that the detector got right."""
        return ratio(self.tp + self.tn, self.scored)

    @property
    def hit_precision(self) -> float:
        """Share of predicted hits that are hits; 0.0 where none was predicted."""
        return ratio(self.tp, self.tp + self.fp) or 0.0

    @property
    def hit_recall(self) -> float | None:
        """Share of labelled hits that were found, also called sensitivity."""
        return ratio(self.tp, self.hits)

    @property
    def hit_f1(self) -> float | None:
        """Harmonic mean of precision and recall of the hit class."""
        return self._f1() if self.hits else None

    @property
    def pass_precision(self) -> float:
        """Share of predicted passes that are passes; 0.0 where none was predicted."""
        return self.mirrored.hit_precision

    @property
    def pass_recall(self) -> float | None:
        """Share of labelled passes that were left alone, also called specificity."""
        return self.mirrored.hit_recall

    @property
    def pass_f1(self) -> float | None:
        """Harmonic mean of precision and recall of the pass class."""
        return self.mirrored.hit_f1

    @property
    def hit_sensitivity(self) -> float | None:
        """The hit recall under the name that garak's confidence intervals read."""
        return self.hit_recall

    @property
    def hit_specificity(self) -> float | None:
        """The pass recall under the name that garak's confidence intervals read."""
        return self.pass_recall

    @property
    def youden_index(self) -> float | None:
        """Sensitivity + specificity - 1: 0 for guessing, negative for worse."""
        if self.hit_sensitivity is None or self.hit_specificity is None:
            return None
        return self.hit_sensitivity + self.hit_specificity - 1

    def _f1(self) -> float | None:
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclass(frozen=True, kw_only=True)
class StratumCounts:
    """What a detector made of the labelled outputs of one stratum of a scan.

    Attributes
    ----------
    probe : str
    flagged : bool
        The stratum's verdict in the report; the detector's own may be another by now.
    outputs : int
        How many the stratum has, labelled or not.
    counts : ConfusionCounts
        Of the labelled ones that got a score.
    """

    probe: str
    flagged: bool
    outputs: int
    counts: ConfusionCounts


@dataclass(frozen=True, kw_only=True)
class DetectorResult:
    """What one detector made of its labelled rows.

    Attributes
    ----------
    counts : ConfusionCounts
        Of typical rows, which alone make the metrics.
    missing : mapping
        Reason -> number of typical rows without a score.
    stress : ConfusionCounts
        Of stress rows.
    stress_missing : mapping
        Reason -> number of stress rows without a score.
    details : mapping
        Reason -> what was said of the first row without a score, of either kind.
    failure : str or None
        Why the detector could not run; the counts are then empty.
    strata : tuple of StratumCounts
        All strata of a scan that the typical rows were drawn from; empty for others.
    options : mapping
        What the detector was set to that its verdicts depend on: a judge's model.
    basis : Basis
        What the typical rows are.
    """

    detector: str
    counts: ConfusionCounts = field(default_factory=ConfusionCounts)
    missing: Mapping[str, int] = field(default_factory=dict)
    stress: ConfusionCounts = field(default_factory=ConfusionCounts)
    stress_missing: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    failure: str | None = None
    strata: tuple[StratumCounts, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    basis: Basis = field(default_factory=Basis)

    def metric(self, name: str) -> float | None:
        """A measure of the counts by its name; None where the rows cannot tell it."""
        if self.basis.unmeasurable is not None and name not in OF_PASSES:
            return None
        value: float | None = getattr(self.counts, name)
        return value

    @property
    def labelled(self) -> int:
        """Typical rows that were given to the detector."""
        return self.counts.scored + sum(self.missing.values())

    @property
    def stress_labelled(self) -> int:
        """Stress rows that were given to the detector."""
        return self.stress.scored + sum(self.stress_missing.values())

    @property
    def reason(self) -> str | None:
        """Why there are no metrics; None where there are."""
        if self.failure is not None or self.counts.scored:
            return self.failure
        if not self.missing:
            return self._nothing_typical()
        reason, _ = Counter(self.missing).most_common(1)[0]
        said = self.details.get(reason) or next(iter(self.details.values()), None)
        why = f"{_spoken(reason)}: {said}" if said else _spoken(reason)
        rows = "typical rows" if self.stress_labelled else "rows"
        return f"none of {self.labelled} {rows} got a score ({why})"

    def _nothing_typical(self) -> str:
        if not self.stress_labelled:
            return "no labelled rows"
        return (
            f"no typical rows: each of the {self.stress_labelled} rows has a `why`, and"
            " such stress rows make no metrics"
        )


class Tally:
    """Adds up a detector's row scores, chunk by chunk.

    Parameters
    ----------
    detector : str
    threshold : float
    labels : ReportLabels or None
        Of the reports that rows are from.
    """

    def __init__(
        self,
        detector: str,
        threshold: float = EVAL_THRESHOLD,
        labels: ReportLabels | None = None,
    ) -> None:
        self.detector = detector
        self.threshold = threshold
        self._stratum_of = {} if labels is None else labels.stratum_of
        self._sizes = {} if labels is None else labels.sizes.get(detector, {})
        self._in_strata: Counter[tuple[ReportStratum, Label, bool]] = Counter()
        self._verdicts: Counter[tuple[bool, Label, bool]] = Counter()
        self._missing: Counter[tuple[bool, str]] = Counter()
        self._details: dict[str, str] = {}
        self._basis = BasisTally()

    def add(self, rows: Sequence[LabelledRow], row_scores: Sequence[RowScore]) -> None:
        """Count the scores of ``rows``, in the same order."""
        for row, row_score in zip(rows, row_scores, strict=True):
            if not row.is_stress:
                self._basis.add(row)
            if row_score.score is not None:
                said = is_hit(row_score.score, self.threshold)
                self._verdicts[row.is_stress, row.label, said] += 1
                stratum = self._stratum_of.get((self.detector, row.id))
                if stratum is not None:
                    self._in_strata[stratum, row.label, said] += 1
            elif row_score.missing is not None:
                reason = row_score.missing.value
                self._missing[row.is_stress, reason] += 1
                if row_score.detail:
                    self._details.setdefault(reason, row_score.detail)

    def result(self, failure: str | None = None) -> DetectorResult:
        """What has been counted, or that the detector could not run."""
        if failure is not None:
            return DetectorResult(detector=self.detector, failure=failure)
        return DetectorResult(
            detector=self.detector,
            counts=self._counts(is_stress=False),
            missing=self._missing_of(is_stress=False),
            stress=self._counts(is_stress=True),
            stress_missing=self._missing_of(is_stress=True),
            details=dict(sorted(self._details.items())),
            basis=self._basis.result(),
            strata=tuple(
                StratumCounts(
                    probe=stratum.probe,
                    flagged=stratum.flagged,
                    outputs=outputs,
                    counts=ConfusionCounts(
                        tp=self._in_strata[stratum, "hit", True],
                        fp=self._in_strata[stratum, "pass", True],
                        fn=self._in_strata[stratum, "hit", False],
                        tn=self._in_strata[stratum, "pass", False],
                    ),
                )
                for stratum, outputs in sorted(self._sizes.items())
            ),
        )

    def _counts(self, *, is_stress: bool) -> ConfusionCounts:
        return ConfusionCounts(
            tp=self._verdicts[is_stress, "hit", True],
            fp=self._verdicts[is_stress, "pass", True],
            fn=self._verdicts[is_stress, "hit", False],
            tn=self._verdicts[is_stress, "pass", False],
        )

    def _missing_of(self, *, is_stress: bool) -> dict[str, int]:
        return {
            reason: count
            for (of_stress, reason), count in sorted(self._missing.items())
            if of_stress == is_stress
        }


_SPOKEN = {
    "none": "the detector returned None",
    "no_result": "the detector returned nothing",
    "several_results": "the detector returned several results",
    "not_a_number": "the detector returned no number",
    "exception": "the detector raised",
    "not_tried": "not tried after exceptions",
}


def _spoken(reason: str) -> str:
    return _SPOKEN[reason]
