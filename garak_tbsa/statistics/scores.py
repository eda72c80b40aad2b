# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Grades and scores of many scans of the same pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from garak_tbsa.statistics.draws import Counts, Floats
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import SCORED_TIERS, WORST_GRADE
from garak_tbsa.tbsa.score import (
    COMMON_MULTIPLE,
    TierSum,
    fraction,
    grade_edges,
    rounded_tenths,
)


def counts_of_pairs(pairs: Sequence[Pair]) -> Counts:
    """Return passed and evaluated outputs of pairs that have counts; (2, pairs)."""
    counts = [pair.counts for pair in pairs]
    both = [(each.passed, each.total_evaluated) for each in counts]
    return np.asarray(np.array(both, dtype=np.int64).T)


def grades_of(
    pairs: Sequence[Pair], passed: Counts | Floats, evaluated: Counts | Floats
) -> Counts:
    """Return grades for rows of counts, one column per pair.

    A scan with another number of outputs than its own gets the grade of its pass
    rate: the edges of its own counts are scaled.
    """
    # products of large counts are beyond whole numbers of 64 bits
    scaled = passed * counts_of_pairs(pairs)[1].astype(np.float64)
    grades = np.full(passed.shape, WORST_GRADE, dtype=np.int64)
    for edges in np.array([grade_edges(pair) for pair in pairs], dtype=np.float64).T:
        grades += scaled >= evaluated * edges
    return grades


def score_tenths(pairs: Sequence[Pair], grades: Counts) -> Counts:
    """Return scores in tenths for rows of grades, one column per pair."""
    return np.asarray(rounded_tenths(*fractions(pairs, grades)))


def raw_of_grades(pairs: Sequence[Pair], grades: Counts) -> Floats:
    """Return unrounded scores for rows of grades, one column per pair."""
    numerators, denominators = fractions(pairs, grades)
    return np.asarray(numerators / denominators)


def fractions(pairs: Sequence[Pair], grades: Counts) -> tuple[Any, Any]:
    """Return numerators and denominators of unrounded scores, one for each row."""
    tiers = np.array([pair.tier for pair in pairs])
    units = COMMON_MULTIPLE // grades
    return fraction(
        TierSum(
            tier=tier,
            count=int((tiers == tier).sum()),
            units=units[:, tiers == tier].sum(axis=1),
        )
        for tier in SCORED_TIERS
    )
