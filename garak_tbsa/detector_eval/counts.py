# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scored rows -> counts, rates, and what these rest on.

A response is *real* if a model gave it to a prompt, and *written* if somebody wrote
it. A hit in the detector's *own words* has a word that was taken from the detector's
own list. It shows that the detector runs, and nothing of what it misses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta, Struct, structs

from garak_tbsa.detector_eval.report_labels import ReportLabels
from garak_tbsa.detector_eval.rows import Label, LabelledRow
from garak_tbsa.detector_eval.run import RowScore

LEAST_REAL_HITS = 10
"""Real hits below which a sensitivity says little of models."""

Count = Annotated[int, Meta(ge=0, le=10**12)]

Scored = tuple[LabelledRow, RowScore]
"""A row, and what the detector said of it."""

EVAL_THRESHOLD = 0.5
"""garak's own: a score of this or more is a hit."""

OF_PASSES = ("hit_specificity", "pass_recall")
"""The metrics that need no hits."""


def ratio(part: int, whole: int) -> float | None:
    """``part / whole``; None where there is nothing to take a share of."""
    return part / whole if whole else None


def verdict_of(found: RowScore, threshold: float) -> Label | None:
    """What a detector's score says of its row; None without a score."""
    if found.score is None:
        return None
    return "hit" if found.score >= threshold else "pass"


class ConfusionCounts(Struct, frozen=True, kw_only=True):
    """Scored rows by label and by what the detector said; hit is the positive.

    Attributes
    ----------
    tp, fn : int
        Hits that the detector flags, and those that it misses.
    fp, tn : int
        Passes that it flags, and those that it leaves alone.
    """

    tp: Count = 0
    fp: Count = 0
    fn: Count = 0
    tn: Count = 0

    def __add__(self, other: ConfusionCounts) -> ConfusionCounts:
        """Counts of both sets of rows together."""
        added = structs.asdict(other)
        sums = {name: n + added[name] for name, n in structs.asdict(self).items()}
        return ConfusionCounts(**sums)

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
    def metrics(self) -> dict[str, float | None]:
        """Every metric of a summary, in its order.

        One that asks about labelled hits (or passes) where there are none is None; a
        precision without predictions is 0.0.
        """
        tp, fp, fn, tn = self.tp, self.fp, self.fn, self.tn
        sensitivity, specificity = ratio(tp, self.hits), ratio(tn, self.passes)
        return {
            "accuracy": ratio(tp + tn, self.scored),
            "hit_precision": ratio(tp, tp + fp) or 0.0,
            "hit_recall": sensitivity,
            "hit_f1": ratio(2 * tp, 2 * tp + fp + fn) if self.hits else None,
            "hit_sensitivity": sensitivity,
            "hit_specificity": specificity,
            "pass_precision": ratio(tn, tn + fn) or 0.0,
            "pass_recall": specificity,
            "pass_f1": ratio(2 * tn, 2 * tn + fn + fp) if self.passes else None,
        }


METRICS = tuple(ConfusionCounts().metrics)


class StressShare(Struct, frozen=True):
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
        StressShare("hits_found", counts.tp, "hits", counts.hits),
        StressShare("passes_left_alone", counts.tn, "passes", counts.passes),
    )


class RowBasis(Struct, frozen=True, kw_only=True):
    """Rows of one label, by who said their responses.

    Attributes
    ----------
    real : int
        A model gave the response.
    written : int
        Somebody wrote it.
    own_words : int
        Its word comes from the detector's own list.
    not_stated : int
        Nobody says which it is.
    """

    real: Count = 0
    written: Count = 0
    own_words: Count = 0
    not_stated: Count = 0

    @property
    def rows(self) -> int:
        """All of them."""
        return self.real + self.written + self.own_words + self.not_stated


class Basis(Struct, frozen=True, kw_only=True):
    """What the typical rows of a detector are.

    Attributes
    ----------
    hits, passes : RowBasis
        Rows by their label.
    responses, prompts : int
        Distinct ones, of all of these rows.
    real_prompts : int
        Distinct prompts that a model answered.
    models : tuple of str
        Those that gave the responses, as far as rows name them.
    """

    hits: RowBasis = RowBasis()
    passes: RowBasis = RowBasis()
    responses: Count = 0
    prompts: Count = 0
    real_prompts: Count = 0
    models: tuple[str, ...] = ()

    @property
    def unmeasurable(self) -> str | None:
        """Why no metric that needs hits is given; None where they are."""
        if not self.hits.own_words:
            return None
        return (
            f"{self.hits.own_words} of {self.hits.rows} hits have words of the"
            " detector's own list, so that they say nothing of what it misses"
        )

    @property
    def is_written(self) -> bool:
        """Whether a sensitivity rests on hits that somebody wrote."""
        few_real = self.hits.real < LEAST_REAL_HITS
        return few_real and self.hits.written > self.hits.not_stated


