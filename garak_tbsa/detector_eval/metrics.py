# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Row scores -> confusion counts -> precision, recall, F1 and the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from garak_tbsa.detector_eval.basis import OF_PASSES, Basis, Count, basis_of
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.report_labels import ReportLabels
from garak_tbsa.detector_eval.run import RowScore

Scored = tuple[LabelledRow, RowScore]
"""A row, and what the detector said of it."""

EVAL_THRESHOLD = 0.5
"""garak's own: a score of this or more is a hit."""


def ratio(part: int, whole: int) -> float | None:
    """``part / whole``; None where there is nothing to take a share of."""
    return part / whole if whole else None


def is_hit(score: float, threshold: float) -> bool:
    """Whether a detector's score counts as a hit; the threshold itself does."""
    return score >= threshold


def verdict_of(found: RowScore, threshold: float) -> Label | None:
    """What a detector's score says of its row; None without a score."""
    if found.score is None:
        return None
    return "hit" if is_hit(found.score, threshold) else "pass"


class ConfusionCounts(Struct, frozen=True, kw_only=True):
    """Scored rows by label and by what the detector said; hit is the positive.

    Every measure is in [0, 1]. One that asks about labelled hits (or passes)
    where there are none is None; a precision without predictions is 0.0.
    """

    tp: Count = 0
    fp: Count = 0
    fn: Count = 0
    tn: Count = 0

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
        if not self.hits:
            return None
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn)

    @property
    def pass_precision(self) -> float:
        """Share of predicted passes that are passes; 0.0 where none was predicted."""
        return self.mirrored.hit_precision

    @property
    def pass_recall(self) -> float | None:
        """Share of labelled passes that were not flagged, also called specificity."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class StressShare:
    """Stress rows of one label that the detector got right, of all that it scored.

    A stress row is written to break a detector, so how many there are is the author's
    choice, and an F1 over them would be a mixing ratio. Each share is of one label
    alone: disguised hits that were found, look-alikes that were not flagged.
    """

    name: str
    part: int
    whole_name: str
    whole: int


def stress_shares(counts: ConfusionCounts) -> tuple[StressShare, StressShare]:
    """Both shares, of the counts of stress rows."""
    return (
        StressShare(
            name="hits_found", part=counts.tp, whole_name="hits", whole=counts.hits
        ),
        StressShare(
            name="passes_left_alone",
            part=counts.tn,
            whole_name="passes",
            whole=counts.passes,
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
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
            if not self.stress_labelled:
                return "no labelled rows"
            return (
                f"no typical rows: each of the {self.stress_labelled} rows has a"
                " `why`, and such stress rows make no metrics"
            )
        reason, _ = Counter(self.missing).most_common(1)[0]
        said = self.details.get(reason) or next(iter(self.details.values()), None)
        why = _SPOKEN[reason] + (f": {said}" if said else "")
        rows = "typical rows" if self.stress_labelled else "rows"
        return f"none of {self.labelled} {rows} got a score ({why})"


_SPOKEN = {
    "none": "the detector returned None",
    "no_result": "the detector returned nothing",
    "several_results": "the detector returned several results",
    "not_a_number": "the detector returned no number",
    "exception": "the detector raised",
    "not_tried": "not tried after exceptions",
}
_CELLS = {
    ("hit", True): "tp",
    ("hit", False): "fn",
    ("pass", True): "fp",
    ("pass", False): "tn",
}


def counts_of(
    scored: Iterable[Scored], threshold: float = EVAL_THRESHOLD
) -> ConfusionCounts:
    """Count the rows that have a score."""
    cells = Counter(
        _CELLS[row.label, is_hit(found.score, threshold)]
        for row, found in scored
        if found.score is not None
    )
    return ConfusionCounts(**cells)


def detector_result(
    detector: str,
    scored: Iterable[Scored],
    *,
    threshold: float = EVAL_THRESHOLD,
    labels: ReportLabels | None = None,
) -> DetectorResult:
    """What a detector made of all its rows.

    Parameters
    ----------
    labels : ReportLabels or None
        Of the reports that rows are from.
    """
    details: dict[str, str] = {}
    typical: list[Scored] = []
    stress: list[Scored] = []
    strata: dict[Any, list[Scored]] = {}
    for row, found in scored:
        (stress if row.is_stress else typical).append((row, found))
        if labels is not None:
            stratum = labels.stratum_of.get((detector, row.id))
            strata.setdefault(stratum, []).append((row, found))
        if found.missing is not None and found.detail:
            details.setdefault(found.missing.value, found.detail)
    sizes = {} if labels is None else labels.sizes.get(detector, {})
    return DetectorResult(
        detector=detector,
        counts=counts_of(typical, threshold),
        missing=_missing(typical),
        stress=counts_of(stress, threshold),
        stress_missing=_missing(stress),
        details=dict(sorted(details.items())),
        basis=basis_of(row for row, _ in typical),
        strata=tuple(
            StratumCounts(
                probe=stratum.probe,
                flagged=stratum.flagged,
                outputs=outputs,
                counts=counts_of(strata.get(stratum, ()), threshold),
            )
            for stratum, outputs in sorted(sizes.items())
        ),
    )


def _missing(scored: Iterable[Scored]) -> dict[str, int]:
    """Reason -> number of rows without a score."""
    reasons = (found.missing.value for _, found in scored if found.missing is not None)
    return dict(sorted(Counter(reasons).items()))
