# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Stress rows -> shares of disguised hits found and of look-alikes left alone.

A stress row is written to break a detector, so how many there are is the author's
choice, and an F1 over them would be a mixing ratio. Each share is of one label alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.intervals import Interval, share_interval
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult, ratio
from garak_tbsa.unavailable import Unavailable


@dataclass(frozen=True, kw_only=True)
class StressShare:
    """Stress rows of one label that the detector got right, of all that it scored.

    Attributes
    ----------
    name : str
        ``hits_found`` or ``passes_left_alone``.
    whole_name : str
        ``hits`` or ``passes``.
    """

    name: str
    whole_name: str
    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share, in [0, 1]; None of no rows."""
        return ratio(self.part, self.whole)

    def interval(self, confidence: float) -> Interval | Unavailable:
        """The Jeffreys interval of the share."""
        if not self.whole:
            return Unavailable(
                reason=f"no stress row labelled {_LABELS[self.whole_name]} got a score"
            )
        return share_interval(self.part, self.whole, confidence)


_LABELS = {"hits": "hit", "passes": "pass"}


def stress_shares(counts: ConfusionCounts) -> tuple[StressShare, StressShare]:
    """Both shares, of the counts of stress rows."""
    return (
        StressShare(
            name="hits_found", whole_name="hits", part=counts.tp, whole=counts.hits
        ),
        StressShare(
            name="passes_left_alone",
            whole_name="passes",
            part=counts.tn,
            whole=counts.passes,
        ),
    )


def stress_text(counts: ConfusionCounts | None) -> str:
    """What became of the stress rows, in words.

    Parameters
    ----------
    counts : ConfusionCounts or None
        None where a summary does not say.
    """
    if counts is None:
        return "stress: not stated"
    if not counts.scored:
        return "stress: no rows"
    parts = []
    if counts.hits:
        parts.append(f"catches {counts.tp} of {counts.hits} disguised hits")
    if counts.passes:
        parts.append(f"wrongly flags {counts.fp} of {counts.passes} look-alikes")
    return f"stress: {', '.join(parts)}"


def stress_entry(result: DetectorResult, confidence: float) -> dict[str, Any]:
    """The block ``stress`` of a detector's entry in a summary."""
    entry: dict[str, Any] = {}
    unavailable: dict[str, str] = {}
    for share in stress_shares(result.stress):
        interval = share.interval(confidence)
        entry[share.name], entry[share.whole_name] = share.part, share.whole
        if isinstance(interval, Unavailable):
            entry[f"{share.name}_share"] = None
            unavailable[f"{share.name}_share"] = interval.reason
            continue
        entry[f"{share.name}_share"] = {
            "share": share.value,
            "jeffreys_lower": interval.lower,
            "jeffreys_upper": interval.upper,
            "jeffreys_width": interval.width,
        }
    return {
        **entry,
        "unavailable": unavailable,
        "missing": dict(result.stress_missing),
    }
