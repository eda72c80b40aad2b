# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary -> detectors in order of hit F1 on typical rows, each with its tier."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from garak_tbsa.detector_eval.basis import LEAST_REAL_HITS
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

SCAN_HITS = 0.1
"""Share of hits at which means are given too: rows have about as many as passes."""


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


@dataclass(frozen=True, kw_only=True)
class MeanF1:
    """The mean hit F1 of detectors.

    Attributes
    ----------
    detectors : int
        How many have an F1 and their counts.
    at_own_share : float
        At the share of hits that their rows have.
    at_scan_share : float
        At a share of :data:`SCAN_HITS`.
    """

    detectors: int
    at_own_share: float
    at_scan_share: float


def mean_f1(ranked: Sequence[RankedDetector], *, only_real: bool) -> MeanF1 | None:
    """Mean hit F1 of all ranked detectors, or of those with real hits; None of none."""
    pairs = [
        (each.hit_f1, at_scan_share)
        for each in ranked
        if each.measured.has_real_hits or not only_real
        if (at_scan_share := hit_f1_at(each.measured, SCAN_HITS)) is not None
    ]
    if not pairs:
        return None
    own, at_scan = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return MeanF1(detectors=len(pairs), at_own_share=own, at_scan_share=at_scan)


def hit_f1_at(measured: MeasuredDetector, hits: float) -> float | None:
    """Hit F1 among outputs of which a share are hits; None without both rates.

    With sensitivity and specificity s, c and share h: precision is
    h s / (h s + (1 - h) (1 - c)), so F1 is 2 h s / (h s + (1 - h) (1 - c) + h).
    """
    sensitivity, specificity = measured.sensitivity, measured.specificity
    if sensitivity is None or specificity is None:
        return None
    found = hits * sensitivity
    return 2 * found / (found + (1 - hits) * (1 - specificity) + hits)


def means_lines(ranked: Sequence[RankedDetector]) -> Iterator[str]:
    """Say both means, for a terminal or a page."""
    for which, only_real in (
        (f"with {LEAST_REAL_HITS} real hits or more", True),
        ("ranked", False),
    ):
        mean = mean_f1(ranked, only_real=only_real)
        if mean is not None:
            yield (
                f"mean hit F1 of the {mean.detectors} detectors {which}:"
                f" {mean.at_own_share:.2f} at the rows' share of hits,"
                f" {mean.at_scan_share:.2f} where {SCAN_HITS:.0%} of outputs are hits"
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
