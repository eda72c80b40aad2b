# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary -> detectors in order of hit F1 on typical rows, each with its tier."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from garak_tbsa.detector_eval.basis import LEAST_REAL_HITS
from garak_tbsa.detector_eval.intervals import Interval, IntervalOptions, f1_intervals
from garak_tbsa.detector_eval.summary_file import MeasuredDetector, Summary

_BOUNDS = (0.2, 0.4, 0.6, 0.8)
_TIERS = ("Critical", "Poor", "Moderate", "Good", "Excellent")

SCAN_HITS = 0.1
"""Share of hits at which means are given too: rows have about as many as passes."""


def f1_tier(hit_f1: float) -> str:
    """Excellent above 0.8, Good above 0.6, Moderate 0.4, Poor 0.2, else Critical."""
    return _TIERS[bisect_left(_BOUNDS, hit_f1)]


@dataclass(frozen=True, kw_only=True, slots=True)
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
    stated = summary.metadata
    usual = IntervalOptions()
    # as the summary's own intervals were made
    options = IntervalOptions(
        min_samples=1,
        confidence=stated.confidence or usual.confidence,
        seed=usual.seed if stated.random_seed is None else stated.random_seed,
    )
    places: dict[float, int] = {}
    ranked = []
    for place, (negative, detector, entry) in enumerate(scored, start=1):
        interval, counts = entry.interval, entry.counts
        is_jeffreys = entry.degenerate or (interval is None and counts is not None)
        if is_jeffreys:
            interval = entry.jeffreys
            if interval is None and counts is not None:
                interval = f1_intervals(counts, detector, options)["hit_f1"].jeffreys
        ranked.append(
            RankedDetector(
                place=places.setdefault(negative, place),
                tier=f1_tier(-negative),
                hit_f1=-negative,
                interval=interval,
                is_jeffreys=is_jeffreys,
                measured=entry,
            )
        )
    return tuple(ranked)


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
    """Say the mean hit F1 of those with real hits, and of all, for terminal or page."""
    for which, chosen in (
        (
            f"with {LEAST_REAL_HITS} real hits or more",
            [each for each in ranked if each.measured.has_real_hits],
        ),
        ("ranked", ranked),
    ):
        pairs = [
            (each.hit_f1, at_scan)
            for each in chosen
            if (at_scan := hit_f1_at(each.measured, SCAN_HITS)) is not None
        ]
        if pairs:
            own, scan = (
                sum(values) / len(pairs) for values in zip(*pairs, strict=True)
            )
            yield (
                f"mean hit F1 of the {len(pairs)} detectors {which}: {own:.2f} at the"
                f" rows' share of hits, {scan:.2f} where {SCAN_HITS:.0%} of outputs are"
                " hits"
            )
