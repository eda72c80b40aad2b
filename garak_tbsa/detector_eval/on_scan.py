# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of a detector on one scan, from labels of some of its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.intervals import F1Interval, Interval

YOUDEN = "youden_index"


@dataclass(frozen=True, kw_only=True)
class OnScan:
    """What labels say of a detector's verdicts on all outputs of a scan.

    Attributes
    ----------
    outputs, flagged : int
        Outputs that it judged, and how many of them it flagged, in the report.
    changed : int
        Labelled outputs of which the detector now says otherwise than in the report.
    values : mapping of str to float or None
        Metrics by their names in a summary; None where there is nothing to share out.
    intervals : mapping of str to Interval
        Of those that have a value, and of ``youden_index``.
    """

    outputs: int
    flagged: int
    changed: int
    values: Mapping[str, float | None]
    intervals: Mapping[str, Interval]


def on_scan_entry(on_scan: OnScan) -> dict[str, Any]:
    """Return what a summary says beside the metrics."""
    return {
        "outputs": on_scan.outputs,
        "flagged": on_scan.flagged,
        "changed": on_scan.changed,
        "intervals": {
            name: {"lower": each.lower, "upper": each.upper}
            for name, each in on_scan.intervals.items()
        },
    }


def f1_intervals_on(on_scan: OnScan, labels: int) -> dict[str, F1Interval]:
    """Return intervals as summaries have them, of each F1 that has a value."""
    return {
        name: F1Interval(
            mean=on_scan.values[name],
            ci_lower=interval.lower,
            ci_upper=interval.upper,
            ci_width=interval.width,
            n_samples=labels,
        )
        for name, interval in on_scan.intervals.items()
        if name in ("hit_f1", "pass_f1") and on_scan.values[name] is not None
    }
