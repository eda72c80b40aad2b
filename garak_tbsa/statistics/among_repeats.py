# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan among its repeats: whether it was lucky, and what their low scores rest on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, Score

MOSTLY = 0.5
"""More often than not."""

NEARLY_ALL = 0.9
"""Of repeats that score lower, or higher, for a scan to be called lucky or unlucky."""

LUCKY, UNLUCKY = "lucky", "unlucky"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnusualScore:
    """A scan that nearly all repeats would score otherwise than, one way.

    Attributes
    ----------
    kind : str
        ``lucky`` where they score lower, ``unlucky`` where higher.
    outside : bool
        Whether the score is outside the range of its repeats.
    share : float
        Of repeats, those that score lower (higher, for an unlucky scan), as the model
        expects; at least 0.9.
    """

    kind: str
    outside: bool
    share: float


def share_under(repeat: RepeatDistribution, tbsa: float) -> float:
    """Return the share of repeats that score less than this, 0.0-1.0."""
    return math.fsum(share for other, share in repeat.probabilities if other < tbsa)


def share_over(repeat: RepeatDistribution, tbsa: float) -> float:
    """Return the share of repeats that score more than this, 0.0-1.0."""
    return math.fsum(share for other, share in repeat.probabilities if other > tbsa)


def part_of_all(share: float) -> str:
    """Return a share as whole percent that never claims all or nothing."""
    if share > 0.995:
        return "over 99 %"
    return "under 1 %" if share < 0.005 else f"{100 * share:.0f} %"


def unusual_score(tbsa: float, repeat: RepeatDistribution) -> UnusualScore | None:
    """Return how lucky or unlucky a scan was, None where it was neither.

    Parameters
    ----------
    tbsa : float
        The scan's own score.
    repeat : RepeatDistribution
    """
    low, high = repeat.prediction_interval
    for kind, share, outside in (
        (LUCKY, share_under(repeat, tbsa), tbsa > high),
        (UNLUCKY, share_over(repeat, tbsa), tbsa < low),
    ):
        if share >= NEARLY_ALL:
            return UnusualScore(kind=kind, outside=outside, share=share)
    return None


def pairs_of_lower_end(
    pairs: Sequence[Pair], score: Score, repeat: RepeatDistribution
) -> list[Pair]:
    """Return the pairs whose falls cost repeats most, on average; others are left out.

    Parameters
    ----------
    pairs : sequence of Pair
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
    units = [COMMON_MULTIPLE // grade for grade in GRADES]
    added = [worse - better for worse, better in pairwise(units)]
    costs = {}
    for pair in pairs:
        # of falls below 2 to the pair's grade
        below = repeat.below.get(pair.name, ())[: pair.grade - 1]
        lost = sum(share * more for share, more in zip(below, added, strict=False))
        costs[pair.name] = worth[pair.tier or 0] * lost
    falling = [pair for pair in pairs if costs[pair.name]]
    return sorted(falling, key=lambda pair: (-costs[pair.name], pair.name))
