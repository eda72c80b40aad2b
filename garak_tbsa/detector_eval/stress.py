# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Stress rows -> shares of disguised hits found and of look-alikes left alone.

A stress row is written to break a detector, so how many there are is the author's
choice, and an F1 over them would be a mixing ratio. Each share is of one label alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.intervals import Interval, share_interval
from garak_tbsa.detector_eval.json_fields import ADVICE, Fields
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult, ratio
from garak_tbsa.errors import DatasetError
from garak_tbsa.unavailable import Unavailable

TOLERANCE = 1e-6
"""By how much a stated share may differ from what its counts give."""


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


def parse_stress(raw: Any, where: str, most: int) -> ConfusionCounts | None:
    """Check such a block; None where there is none.

    Parameters
    ----------
    where : str
        The file and the detector, as an error names them.
    most : int
        Above which a count is none.

    Raises
    ------
    DatasetError
        A count is missing or impossible, or a share is not that of its counts.
    """
    if raw is None:
        return None
    fields = Fields(raw if isinstance(raw, dict) else {}, f"{where}, stress")
    found, hits = _counted(fields, "hits_found", "hits", most)
    left_alone, passes = _counted(fields, "passes_left_alone", "passes", most)
    counts = ConfusionCounts(
        tp=found, fn=hits - found, tn=left_alone, fp=passes - left_alone
    )
    for problem in _disagreements(fields, counts):
        raise DatasetError(f"{fields.where}: {problem}; {ADVICE}")
    return counts


def _counted(fields: Fields, name: str, whole_name: str, most: int) -> tuple[int, int]:
    part, whole = (fields.whole(each, most=most) for each in (name, whole_name))
    if part is None or whole is None:
        missing = name if part is None else whole_name
        raise fields.error(missing, "a whole number")
    if part > whole:
        raise DatasetError(
            f"{fields.where}: `{name}` is {part}, more than `{whole_name}`, {whole};"
            f" {ADVICE}"
        )
    return part, whole


def _disagreements(fields: Fields, counts: ConfusionCounts) -> Iterator[str]:
    for share in stress_shares(counts):
        raw = fields.raw.get(f"{share.name}_share")
        if not isinstance(raw, dict):
            continue
        stated = Fields(raw, fields.where).share("share")
        expected = share.value
        if stated is None or expected is None or abs(stated - expected) > TOLERANCE:
            said = "null" if stated is None else f"{stated:.6g}"
            given = "none" if expected is None else f"{expected:.6g}"
            yield (
                f"`{share.name}_share` is {said}, but the counts beside it give {given}"
            )
