# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How the detector commands write numbers, and which summary they mean."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from garak_tbsa.cli.terminal import write_error
from garak_tbsa.detector_eval.shipped import shipped_folder

if TYPE_CHECKING:
    from garak_tbsa.detector_eval.metrics import ConfusionCounts
    from garak_tbsa.detector_eval.summary_file import MeasuredDetector, Summary

SUMMARY_NAME = "detector_metrics_summary.json"
SUMMARY_PLACE = os.path.join("data", "detectors-eval", SUMMARY_NAME)

UNDEFINED = "-"
COUNT_HEADER = ("TP", "FP", "FN", "TN")


def default_summary() -> str:
    """The summary of this folder, where ``evaluate`` writes it, else the shipped one.

    Raises
    ------
    DatasetError
        Neither is there.
    """
    if os.path.isfile(SUMMARY_PLACE):
        return SUMMARY_PLACE
    return os.path.join(os.path.dirname(shipped_folder()), SUMMARY_NAME)


def show_warnings(*summaries: Summary) -> None:
    """Print to stderr what a reader should know of the summaries, a line each."""
    for summary in summaries:
        for warning in summary.warnings:
            write_error(f"warning: {warning}")


def ratio_text(value: float | None) -> str:
    """Three decimals; a dash where there is nothing to take a share of."""
    return UNDEFINED if value is None else f"{value:.3f}"


def count_cells(counts: ConfusionCounts | None) -> tuple[str, ...]:
    """TP, FP, FN, TN; dashes where a summary has none."""
    if counts is None:
        return (UNDEFINED,) * len(COUNT_HEADER)
    return (str(counts.tp), str(counts.fp), str(counts.fn), str(counts.tn))


def interval_text(measured: MeasuredDetector) -> str:
    """The interval to go by: Jeffreys, marked J, where the bootstrap is degenerate."""
    interval, mark = measured.interval, ""
    if measured.degenerate and measured.jeffreys is not None:
        interval, mark = measured.jeffreys, " J"
    if interval is None:
        return UNDEFINED
    return f"{interval.lower:.3f} to {interval.upper:.3f}{mark}"
