# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary -> detectors in order of hit F1 on typical rows, each with its tier.

Whoever flags everything finds all hits, and is right as often as there are hits: a
detector that does no better than that has no tier, whatever its F1.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.summary import MeasuredDetector, Summary

_BOUNDS = (0.2, 0.4, 0.6, 0.8)
_TIERS = ("Critical", "Poor", "Moderate", "Good", "Excellent")

NO_BETTER = "no better than flagging everything"
"""In place of a tier."""

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
    tier : str
        Or that it does no better than flagging everything.
    hit_f1 : float
        In [0, 1]; a detector without one has no place.
    flag_all_f1 : float or None
        Of flagging everything, on the same rows; None where counts are not stated.
    interval : Interval or None
        The one to go by, of those that the summary has: the bootstrap's, or the
        Jeffreys interval where that is degenerate.
    is_jeffreys : bool
        Which of the two it is.
    """

    place: int
    tier: str
    hit_f1: float
    flag_all_f1: float | None
    interval: Interval | None
    is_jeffreys: bool
    measured: MeasuredDetector


def rank(summary: Summary) -> tuple[RankedDetector, ...]:
    """Detectors by hit F1, highest first, then by name; without one, unranked."""
    scored = sorted(
        (-entry.hit_f1, name, entry)
        for name, entry in summary.measured.items()
        if entry.hit_f1 is not None
    )
    places: dict[float, int] = {}
    ranked = []
    for place, (negative, _, entry) in enumerate(scored, start=1):
        counts = entry.counts
        flag_all = None
        if counts is not None:
            flag_all = 2 * counts.hits / (counts.hits + counts.scored)
        is_better = flag_all is None or -negative > flag_all
        ranked.append(
            RankedDetector(
                place=places.setdefault(negative, place),
                tier=f1_tier(-negative) if is_better else NO_BETTER,
                hit_f1=-negative,
                flag_all_f1=flag_all,
                interval=entry.jeffreys if entry.degenerate else entry.interval,
                is_jeffreys=entry.degenerate,
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
