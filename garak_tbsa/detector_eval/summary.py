# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results -> ``detector_metrics_summary.json``.

The structure is the one that garak documents and reads; what is ours is beside
its keys, never in place of one. ``schemas/summary.schema.json`` describes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from msgspec import to_builtins

from garak_tbsa.detector_eval.dataset import ReadingNotes
from garak_tbsa.detector_eval.evaluation import EvaluationOptions, versions_of
from garak_tbsa.detector_eval.intervals import (
    F1Interval,
    IntervalOptions,
    OnScan,
    f1_intervals,
    share_interval,
)
from garak_tbsa.detector_eval.metrics import DetectorResult, stress_shares
from garak_tbsa.detector_eval.selection import Selection
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.detector_eval.summary_file import FORMAT_VERSION, METRICS, TYPICAL
from garak_tbsa.errors import UsageError


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
    selection: Selection,
    results: Mapping[str, DetectorResult],
    entries: Mapping[str, Mapping[str, Any]],
    options: EvaluationOptions,
    intervals: IntervalOptions,
    *,
    date: str,
) -> dict[str, Any]:
    """The summary as a JSON-ready object.

    Parameters
    ----------
    entries : mapping
        Detector -> :func:`summary_entry`, of each result without a ``reason``.
    date : str
        ISO 8601, from :func:`evaluation_date`.
    """
    errors = [
        {"detector": name, "reason": result.reason}
        for name, result in sorted(results.items())
        if result.reason is not None
    ]
    return {
        "results": dict(sorted(entries.items())),
        "metadata": {
            "evaluation_date": date,
            "random_seed": intervals.seed,
            "balance_datasets": options.balance_datasets,
            "save_datasets": options.save_datasets is not None,
            "num_detectors_evaluated": len(entries),
            "errors": errors,
            "format_version": FORMAT_VERSION,
            "versions": dict(sorted(versions_of(selection).items())),
            "eval_threshold": options.eval_threshold,
            "replicates": intervals.replicates,
            "confidence": intervals.confidence,
            "min_samples": intervals.min_samples,
            "metrics_rows": TYPICAL,
            **_reading(selection.notes, selection.request.form.name or None),
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


def summary_entry(
    result: DetectorResult,
    files: Sequence[LabelledSource],
    options: IntervalOptions,
    on_scan: OnScan | None,
) -> dict[str, Any]:
    """What the summary has of one detector.

    Parameters
    ----------
    on_scan : OnScan or None
        Its metrics on the scan that its rows were drawn from; None where rows count
        alike.
    """
    counts = result.counts
    scan: dict[str, Any] = {}
    if on_scan is not None:
        scan["on_scan"] = to_builtins(on_scan)
        del scan["on_scan"]["values"]  # they are the metrics
    return {
        "metrics": _metrics(result, options, on_scan),
        **scan,
        "counts": to_builtins(counts),
        "basis": result.basis.as_json,
        "stress": _stress(result, options.confidence),
        "rows": {
            "labelled": result.labelled,
            "scored": counts.scored,
            "missing": dict(result.missing),
            "missing_details": dict(result.details),
        },
        "data": [{"file": file.file_name, "sha256": file.sha256} for file in files],
        **({"options": dict(result.options)} if result.options else {}),
    }


def _metrics(
    result: DetectorResult, options: IntervalOptions, on_scan: OnScan | None
) -> dict[str, Any]:
    """What the rows give, or the scan that they were drawn from."""
    if on_scan is not None:
        values = {name: on_scan.values[name] for name in METRICS}
        intervals = {
            name: F1Interval(
                mean=on_scan.values[name],
                ci_lower=interval.lower,
                ci_upper=interval.upper,
                ci_width=interval.width,
                n_samples=result.counts.scored,
            )
            for name, interval in on_scan.intervals.items()
            if name in ("hit_f1", "pass_f1") and on_scan.values[name] is not None
        }
    else:
        values = {name: result.metric(name) for name in METRICS}
        if result.basis.unmeasurable is not None:
            return {**values, "reason": result.basis.unmeasurable}
        intervals = f1_intervals(result.counts, result.detector, options)
    return values | {
        f"{name}_ci": to_builtins(interval) for name, interval in intervals.items()
    }


def _stress(result: DetectorResult, confidence: float) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    unavailable: dict[str, str] = {}
    for share in stress_shares(result.stress):
        name, part, whole = share.name, share.part, share.whole
        entry |= {name: part, share.whole_name: whole, f"{name}_share": None}
        if not whole:
            label = {"hits": "hit", "passes": "pass"}[share.whole_name]
            unavailable[f"{name}_share"] = f"no stress row labelled {label} got a score"
            continue
        interval = share_interval(part, whole, confidence)
        entry[f"{name}_share"] = {
            "share": part / whole,
            "jeffreys_lower": interval.lower,
            "jeffreys_upper": interval.upper,
            "jeffreys_width": interval.width,
        }
    return {
        **entry,
        "unavailable": unavailable,
        "missing": dict(result.stress_missing),
    }