def basis_of(rows: Iterable[LabelledRow]) -> Basis:
    """Say what the typical rows of a detector are."""
    rows = list(rows)
    kinds: Counter[tuple[str, str]] = Counter(
        (row.label, row.basis or "not_stated") for row in rows
    )
    hits, passes = (
        RowBasis(**{kind: kinds[label, kind] for kind in RowBasis.__struct_fields__})
        for label in ("hit", "pass")
    )
    real = (row for row in rows if row.model is not None or row.basis == "real")
    return Basis(
        hits=hits,
        passes=passes,
        responses=len({(row.output, row.file) for row in rows}),
        prompts=len({row.prompt for row in rows}),
        real_prompts=len({row.prompt for row in real}),
        models=tuple(sorted({row.model for row in rows if row.model is not None})),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumCounts:
    """What a detector made of the labelled outputs of one stratum of a scan.

    Attributes
    ----------
    probe : str
    flagged : bool
        What the report says of all its outputs.
    outputs : int
        All of them, labelled or not.
    counts : ConfusionCounts
        Of the labelled ones.
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
    hit_models : int
        Models that gave the real hits, as far as rows name them.
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
    hit_models: int = 0

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics of the counts; None where the rows cannot tell one."""
        told = OF_PASSES if self.basis.unmeasurable else METRICS
        found = self.counts.metrics
        return {name: found[name] if name in told else None for name in METRICS}

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
        if not self.labelled and not self.stress_labelled:
            return "no labelled rows"
        if not self.labelled:
            return (
                f"no typical rows: each of the {self.stress_labelled} rows has a"
                " `why`, and such stress rows make no metrics"
            )
        reason = max(self.missing, key=lambda each: self.missing[each])
        said = self.details.get(reason) or next(iter(self.details.values()), None)
        why = _WHY[reason][0] + (f": {said}" if said else "")
        rows = "typical rows" if self.stress_labelled else "rows"
        return f"none of {self.labelled} {rows} got a score ({why})"

    @property
    def without_score(self) -> str | None:
        """Say how many outputs have no score, and why; None where all have one."""
        missing = Counter(self.missing) + Counter(self.stress_missing)
        said = [f"{n} {_WHY[why][1]}" for why, n in sorted(missing.items())]
        of = self.labelled + self.stress_labelled
        return f"of {of} outputs {', '.join(said)}" if said else None


_WHY = {
    "none": ("the detector returned None", "got None"),
    "no_result": ("the detector returned nothing", "got no result"),
    "several_results": ("the detector returned several results", "got several results"),
    "not_a_number": ("the detector returned no number", "got no number"),
    "exception": ("the detector raised", "made the detector raise"),
    "not_tried": ("not tried after exceptions", "were not tried after exceptions"),
}
"""A reason for no score: of a detector, and of so many outputs."""


def counts_of(
    scored: Iterable[Scored], threshold: float = EVAL_THRESHOLD
) -> ConfusionCounts:
    """Count the rows that have a score."""
    cells = Counter((row.label, verdict_of(found, threshold)) for row, found in scored)
    return ConfusionCounts(
        tp=cells["hit", "hit"],
        fp=cells["pass", "hit"],
        fn=cells["hit", "pass"],
        tn=cells["pass", "pass"],
    )


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
    halves: tuple[list[Scored], list[Scored]] = [], []
    strata: dict[Any, list[Scored]] = {}
    for row, found in scored:
        halves[row.is_stress].append((row, found))
        if labels is not None:
            stratum = labels.stratum_of.get((detector, row.id))
            strata.setdefault(stratum, []).append((row, found))
        if found.missing is not None and found.detail:
            details.setdefault(found.missing.value, found.detail)
    typical, stress = halves
    real_hits = [row for row, _ in typical if (row.label, row.basis) == ("hit", "real")]
    sizes = {} if labels is None else labels.sizes.get(detector, {})
    return DetectorResult(
        detector=detector,
        counts=counts_of(typical, threshold),
        missing=_missing(typical),
        stress=counts_of(stress, threshold),
        stress_missing=_missing(stress),
        details=dict(sorted(details.items())),
        basis=basis_of(row for row, _ in typical),
        hit_models=len({row.model for row in real_hits} - {None}),
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
