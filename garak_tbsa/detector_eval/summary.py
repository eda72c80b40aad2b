# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results -> ``detector_metrics_summary.json``, and back.

The structure is the one that garak documents and reads; what is ours stands
beside its keys, never in place of one. ``summary.schema.json`` describes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.intervals import (
    F1Interval,
    Interval,
    IntervalOptions,
    f1_intervals,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.errors import DatasetError, UsageError

if TYPE_CHECKING:
    from garak_tbsa.detector_eval.dataset import DataFile

FORMAT_VERSION = 1

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
    """

    date: str
    versions: Mapping[str, str]
    eval_threshold: float
    balance_datasets: bool
    save_datasets: bool
    intervals: IntervalOptions


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
    files: Mapping[str, Sequence[DataFile]],
    settings: SummarySettings,
) -> dict[str, Any]:
    """The summary as a JSON-ready object.

    Parameters
    ----------
    files : mapping
        Detector -> the files that its rows came from.
    """
    in_order = sorted(results, key=lambda result: result.detector)
    measured = [result for result in in_order if result.reason is None]
    return {
        "results": {
            result.detector: _entry(result, files[result.detector], settings.intervals)
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
        },
    }


def summary_text(document: Mapping[str, Any]) -> str:
    """The document as it stands in the file."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _entry(
    result: DetectorResult, files: Sequence[DataFile], options: IntervalOptions
) -> dict[str, Any]:
    counts = result.counts
    metrics: dict[str, Any] = {name: getattr(counts, name) for name in METRICS}
    intervals = f1_intervals(counts, result.detector, options)
    if intervals.hit is not None:
        metrics["hit_f1_ci"] = _interval(intervals.hit)
    if intervals.passed is not None:
        metrics["pass_f1_ci"] = _interval(intervals.passed)
    return {
        "metrics": metrics,
        "counts": {
            "tp": counts.tp,
            "fp": counts.fp,
            "fn": counts.fn,
            "tn": counts.tn,
        },
        "rows": {
            "labelled": result.labelled,
            "scored": counts.scored,
            "missing": dict(result.missing),
            "missing_details": dict(result.details),
        },
        "data": [{"file": file.name, "sha256": file.sha256} for file in files],
    }


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


@dataclass(frozen=True, kw_only=True)
class MeasuredDetector:
    """One detector of a summary, as far as the summary says.

    Attributes
    ----------
    hit_f1 : float or None
        None where no row was labelled hit.
    counts : ConfusionCounts or None
        None in summaries that garak ships.
    interval : Interval or None
        The bootstrap interval of hit F1.
    jeffreys : Interval or None
        The interval to go by where the bootstrap is ``degenerate``.
    degenerate : bool
        Whether the detector was always right, or always wrong, on a label.
    data : tuple of str
        sha256 of each file that the rows came from.
    """

    detector: str
    hit_f1: float | None
    hit_precision: float | None
    hit_recall: float | None
    counts: ConfusionCounts | None
    interval: Interval | None
    jeffreys: Interval | None = None
    degenerate: bool = False
    data: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A summary file: the measured detectors by name, and why others were not."""

    source: str
    measured: Mapping[str, MeasuredDetector]
    not_evaluated: Mapping[str, str]
    metadata: Mapping[str, Any]


def read_summary(path: str) -> Summary:
    """Read a summary of ours or of garak's.

    Raises
    ------
    DatasetError
        The file is missing or no summary.
    """
    try:
        with open(path, encoding="utf-8") as handle:
            document = json.load(handle)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise DatasetError(
            f"{path}: cannot be read ({reason}); make one with"
            " `garak-tbsa detectors evaluate`"
        ) from None
    except (ValueError, RecursionError):
        raise DatasetError(f"{path}: not JSON; expected a summary file") from None
    results = _child(document, "results", path)
    metadata = _child(document, "metadata", path)
    errors = metadata.get("errors")
    return Summary(
        source=path,
        measured={
            name: _measured(name, _child(results, name, path), path) for name in results
        },
        not_evaluated={
            str(error.get("detector")): str(error.get("reason"))
            for error in (errors if isinstance(errors, list) else ())
            if isinstance(error, dict)
        },
        metadata=metadata,
    )


def _child(parent: Any, name: str, path: str) -> dict[str, Any]:
    child = parent.get(name) if isinstance(parent, dict) else None
    if not isinstance(child, dict):
        raise DatasetError(
            f"{os.fspath(path)}: no object {name!r}; expected a summary as written by"
            " `garak-tbsa detectors evaluate`"
        )
    return child


def _measured(name: str, entry: dict[str, Any], path: str) -> MeasuredDetector:
    metrics = _child(entry, "metrics", f"{path}, {name}")
    ends = metrics.get("hit_f1_ci")
    ends = ends if isinstance(ends, dict) else {}
    return MeasuredDetector(
        detector=name,
        hit_f1=_number(metrics, "hit_f1"),
        hit_precision=_number(metrics, "hit_precision"),
        hit_recall=_number(metrics, "hit_recall"),
        counts=_counts(entry.get("counts")),
        interval=_read_interval(ends, "ci"),
        jeffreys=_read_interval(ends, "jeffreys"),
        degenerate=ends.get("degenerate") is True,
        data=tuple(_digests(entry.get("data"))),
    )


def _read_interval(ends: Mapping[str, Any], kind: str) -> Interval | None:
    lower, upper = (_number(ends, f"{kind}_{end}") for end in ("lower", "upper"))
    if lower is None or upper is None:
        return None
    return Interval(lower=lower, upper=upper)


def _digests(files: Any) -> Iterator[str]:
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("sha256"), str):
            yield file["sha256"]


def _number(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    return float(value) if isinstance(value, int | float) else None


def _counts(raw: Any) -> ConfusionCounts | None:
    names = ("tp", "fp", "fn", "tn")
    if not isinstance(raw, dict) or not all(
        isinstance(raw.get(name), int) for name in names
    ):
        return None
    return ConfusionCounts(**{name: raw[name] for name in names})
