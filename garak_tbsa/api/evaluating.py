# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows -> an evaluation of detectors, and the summary of their metrics."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from garak_tbsa.detector_eval.evaluation import Evaluation, EvaluationOptions, evaluate
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.detector_eval.on_scan import OnScan
from garak_tbsa.detector_eval.run import Opener
from garak_tbsa.detector_eval.selection import DataRequest
from garak_tbsa.detector_eval.summary import (
    SummarySettings,
    evaluation_date,
    summary_document,
)
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.labels.detectors import measured_on_scan
from garak_tbsa.unavailable import Unavailable


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What came out.

    Attributes
    ----------
    evaluation : Evaluation
    on_scan : mapping of detector to OnScan
        Of those whose labels speak for the outputs of a scan.
    document : dict
        The summary as a JSON-ready object.
    """

    evaluation: Evaluation
    on_scan: Mapping[str, OnScan]
    document: dict[str, Any]


def measured(
    request: DataRequest,
    opener: Opener,
    options: EvaluationOptions,
    intervals: IntervalOptions,
    **hooks: Any,
) -> Measured:
    """Run the installed garak's detectors on labelled rows, and sum up.

    Parameters
    ----------
    **hooks
        ``journal``, ``check`` and ``watch`` of
        :func:`~garak_tbsa.detector_eval.evaluation.evaluate`.

    Raises
    ------
    GarakTbsaError
        Data or names are wrong, rows cannot be saved, or workers died.
    """
    date = evaluation_date(os.environ)
    found = evaluate(
        request, catalogue=detector_catalogue(), opener=opener, options=options, **hooks
    )
    found, on_scan = _weighted(found, intervals)
    settings = SummarySettings(
        date=date,
        versions=found.versions,
        eval_threshold=options.eval_threshold,
        balance_datasets=options.balance_datasets,
        save_datasets=options.save_datasets is not None,
        intervals=intervals,
        preset=request.reading.preset,
        notes=found.notes,
    )
    results = list(found.results.values())
    document = summary_document(results, found.files, settings, on_scan)
    return Measured(evaluation=found, on_scan=on_scan, document=document)


def _weighted(
    evaluation: Evaluation, intervals: IntervalOptions
) -> tuple[Evaluation, dict[str, OnScan]]:
    """Let labels of a scan speak for its outputs; too few of them are a reason."""
    results = dict(evaluation.results)
    on_scan: dict[str, OnScan] = {}
    for name, result in evaluation.results.items():
        found = measured_on_scan(
            result, seed=intervals.seed, confidence=intervals.confidence
        )
        if isinstance(found, Unavailable):
            results[name] = DetectorResult(detector=name, failure=found.reason)
        elif found is not None:
            on_scan[name] = found
    return replace(evaluation, results=results), on_scan
