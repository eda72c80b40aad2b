# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One detector's rows and their scores -> where it is right, where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.dataset import ReadingNotes
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    ConfusionCounts,
    DetectorResult,
    Scored,
    counts_of,
    detector_result,
    is_hit,
)
from garak_tbsa.detector_eval.run import Opener, score_rows
from garak_tbsa.detector_eval.selection import (
    DataRequest,
    DetectorCatalogue,
    select_rows,
)
from garak_tbsa.errors import DatasetError, GarakTbsaError, UsageError

UNNAMED = "(none)"
"""Slice or language of rows that name none."""

Threshold = tuple[float, ConfusionCounts]
"""The counts where scores of at least this are hits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectorExplanation:
    """What one detector made of its labelled rows.

    Attributes
    ----------
    result : DetectorResult
        Typical and stress rows, apart.
    scored : tuple of (LabelledRow, RowScore)
        All of these rows.
    threshold : float
        A score of this or more is a hit.
    agreement : Agreement or None
        Of the raters; None where no row has two labels.
    notes : ReadingNotes or None
        Rows left out, where the request lets rows be left out.
    """

    result: DetectorResult
    scored: tuple[Scored, ...]
    threshold: float
    agreement: Agreement | None
    notes: ReadingNotes | None = None

    def grouped(
        self, name_of: Callable[[LabelledRow], str | None]
    ) -> dict[str, ConfusionCounts]:
        """Counts of all rows by a name that rows have."""
        groups: dict[str, list[Scored]] = {}
        for row, found in self.scored:
            groups.setdefault(name_of(row) or UNNAMED, []).append((row, found))
        return {
            name: counts_of(group, self.threshold)
            for name, group in sorted(groups.items())
        }

    def mistakes(self, label: Label, *, stress: bool) -> list[Scored]:
        """The rows of a label, typical or stress, that the detector got wrong."""
        return [
            (row, found)
            for row, found in self.scored
            if row.label == label and row.is_stress == stress
            if found.score is not None
            if is_hit(found.score, self.threshold) != (label == "hit")
        ]

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The counts at each distinct score of typical rows, ascending.

        Empty where these have no more than two scores, since every threshold between
        them is the same.
        """
        known = [
            (found.score, row.label == "hit")
            for row, found in self.scored
            if found.score is not None and not row.is_stress
        ]
        points = precision_recall(known)
        return points if len(points) > 2 else ()


def explanation_of(
    detector: str, scored: Sequence[Scored], threshold: float = EVAL_THRESHOLD
) -> DetectorExplanation:
    """What rows with their scores say."""
    return DetectorExplanation(
        result=detector_result(detector, scored, threshold=threshold),
        scored=tuple(scored),
        threshold=threshold,
        agreement=agreement_of(row.annotations for row, _ in scored),
    )


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
    GarakTbsaError
        There are no rows of it, they cannot be used, or none gets a score.
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
    if found.failure is not None:
        raise _unexplained(name, found.failure)
    scored = list(zip(of_detector.rows, found.row_scores, strict=True))
    explanation = explanation_of(name, scored, eval_threshold)
    result, notes = explanation.result, selection.notes
    if result.reason is not None and not result.stress.scored:
        raise _unexplained(name, result.reason)
    if notes is None:
        return explanation
    # raters' agreement is that on all rows, also those that their ties leave out
    return replace(explanation, notes=notes, agreement=notes.agreement)


def _unexplained(name: str, reason: str) -> GarakTbsaError:
    return GarakTbsaError(
        f"{name}: cannot be explained, because it gave no score ({reason})"
    )


def precision_recall(scored: Sequence[tuple[float, bool]]) -> tuple[Threshold, ...]:
    """The counts at each distinct score taken as the threshold, ascending.

    Parameters
    ----------
    scored : sequence of (float, bool)
        Scores of rows, and whether these are labelled hit.
    """
    hits = numpy.array([hit for _, hit in scored], dtype=bool)
    thresholds, place = numpy.unique([s for s, _ in scored], return_inverse=True)
    tp, fp = (
        numpy.bincount(place[rows], minlength=len(thresholds))[::-1].cumsum()[::-1]
        for rows in (hits, ~hits)
    )
    return tuple(
        (score, ConfusionCounts(tp=true, fp=false, fn=missed, tn=left_alone))
        for score, true, false, missed, left_alone in zip(
            *(each.tolist() for each in (thresholds, tp, fp, tp[:1] - tp, fp[:1] - fp)),
            strict=True,
        )
    )


def average_precision(points: Sequence[Threshold]) -> float | None:
    """Sum of precision times the recall that each threshold adds, from the highest.

    None without points or without labelled hits.
    """
    if not points or not points[0][1].hits:
        return None
    total = recall_before = 0.0
    for _, counts in reversed(points):
        recall = counts.hit_recall or 0.0
        total += counts.hit_precision * (recall - recall_before)
        recall_before = recall
    return total


def best_threshold(points: Sequence[Threshold]) -> Threshold | None:
    """The threshold with the highest hit F1, the lowest of equals; None without any."""
    scored = [(score, counts) for score, counts in points if counts.hits]
    return max(scored, key=lambda point: point[1].hit_f1 or 0.0, default=None)
