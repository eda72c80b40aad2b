# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Repeats of a scan -> the pairs on which the lower end of their scores rests."""

from __future__ import annotations

from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, Score


def pairs_of_lower_end(
    pairs: tuple[Pair, ...], score: Score, repeat: RepeatDistribution
) -> list[Pair]:
    """Return the pairs whose falls cost repeats most, on average; others are left out.

    Parameters
    ----------
    pairs : tuple of Pair
        Those behind the score.
    score : Score
        Theirs.
    repeat : RepeatDistribution
        Of the same scan.
    """
    # what one unit more takes from the score, by tier
    worth = {
        part.tier: part.weight * part.count / part.units**2
        for part in score.tiers
        if part.count
    }
    costs = {
        pair.name: worth[pair.tier or 0] * _units_lost(pair, repeat.below[pair.name])
        for pair in pairs
        if pair.name in repeat.below
    }
    falling = [pair for pair in pairs if costs.get(pair.name)]
    return sorted(falling, key=lambda pair: (-costs[pair.name], pair.name))


def _units_lost(pair: Pair, below: tuple[float, ...]) -> float:
    """Units of its tier's sum that the falls of a pair add, on average."""
    return sum(
        share * (COMMON_MULTIPLE // (grade - 1) - COMMON_MULTIPLE // grade)
        for grade, share in zip(GRADES[1:], below, strict=True)
        if grade <= pair.grade
    )
