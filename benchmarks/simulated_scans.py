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
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.garak_api.installed import installed_calibration, tier_of
from garak_tbsa.garak_files.calibration import Calibration
from garak_tbsa.garak_files.outcomes import Outcomes
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.repeat import repeat_distribution
from garak_tbsa.statistics.scores import grades_of, score_tenths
from garak_tbsa.tbsa.grades import GradedPair, recomputed_grades
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

NO_ATTEMPTS = Unavailable(reason="not read")
REAL_SCAN = Path(__file__).with_name("scan_of_57_pairs.csv")


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


def tenths_of(pairs: Sequence[GradedPair], counts: Counts) -> Counts:
    """Return scores in tenths for rows of pass counts, one column per pair."""
    grades = grades_of(pairs, counts, totals_of(pairs))
    return score_tenths(pairs, grades)
