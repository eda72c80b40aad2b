# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of a detector on one scan, from labels of some of its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from garak_tbsa.detector_eval.intervals import Interval

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
