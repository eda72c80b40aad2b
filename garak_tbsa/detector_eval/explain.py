# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One detector's rows and their scores -> where it is right, where it is wrong.

Rows stream through; what is kept is every wrong row, and 9 bytes of each other.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy

from garak_tbsa.detector_eval.agreement import Agreement, AgreementTally
from garak_tbsa.detector_eval.dataset import ReadingNotes
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    ConfusionCounts,
    DetectorResult,
    Tally,
    is_hit,
)
from garak_tbsa.detector_eval.run import Opener, RowScore, chunks_of, score_chunks
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


class Explainer:
    """Takes rows with their scores in, gives the explanation out."""

    def __init__(self, detector: str, threshold: float = EVAL_THRESHOLD) -> None:
        self._detector = detector
        self._threshold = threshold
        self._all = Tally(detector, threshold)
        self._groups: dict[str, dict[str, Tally]] = {
            "kinds": {},
            "slices": {},
            "languages": {},
            "sources": {},
        }
        self._wrong: dict[str, list[Mistake]] = {"hit": [], "pass": []}
        self._missing: list[tuple[LabelledRow, RowScore]] = []
        self._scores, self._is_hit = array("d"), array("b")
        self._agreement = AgreementTally()

    def add(self, rows: Sequence[LabelledRow], row_scores: Sequence[RowScore]) -> None:
        """Take up rows with their scores, in the same order."""
        self._all.add(rows, row_scores)
        for row, row_score in zip(rows, row_scores, strict=True):
            self._add_to_groups(row, row_score)
            self._agreement.add(row)
            if row_score.score is None:
                self._missing.append((row, row_score))
                continue
            if not row.is_stress:
                self._scores.append(row_score.score)
                self._is_hit.append(row.label == "hit")
            if is_hit(row_score.score, self._threshold) != (row.label == "hit"):
                self._wrong[row.label].append(Mistake(row=row, score=row_score.score))

    def _add_to_groups(self, row: LabelledRow, row_score: RowScore) -> None:
        for grouping, group in (
            ("kinds", STRESS if row.is_stress else TYPICAL),
            ("slices", row.slice or UNNAMED),
            ("languages", row.lang or UNNAMED),
            ("sources", row.source or UNNAMED),
        ):
            tallies = self._groups[grouping]
            tally = tallies.setdefault(group, Tally(self._detector, self._threshold))
            tally.add([row], [row_score])

    def result(self, failure: str | None = None) -> DetectorExplanation:
        """What has been seen, or that the detector could not run."""
        groups = {
            grouping: {
                group: _all_counts(tally) for group, tally in sorted(tallies.items())
            }
            for grouping, tallies in self._groups.items()
        }
        points = precision_recall(self._scores, self._is_hit)
        if len(points) <= 2:
            points = ()
        return DetectorExplanation(
            result=self._all.result(failure),
            kinds=groups["kinds"],
            slices=groups["slices"],
            languages=groups["languages"],
            sources=groups["sources"],
            false_positives=tuple(sorted(self._wrong["pass"], key=_is_stress)),
            false_negatives=tuple(sorted(self._wrong["hit"], key=_is_stress)),
            missing=tuple(self._missing),
            thresholds=points,
            average_precision=average_precision(points),
            agreement=self._agreement.result(),
        )


def _is_stress(mistake: Mistake) -> bool:
    return mistake.row.is_stress


def _all_counts(tally: Tally) -> ConfusionCounts:
    """Of typical and stress rows together."""
    result = tally.result()
    return result.counts + result.stress


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
    ((name, rows),) = selection.rows.items()
    explainer = Explainer(name, eval_threshold)
    failure = None
    for scored in score_chunks(chunks_of(name, rows), opener, seed=seed):
        failure = failure or scored.failure
        scored_rows = scored.chunk.rows[: len(scored.row_scores)]
        explainer.add(scored_rows, scored.row_scores)
    explanation = explainer.result(failure)
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
