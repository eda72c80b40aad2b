# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One detector's rows and their scores -> where it is right, where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.dataset import ReadingNotes
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    ConfusionCounts,
    DetectorResult,
    Tally,
    is_hit,
)
from garak_tbsa.detector_eval.run import Opener, RowScore, score_rows
from garak_tbsa.detector_eval.selection import (
    DataRequest,
    DetectorCatalogue,
    select_rows,
)
from garak_tbsa.errors import DatasetError, UsageError

TYPICAL, STRESS = "typical", "stress"
UNNAMED = "(none)"
"""Slice or language of rows that name none."""


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A row that the detector got wrong."""

    row: LabelledRow
    score: float


@dataclass(frozen=True, kw_only=True)
class ThresholdPoint:
    """The counts where scores of at least ``threshold`` are hits."""

    threshold: float
    counts: ConfusionCounts


@dataclass(frozen=True, kw_only=True)
class DetectorExplanation:
    """What one detector made of its labelled rows.

    Attributes
    ----------
    result : DetectorResult
        Typical and stress rows, apart.
    kinds, slices, languages, sources : mapping of group to ConfusionCounts
        All rows, grouped: typical or stress, by slice, by language, by source,
        which is the file for sets that others published.
    false_positives, false_negatives : tuple of Mistake
        Of typical rows, then of stress rows, each in the rows' order.
    missing : tuple of (LabelledRow, RowScore)
        Rows without a score.
    thresholds : tuple of ThresholdPoint
        One for each distinct score of typical rows, ascending; empty where these have
        no more than two, since every threshold between them is the same.
    average_precision : float or None
        Precision at each recall step, weighted by the step; None likewise.
    agreement : Agreement or None
        Of the raters; None where no row has two labels.
    notes : ReadingNotes or None
        Rows left out, where the request lets rows be left out.
    """

    result: DetectorResult
    kinds: Mapping[str, ConfusionCounts]
    slices: Mapping[str, ConfusionCounts]
    languages: Mapping[str, ConfusionCounts]
    sources: Mapping[str, ConfusionCounts]
    false_positives: tuple[Mistake, ...]
    false_negatives: tuple[Mistake, ...]
    missing: tuple[tuple[LabelledRow, RowScore], ...]
    thresholds: tuple[ThresholdPoint, ...]
    average_precision: float | None
    agreement: Agreement | None
    notes: ReadingNotes | None = None


def explanation_of(
    detector: str,
    scored: Sequence[tuple[LabelledRow, RowScore]],
    threshold: float = EVAL_THRESHOLD,
    failure: str | None = None,
) -> DetectorExplanation:
    """What rows with their scores say, or that the detector could not run."""

    def counted(pairs: Sequence[tuple[LabelledRow, RowScore]]) -> DetectorResult:
        tally = Tally(detector, threshold)
        tally.add([row for row, _ in pairs], [score for _, score in pairs])
        return tally.result(failure)

    def grouped(name_of: Callable[[LabelledRow], str | None]) -> _Groups:
        groups: dict[str, list[tuple[LabelledRow, RowScore]]] = {}
        for row, score in scored:
            groups.setdefault(name_of(row) or UNNAMED, []).append((row, score))
        results = {name: counted(pairs) for name, pairs in sorted(groups.items())}
        return {name: each.counts + each.stress for name, each in results.items()}

    known = [(row, score.score) for row, score in scored if score.score is not None]
    wrong = [
        Mistake(row=row, score=score)
        for row, score in sorted(known, key=lambda pair: pair[0].is_stress)
        if is_hit(score, threshold) != (row.label == "hit")
    ]
    typical = [(row, score) for row, score in known if not row.is_stress]
    points = precision_recall(
        [score for _, score in typical], [row.label == "hit" for row, _ in typical]
    )
    if len(points) <= 2:
        points = ()
    return DetectorExplanation(
        result=counted(scored),
        kinds=grouped(lambda row: STRESS if row.is_stress else TYPICAL),
        slices=grouped(lambda row: row.slice),
        languages=grouped(lambda row: row.lang),
        sources=grouped(lambda row: row.source),
        false_positives=tuple(each for each in wrong if each.row.label == "pass"),
        false_negatives=tuple(each for each in wrong if each.row.label == "hit"),
        missing=tuple((row, score) for row, score in scored if score.score is None),
        thresholds=points,
        average_precision=average_precision(points),
        agreement=agreement_of(row.annotations for row, _ in scored),
    )


_Groups = dict[str, ConfusionCounts]


def explain_detector(
    request: DataRequest,
    *,
    catalogue: DetectorCatalogue,
    opener: Opener,
    eval_threshold: float = EVAL_THRESHOLD,
    seed: int = 42,
) -> DetectorExplanation:
    """Run one detector on its labelled rows and explain what it made of them.

    Raises
    ------
    UsageError
        The request names several detectors.
    DatasetError
        There are no rows of it, or they cannot be used.
    """
    selection = select_rows(request, catalogue)
    names = [*selection.rows, *selection.without_rows]
    if len(names) != 1:
        raise UsageError(
            f"{request.detectors!r} names {len(names)} detectors; name one, e.g."
            f" {names[0]}"
        )
    if not selection.rows:
        raise DatasetError(f"{names[0]}: no labelled rows of it; give some with --data")
    ((name, of_detector),) = selection.rows.items()
    (found,) = score_rows({name: of_detector.rows}, opener, seed=seed)
    scored = list(zip(of_detector.rows, found.row_scores, strict=False))
    explanation = explanation_of(name, scored, eval_threshold, found.failure)
    notes = selection.notes
    if notes is None:
        return explanation
    # raters' agreement is that on all rows, also those that their ties leave out
    return replace(explanation, notes=notes, agreement=notes.agreement)


def precision_recall(
    scores: Sequence[float], hits: Sequence[int]
) -> tuple[ThresholdPoint, ...]:
    """The counts at each distinct score taken as the threshold, ascending.

    Parameters
    ----------
    scores : sequence of float
    hits : sequence of 0 or 1
        Which of them belong to rows labelled hit.
    """
    values, labels = numpy.asarray(scores), numpy.asarray(hits, dtype=bool)
    thresholds, place = numpy.unique(values, return_inverse=True)
    at_score = [
        numpy.bincount(place[labels == label], minlength=len(thresholds))
        for label in (True, False)
    ]
    tp, fp = (counts[::-1].cumsum()[::-1] for counts in at_score)
    total_hits, total_passes = int(labels.sum()), int((~labels).sum())
    return tuple(
        ThresholdPoint(
            threshold=float(threshold),
            counts=ConfusionCounts(
                tp=int(true),
                fp=int(false),
                fn=total_hits - int(true),
                tn=total_passes - int(false),
            ),
        )
        for threshold, true, false in zip(thresholds, tp, fp, strict=True)
    )


def average_precision(points: Sequence[ThresholdPoint]) -> float | None:
    """Sum of precision times the recall that each threshold adds, from the highest.

    None without points or without labelled hits.
    """
    if not points or not points[0].counts.hits:
        return None
    total = recall_before = 0.0
    for point in reversed(points):
        recall = point.counts.hit_recall or 0.0
        total += point.counts.hit_precision * (recall - recall_before)
        recall_before = recall
    return total


def best_threshold(points: Sequence[ThresholdPoint]) -> ThresholdPoint | None:
    """The threshold with the highest hit F1, the lowest of equals; None without any."""
    scored = [point for point in points if point.counts.hit_f1 is not None]
    return max(scored, key=lambda point: point.counts.hit_f1 or 0.0, default=None)
