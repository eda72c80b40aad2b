# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows -> an evaluation of detectors, and the summary of their metrics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.evaluation import EvaluationOptions, evaluate
from garak_tbsa.detector_eval.intervals import IntervalOptions, OnScan
from garak_tbsa.detector_eval.metrics import DetectorResult, Scored
from garak_tbsa.detector_eval.row_form import row_form
from garak_tbsa.detector_eval.run import Opener, Watch, unwatched
from garak_tbsa.detector_eval.selection import DataRequest, Selection
from garak_tbsa.detector_eval.summary import (
    evaluation_date,
    summary_document,
    summary_entry,
)
from garak_tbsa.labels.detectors import measured_on_scan
from garak_tbsa.labels.label_files import LabelReading
from garak_tbsa.labels.matching import labels_request
from garak_tbsa.unavailable import Unavailable


def data_request(
    data: Sequence[str],
    detectors: str | None,
    labels: Sequence[str] | None,
    rater: str | None,
    **form: Any,
) -> DataRequest:
    """Return which rows are asked for, and how they are read.

    Parameters
    ----------
    data : sequence of str
        Paths; the data that comes with this package where empty.
    detectors : str or None
        As ``--detectors``.
    labels : sequence of str or None
        Files of labels of the reports among the data.
    rater : str or None
        Of labels that name no rater.
    **form
        What :func:`~garak_tbsa.detector_eval.row_form.row_form` takes.

    Raises
    ------
    UsageError
        What is said of the form does not go together.
    """
    matching = None
    if labels is not None:
        in_sheets = {n: form[n] for n in ("columns", "label_values")}
        matching = labels_request(labels, LabelReading(rater=rater, **in_sheets))
    return DataRequest(
        paths=tuple(data), detectors=detectors, labels=matching, form=row_form(**form)
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What came out.

    Attributes
    ----------
    selection : Selection
    results : mapping of detector to DetectorResult
        A detector that could not run has a ``reason``.
    scored : mapping of detector to sequence of (LabelledRow, RowScore)
        The rows behind each result.
    on_scan : mapping of detector to OnScan
        Of those whose labels speak for the outputs of a scan.
    document : dict
        The summary as a JSON-ready object.
    """

    selection: Selection
    results: Mapping[str, DetectorResult]
    scored: Mapping[str, Sequence[Scored]]
    on_scan: Mapping[str, OnScan]
    document: dict[str, Any]

    @property
    def measured(self) -> tuple[DetectorResult, ...]:
        """The results that have counts."""
        return tuple(each for each in self.results.values() if each.reason is None)


def measurements(
    selection: Selection,
    opener: Opener,
    options: EvaluationOptions,
    intervals: IntervalOptions,
    watch: Watch = unwatched,
) -> Iterator[Measured]:
    """Run the installed garak's detectors on labelled rows, and sum up.

    Yields
    ------
    Measured
        What is known after each detector; the last one has all.

    Raises
    ------
    GarakTbsaError
        Rows cannot be saved, labels speak for other outputs, or workers died.
    """
    date = evaluation_date(os.environ)
    results: dict[str, DetectorResult] = {}
    scored: dict[str, Sequence[Scored]] = {}
    entries: dict[str, dict[str, Any]] = {}
    on_scan: dict[str, OnScan] = {}
    for result, rows in evaluate(selection, opener, options, watch=watch):
        name = result.detector
        # labels of a scan speak for its outputs; too few of them are a reason
        found = measured_on_scan(
            result, seed=intervals.seed, confidence=intervals.confidence
        )
        if isinstance(found, Unavailable):
            result = DetectorResult(detector=name, failure=found.reason)
        elif found is not None:
            on_scan[name] = found
        results[name], scored[name] = result, rows
        if result.reason is None:
            files = selection.rows[name].files
            entries[name] = summary_entry(result, files, intervals, on_scan.get(name))
        document = summary_document(
            selection, results, entries, options, intervals, date=date
        )
        yield Measured(
            selection=selection,
            results=dict(sorted(results.items())),
            scored=dict(scored),
            on_scan=dict(sorted(on_scan.items())),
            document=document,
        )
