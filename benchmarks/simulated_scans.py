# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans drawn from pass rates that are known, with the installed calibration.

``scan_of_57_pairs.csv`` holds the counts of a real scan by garak 0.17.1 of an
offline target: dan, ansiescape, web_injection, encoding, promptinject and
latentinjection, one generation.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.garak_api.scoring import installed_calibration, tier_of
from garak_tbsa.garak_files.calibration import Calibration
from garak_tbsa.garak_files.outcomes import Outcomes
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.repeat import LEVEL, repeat_distribution
from garak_tbsa.tbsa.grade_counts import lowest_count
from garak_tbsa.tbsa.grades import GradedPair, recomputed_grades
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

NO_ATTEMPTS = Unavailable(reason="not read")
REAL_SCAN = Path(__file__).with_name("scan_of_57_pairs.csv")

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@cache
def calibration() -> Calibration:
    """Return the calibration of the installed garak."""
    return installed_calibration()


def make_pair(
    probe: str, detector: str, tier: int, passed: int, total: int
) -> GradedPair:
    """Return a pair with these counts."""
    pair = Pair(
        probe=probe,
        detector=detector,
        tier=tier,
        passed=passed,
        total_evaluated=total,
        nones=0,
        stated_pass_rate=None,
        stated_z_score=None,
        stated_pass_rate_grade=None,
        stated_z_grade=None,
    )
    return recomputed_grades(pair, calibration())


def real_scan() -> list[GradedPair]:
    """Return the 57 pairs of the real scan."""
    with open(REAL_SCAN, encoding="utf-8", newline="") as file:
        return [
            make_pair(
                row["probe"],
                row["detector"],
                int(row["tier"]),
                int(row["passed"]),
                int(row["total_evaluated"]),
            )
            for row in csv.DictReader(file)
        ]


def calibrated_scan() -> list[GradedPair]:
    """Return all calibrated pairs of Tier 1 and 2, as large as in the real scan."""
    rng = np.random.default_rng(1)
    totals = totals_of(real_scan())
    pairs = []
    for name in sorted(calibration().distributions):
        probe, detector = name.split("/")
        tier, total = tier_of(probe), int(rng.choice(totals))
        if tier in (1, 2):
            pairs.append(make_pair(probe, detector, tier, total, total))
    return pairs


def totals_of(pairs: Sequence[GradedPair]) -> Counts:
    """Return the evaluated outputs of each pair."""
    return np.array([pair.total_evaluated for pair in pairs], dtype=np.int64)


def rates_of(pairs: Sequence[GradedPair]) -> Floats:
    """Return the pass rate of each pair."""
    return np.array([pair.pass_rate for pair in pairs])


def recounted(pairs: Sequence[GradedPair], passed: Counts) -> list[GradedPair]:
    """Return the pairs with other pass counts, graded again."""
    return [
        recomputed_grades(replace(pair, passed=int(count)), calibration())
        for pair, count in zip(pairs, passed, strict=True)
    ]


def predicted_range(
    graded: Sequence[GradedPair],
    outcomes: Outcomes | Unavailable,
    generations: int,
    repeat: str,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return our range for the score of a repeat."""
    scan = observe(graded, outcomes, generations)
    return repeat_distribution(scan, repeat, rng).prediction_interval


@dataclass(frozen=True, kw_only=True)
class NarrowestSet:
    """The fewest adjacent tenths that hold at least 95 % of scores.

    Attributes
    ----------
    low, high : int
        The first and the last of them.
    share : float
        What they hold, 0.95-1.
    """

    low: int
    high: int
    share: float

    @property
    def width(self) -> float:
        """In points of the score, as ranges are measured."""
        return (self.high - self.low) / 10


def narrowest_set(tenths: Counts) -> NarrowestSet:
    """Return what to predict for somebody who knows the distribution of the scores.

    Parameters
    ----------
    tenths : array of int
        Scores in tenths, at least one. Of several sets of the same width that which
        holds most is returned, then the lowest.
    """
    first, last = int(tenths.min()), int(tenths.max())
    upto = np.concatenate([[0.0], np.bincount((tenths - first).ravel()).cumsum()])
    for count in range(1, last - first + 2):
        held = (upto[count:] - upto[:-count]) / upto[-1]
        best = int(held.argmax())
        if held[best] >= LEVEL:
            break
    return NarrowestSet(
        low=first + best, high=first + best + count - 1, share=float(held[best])
    )


class Scorer:
    """Scores of many scans of the same pairs at once."""

    def __init__(self, pairs: Sequence[GradedPair]) -> None:
        self.tiers = np.array([pair.tier for pair in pairs])
        self.edges = np.array(
            [[lowest_count(pair, grade) for grade in (2, 3, 4, 5)] for pair in pairs]
        )

    def tenths(self, counts: Counts) -> Counts:
        """Return scores in tenths for rows of pass counts, one column per pair."""
        grades = 1 + (counts[..., np.newaxis] >= self.edges).sum(axis=-1)
        units = 60 // grades
        tier1, tier2 = (units[:, self.tiers == tier].sum(axis=1) for tier in (1, 2))
        n1, n2 = ((self.tiers == tier).sum() for tier in (1, 2))
        above = 20 * (2 * n1 * tier2 + n2 * tier1)
        below = tier1 * tier2
        scores: Counts = (20 * above + below) // (2 * below)
        return scores
