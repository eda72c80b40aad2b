# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Detector metrics: of an evaluation, or of a summary file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from garak_tbsa.detector_eval.ranking import RankedDetector, rank
from garak_tbsa.detector_eval.summary_file import (
    MeasuredDetector,
    Summary,
    SummaryMetadata,
    summary_text,
)
from garak_tbsa.outputs.columns import table
from garak_tbsa.result import NUMBER, TEXT, WHOLE, Result, frame

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    "place": WHOLE,
    "detector": TEXT,
    "tier": TEXT,
    "hit_f1": NUMBER,
    "hit_f1_lower": NUMBER,
    "hit_f1_upper": NUMBER,
    "sensitivity": NUMBER,
    "specificity": NUMBER,
    "tp": WHOLE,
    "fp": WHOLE,
    "fn": WHOLE,
    "tn": WHOLE,
    "real_hits": WHOLE,
    "reason": TEXT,
}
SHARES = ("hit_f1", "hit_f1_lower", "hit_f1_upper", "sensitivity", "specificity")
ENDS = ("lower", "upper")
HEADER = (
    *("place", "detector", "hit F1", "interval", "tier"),
    *("sensitivity", "specificity", "real hits"),
)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class MetricsResult(Result):
    """What :func:`garak_tbsa.evaluate` and :func:`garak_tbsa.load_summary` return.

    Attributes
    ----------
    summary : Summary
        Typed and checked.
    document : mapping
        The same as it is in the file.
    notes : tuple of str
        Labels that were not used, one line each.
    """

    summary: Summary
    document: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def detectors(self) -> Mapping[str, MeasuredDetector]:
        """The measured detectors by name."""
        return self.summary.measured

    @property
    def not_evaluated(self) -> Mapping[str, str]:
        """Detector -> why it has no metrics."""
        return self.summary.not_evaluated

    @property
    def metadata(self) -> SummaryMetadata:
        """How the metrics were made."""
        return self.summary.metadata

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the metrics, one line each."""
        return (*self.summary.warnings, *self.notes)

    @cached_property
    def ranking(self) -> tuple[RankedDetector, ...]:
        """Detectors by hit F1, highest first; those without one have no place."""
        return rank(self.summary)

    def to_json(self) -> str:
        """Return the text of ``detector_metrics_summary.json``."""
        return summary_text(self.document)

    def to_frame(self) -> DataFrame:
        """Return one row for each detector; those without metrics have a ``reason``.

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        rows = [
            *map(_row, self.ranking),
            *(
                _measured(entry)
                for entry in self.detectors.values()
                if entry.hit_f1 is None
            ),
            *(
                {"detector": name, "reason": reason}
                for name, reason in self.not_evaluated.items()
            ),
        ]
        return frame(rows, COLUMNS)

    def _summary(self) -> str:
        missing = len(self.not_evaluated)
        not_measured = f", {missing} not evaluated" if missing else ""
        measured = len(self.detectors)
        plural = "s" * (measured != 1)
        return f"{measured} detector{plural} measured{not_measured}"

    def _lines(self) -> list[str]:
        rows = [HEADER]
        for row in map(_row, self.ranking):
            f1, lower, upper, found, left_alone = (
                "–" if row[name] is None else f"{row[name]:.2f}" for name in SHARES
            )
            interval = "–" if row["hit_f1_lower"] is None else f"{lower} to {upper}"
            real = "–" if row["real_hits"] is None else str(row["real_hits"])
            rows.append(
                (
                    *(str(row["place"]), row["detector"], f1, interval, row["tier"]),
                    *(found, left_alone, real),
                )
            )
        return [
            self._summary(),
            *(f"Warning: {warning}" for warning in self.warnings),
            *table(rows),
            *(f"{name}: {reason}" for name, reason in self.not_evaluated.items()),
        ]


def _row(each: RankedDetector) -> dict[str, Any]:
    """What is known of a detector with a place, by column."""
    ends = {f"hit_f1_{end}": getattr(each.interval, end, None) for end in ENDS}
    return _measured(each.measured) | {"place": each.place, "tier": each.tier} | ends


def _measured(entry: MeasuredDetector) -> dict[str, Any]:
    """What is known of a detector, by column."""
    counts = entry.counts or entry.drawn
    return {
        "detector": entry.detector,
        "hit_f1": entry.hit_f1,
        "sensitivity": entry.sensitivity,
        "specificity": entry.specificity,
        **({} if counts is None else to_builtins(counts)),
        "real_hits": None if entry.basis is None else entry.basis.hits.real,
        "reason": entry.unmeasurable,
    }
