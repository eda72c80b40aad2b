# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An evaluation of detectors -> the summary of their metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from garak_tbsa.detector_eval.evaluation import Evaluation, EvaluationOptions
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.detector_eval.on_scan import OnScan
from garak_tbsa.detector_eval.summary import SummarySettings, summary_document
from garak_tbsa.label_audit.measured import measured_on_scan
from garak_tbsa.unavailable import Unavailable


def weighted(
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


def summary_of(
    evaluation: Evaluation,
    on_scan: Mapping[str, OnScan],
    options: EvaluationOptions,
    intervals: IntervalOptions,
    *,
    date: str,
    preset: str | None,
) -> dict[str, Any]:
    """Return the summary as a JSON-ready object.

    Parameters
    ----------
    evaluation : Evaluation
    on_scan : mapping
        As :func:`weighted` gives both.
    options : EvaluationOptions
        What it was made with.
    intervals : IntervalOptions
    date : str
        From :func:`~garak_tbsa.detector_eval.summary.evaluation_date`.
    preset : str or None
        The published set whose form the data has.
    """
    settings = SummarySettings(
        date=date,
        versions=evaluation.versions,
        eval_threshold=options.eval_threshold,
        balance_datasets=options.balance_datasets,
        save_datasets=options.save_datasets is not None,
        intervals=intervals,
        preset=preset,
        notes=evaluation.notes,
    )
    results = list(evaluation.results.values())
    return summary_document(results, evaluation.files, settings, on_scan)
