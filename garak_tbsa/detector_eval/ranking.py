# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary -> detectors in order of hit F1 on typical rows, each with its tier."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from garak_tbsa.detector_eval.intervals import (
    Interval,
    IntervalOptions,
    hit_f1_jeffreys,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.stress import stress_text
from garak_tbsa.detector_eval.summary_file import MeasuredDetector, Summary

_BOUNDS = (0.2, 0.4, 0.6, 0.8)
_TIERS = ("Critical", "Poor", "Moderate", "Good", "Excellent")


def f1_tier(hit_f1: float) -> str:
    """Excellent above 0.8, Good above 0.6, Moderate 0.4, Poor 0.2, else Critical."""
    return _TIERS[bisect_left(_BOUNDS, hit_f1)]


@dataclass(frozen=True, kw_only=True)
class RankedDetector:
    """A place in the ranking, from 1; equal F1 shares a place.

    Attributes
    ----------
    hit_f1 : float
        In [0, 1]; a detector without one has no place.
    interval : Interval or None
        The one to go by: the bootstrap's, or the Jeffreys interval where that is
        degenerate or the rows are too few for it; None where counts are not stated.
    is_jeffreys : bool
        Which of the two it is.
    """

    place: int
    tier: str
    hit_f1: float
    interval: Interval | None
    is_jeffreys: bool
    measured: MeasuredDetector


def rank(summary: Summary) -> tuple[RankedDetector, ...]:
    """Detectors by hit F1, highest first, then by name; without one, unranked."""
    scored = sorted(
        (-entry.hit_f1, entry.detector, entry)
        for entry in summary.measured.values()
        if entry.hit_f1 is not None
    )
    places: dict[float, int] = {}
    options = _options(summary)
    return tuple(
        RankedDetector(
            place=places.setdefault(negative, place),
            tier=f1_tier(-negative),
            hit_f1=-negative,
            interval=interval_to_go_by(entry, options),
            is_jeffreys=_goes_by_jeffreys(entry),
            measured=entry,
        )
        for place, (negative, _, entry) in enumerate(scored, start=1)
    )


def both_text(
    hit_f1: float | None, interval: Interval | None, stress: ConfusionCounts | None
) -> str:
    """What a detector makes of typical rows, and of stress rows, in one line."""
    typical = f"typical F1 {'undefined' if hit_f1 is None else f'{hit_f1:.2f}'}"
    if interval is not None:
        typical += f" [{interval.lower:.2f}, {interval.upper:.2f}]"
    return f"{typical}, {stress_text(stress)}"


def _options(summary: Summary) -> IntervalOptions:
    """The settings of the summary's own intervals, so that ours are like them."""
    stated = summary.metadata
    return IntervalOptions(
        confidence=stated.confidence or IntervalOptions.confidence,
        seed=IntervalOptions.seed if stated.random_seed is None else stated.random_seed,
    )


def _goes_by_jeffreys(entry: MeasuredDetector) -> bool:
    return entry.degenerate or (entry.interval is None and entry.counts is not None)


def interval_to_go_by(
    entry: MeasuredDetector, options: IntervalOptions
) -> Interval | None:
    """The interval of hit F1 to show; see :class:`RankedDetector`."""
    if not _goes_by_jeffreys(entry):
        return entry.interval
    if entry.jeffreys is not None or entry.counts is None:
        return entry.jeffreys
    return hit_f1_jeffreys(entry.counts, entry.detector, options)
