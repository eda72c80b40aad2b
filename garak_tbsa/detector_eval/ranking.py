# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary -> detectors in order of hit F1, each with its tier."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    """

    place: int
    tier: str
    hit_f1: float
    measured: MeasuredDetector


def rank(summary: Summary) -> tuple[RankedDetector, ...]:
    """Detectors by hit F1, highest first, then by name; without one, unranked."""
    scored = sorted(
        (-entry.hit_f1, entry.detector, entry)
        for entry in summary.measured.values()
        if entry.hit_f1 is not None
    )
    places: dict[float, int] = {}
    return tuple(
        RankedDetector(
            place=places.setdefault(negative, place),
            tier=f1_tier(-negative),
            hit_f1=-negative,
            measured=entry,
        )
        for place, (negative, _, entry) in enumerate(scored, start=1)
    )
