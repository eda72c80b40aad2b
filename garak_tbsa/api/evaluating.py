# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows -> an evaluation of detectors, and the summary of their metrics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.evaluation import EvaluationOptions, evaluate
from garak_tbsa.detector_eval.intervals import IntervalOptions, OnScan
from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.detector_eval.row_form import row_form
from garak_tbsa.detector_eval.run import Opener
from garak_tbsa.detector_eval.selection import DataRequest, Selection
from garak_tbsa.detector_eval.summary import evaluation_date, summary_document
from garak_tbsa.garak_files.attempts import stated_settings
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
        What :func:`~garak_tbsa.detector_eval.reading.row_form` takes.

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
        Sorted by name; a detector that could not run has a ``reason``.
    on_scan : mapping of detector to OnScan
        Of those whose labels speak for the outputs of a scan.
    document : dict
        The summary as a JSON-ready object.
    """

    selection: Selection
    results: Mapping[str, DetectorResult]
    on_scan: Mapping[str, OnScan]
    document: dict[str, Any]

    @property
    def measured(self) -> tuple[DetectorResult, ...]:
        """The results that have counts."""
        return tuple(each for each in self.results.values() if each.reason is None)

    @property
    def source_text(self) -> str:
        """By what was measured, in words that follow "by"."""
        rows = sum(result.counts.scored for result in self.measured)
        stated = (
            stated_settings(source.path)
            for source in self.selection.sources
            if source.is_report and self.selection.labels is not None
        )
        named = " and ".join(dict.fromkeys(each.target for each in stated))
        if named:
            return f"{rows:,} labels of outputs of {named}"
        return f"{rows:,} labelled rows of no scan"


def measured(
    selection: Selection,
    opener: Opener,
    options: EvaluationOptions,
    intervals: IntervalOptions,
    **hooks: Any,
) -> Measured:
    """Run the installed garak's detectors on labelled rows, and sum up.

    Parameters
    ----------
    **hooks
        ``journal`` and ``watch`` of
        :func:`~garak_tbsa.detector_eval.evaluation.evaluate`.

    Raises
    ------
    GarakTbsaError
        Rows cannot be saved, labels speak for other outputs, or workers died.
    """
    date = evaluation_date(os.environ)
    results = evaluate(selection, opener, options, **hooks)
    on_scan: dict[str, OnScan] = {}
    for name, result in results.items():
        # labels of a scan speak for its outputs; too few of them are a reason
        found = measured_on_scan(
            result, seed=intervals.seed, confidence=intervals.confidence
        )
        if isinstance(found, Unavailable):
            results[name] = DetectorResult(detector=name, failure=found.reason)
        elif found is not None:
            on_scan[name] = found
    document = summary_document(
        selection, results, options, intervals, date=date, on_scan=on_scan
    )
    return Measured(
        selection=selection, results=results, on_scan=on_scan, document=document
    )
