# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results -> ``detector_metrics_summary.json``.

The structure is the one that garak documents and reads; what is ours is beside
its keys, never in place of one. ``schemas/summary.schema.json`` describes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from garak_tbsa.detector_eval.dataset import ReadingNotes
from garak_tbsa.detector_eval.intervals import F1Interval, IntervalOptions, f1_intervals
from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.detector_eval.on_scan import OnScan, f1_entry, on_scan_entry
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.detector_eval.stress import stress_entry
from garak_tbsa.errors import UsageError

FORMAT_VERSION = 3
"""Major version: it changes where a reader of today would misread the file.

1  metrics from typical and stress rows together
2  metrics from typical rows, and a block ``stress`` beside them
3  a metric that the rows cannot tell is null, with the ``reason``
"""

TYPICAL = "typical"
"""``metadata.metrics_rows``: the metrics are of rows without ``why``."""

METRICS = (
    "accuracy",
    "hit_precision",
    "hit_recall",
    "hit_f1",
    "hit_sensitivity",
    "hit_specificity",
    "pass_precision",
    "pass_recall",
    "pass_f1",
)


@dataclass(frozen=True, kw_only=True)
class SummarySettings:
    """What was asked for, and with which versions: all that the numbers depend on.

    Attributes
    ----------
    date : str
        ISO 8601, from :func:`evaluation_date`.
    versions : mapping
        Package -> version.
    preset : str or None
        The published set whose form the data has.
    notes : ReadingNotes or None
        What was left out of the data, where rows may be.
    """

    date: str
    versions: Mapping[str, str]
    eval_threshold: float
    balance_datasets: bool
    save_datasets: bool
    intervals: IntervalOptions
    preset: str | None = None
    notes: ReadingNotes | None = None


def evaluation_date(environ: Mapping[str, str]) -> str:
    """Now, or what SOURCE_DATE_EPOCH says, in UTC and whole seconds.

    Raises
    ------
    UsageError
        SOURCE_DATE_EPOCH is not a number of seconds.
    """
    epoch = environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(timezone.utc).isoformat(timespec="seconds")
    try:
        return datetime.fromtimestamp(int(epoch), timezone.utc).isoformat()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {epoch!r}; expected seconds since 1970-01-01"
        ) from None


def summary_document(
    results: Sequence[DetectorResult],
    files: Mapping[str, Sequence[LabelledSource]],
    settings: SummarySettings,
    on_scan: Mapping[str, OnScan] | None = None,
) -> dict[str, Any]:
    """The summary as a JSON-ready object.

    Parameters
    ----------
    files : mapping
        Detector -> the files that its rows came from.
    on_scan : mapping, optional
        Detector -> its metrics on the scan that its rows were drawn from; the rows
        of others count alike.
    """
    drawn = on_scan or {}
    in_order = sorted(results, key=lambda result: result.detector)
    measured = [result for result in in_order if result.reason is None]
    return {
        "results": {
            result.detector: _entry(
                result,
                files[result.detector],
                settings.intervals,
                drawn.get(result.detector),
            )
            for result in measured
        },
        "metadata": {
            "evaluation_date": settings.date,
            "random_seed": settings.intervals.seed,
            "balance_datasets": settings.balance_datasets,
            "save_datasets": settings.save_datasets,
            "num_detectors_evaluated": len(measured),
            "errors": [
                {"detector": result.detector, "reason": result.reason}
                for result in in_order
                if result.reason is not None
            ],
            "format_version": FORMAT_VERSION,
            "versions": dict(sorted(settings.versions.items())),
            "eval_threshold": settings.eval_threshold,
            "replicates": settings.intervals.replicates,
            "confidence": settings.intervals.confidence,
            "min_samples": settings.intervals.min_samples,
            "metrics_rows": TYPICAL,
            **_reading(settings.notes, settings.preset),
        },
    }


def _reading(notes: ReadingNotes | None, preset: str | None) -> dict[str, Any]:
    """What was left out, without paths: the same data gives the same bytes anywhere."""
    if notes is None:
        return {}
    agreement = notes.agreement
    return {
        "reading": {
            "preset": preset,
            "rows_read": notes.read,
            "rows_used": notes.used,
            "left_out": {each.reason: each.count for each in notes.left_out},
            "repeated": 0 if notes.repeated is None else notes.repeated.count,
            "alpha": None if agreement is None else agreement.alpha,
        }
    }


def summary_text(document: Mapping[str, Any]) -> str:
    """The document as the file has it."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _entry(
    result: DetectorResult,
    files: Sequence[LabelledSource],
    options: IntervalOptions,
    on_scan: OnScan | None,
) -> dict[str, Any]:
    counts = result.counts
    return {
        "metrics": _metrics(result, options)
        if on_scan is None
        else _metrics_on_scan(on_scan, counts.scored),
        **({} if on_scan is None else {"on_scan": on_scan_entry(on_scan)}),
        "counts": {
            "tp": counts.tp,
            "fp": counts.fp,
            "fn": counts.fn,
            "tn": counts.tn,
        },
        "basis": result.basis.as_json,
        "stress": stress_entry(result, options.confidence),
        "rows": {
            "labelled": result.labelled,
            "scored": counts.scored,
            "missing": dict(result.missing),
            "missing_details": dict(result.details),
        },
        "data": [{"file": file.file_name, "sha256": file.sha256} for file in files],
        **({"options": dict(result.options)} if result.options else {}),
    }


def _metrics(result: DetectorResult, options: IntervalOptions) -> dict[str, Any]:
    counts = result.counts
    metrics: dict[str, Any] = {name: result.metric(name) for name in METRICS}
    if result.basis.unmeasurable is not None:
        return {**metrics, "reason": result.basis.unmeasurable}
    intervals = f1_intervals(counts, result.detector, options)
    if intervals.hit is not None:
        metrics["hit_f1_ci"] = _interval(intervals.hit)
    if intervals.passed is not None:
        metrics["pass_f1_ci"] = _interval(intervals.passed)
    return metrics


def _metrics_on_scan(on_scan: OnScan, labels: int) -> dict[str, Any]:
    metrics: dict[str, Any] = {name: on_scan.values[name] for name in METRICS}
    for name in ("hit_f1", "pass_f1"):
        interval = f1_entry(on_scan, name, labels)
        if interval is not None:
            metrics[f"{name}_ci"] = interval
    return metrics


def _interval(interval: F1Interval) -> dict[str, Any]:
    return {
        "mean": interval.mean,
        "ci_lower": interval.bootstrap.lower,
        "ci_upper": interval.bootstrap.upper,
        "ci_width": interval.bootstrap.width,
        "n_samples": interval.samples,
        "jeffreys_lower": interval.jeffreys.lower,
        "jeffreys_upper": interval.jeffreys.upper,
        "jeffreys_width": interval.jeffreys.width,
        "degenerate": interval.degenerate,
    }
