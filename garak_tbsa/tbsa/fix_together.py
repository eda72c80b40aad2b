# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which pairs gain most when they are fixed together.

One pair alone often moves no tenth, and two that gain most alone need not be the two
that gain most together: within a tier the gain of each further pair grows. For each
number of pairs this finds the set that lifts the score most, and scores it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import BEST_GRADE
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, Score, TierSum, score_tiers

MOST_STEPS = 500
"""Nobody plans to fix more; a report may have 100,000 pairs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FixStep:
    """The pairs that gain most together, of one number of pairs.

    Attributes
    ----------
    count : int
        How many pairs are fixed, 1 or more.
    added : tuple of GradedPair
        Those that the step before does not have; one, but where ``dropped`` is not
        empty.
    dropped : tuple of GradedPair
        Those of the step before that are not among the best of this number.
    tbsa : float
        The score if all pairs of this step were at grade 5.
    raw_gain : float
        What that adds to today's score before rounding, > 0.
    """

    count: int
    added: tuple[GradedPair, ...]
    dropped: tuple[GradedPair, ...]
    tbsa: float
    raw_gain: float


class _Queue:
    """The pairs of a tier below the best grade, and its sum with the first fixed."""

    def __init__(self, pairs: Sequence[GradedPair], whole: TierSum) -> None:
        wanting = [p for p in pairs if p.tier == whole.tier and p.grade < BEST_GRADE]
        self.pairs = sorted(wanting, key=lambda pair: (pair.grade, pair.name))
        self.sums = [whole]
        for pair in self.pairs[:MOST_STEPS]:
            units = self.sums[-1].units - saved_units(pair)
            self.sums.append(replace(whole, units=units))
        last = len(self.sums) - 1
        steps = pairwise(self.pairs[:last])
        changes = {i for i, (a, b) in enumerate(steps, start=1) if a.grade != b.grade}
        self.edges = {0, last} | changes

    @property
    def last(self) -> int:
        return len(self.sums) - 1


def saved_units(pair: GradedPair) -> int:
    """Return by how many units of its tier's sum a pair is worse than the best."""
    return COMMON_MULTIPLE // pair.grade - COMMON_MULTIPLE // BEST_GRADE


def fix_together(pairs: Sequence[GradedPair], score: Score) -> tuple[FixStep, ...]:
    """Return the best sets of 1, 2, 3 ... pairs to fix.

    Parameters
    ----------
    pairs : sequence of GradedPair
        Those behind the score, in any order.
    score : Score
        Their documented score.

    Returns
    -------
    tuple of FixStep
        At most :data:`MOST_STEPS`; empty where every pair is at the best grade.

    Notes
    -----
    The score is a sum over the tiers, and within a tier the worst grades come first.
    So a set is a number of pairs of each tier. While the next pairs have the same
    grade, a tier's mean is convex in that number. The best split of a number of pairs
    is therefore where a grade of a tier ends: a few candidates, each scored.
    """
    first, second = (_Queue(pairs, part) for part in score.tiers)
    steps: list[FixStep] = []
    before = 0
    for count in range(1, min(MOST_STEPS, first.last + second.last) + 1):
        taken, best = _best_split(first, second, count, before)
        # a Tier 1 pair given up for Tier 2 pairs, or the other way round, is rare
        others, others_before = count - taken, count - 1 - before
        steps.append(
            FixStep(
                count=count,
                added=tuple(
                    first.pairs[before:taken] + second.pairs[others_before:others]
                ),
                dropped=tuple(
                    first.pairs[taken:before] + second.pairs[others:others_before]
                ),
                tbsa=best.tbsa,
                raw_gain=best.raw - score.raw,
            )
        )
        before = taken
    return tuple(steps)


def _best_split(
    first: _Queue, second: _Queue, count: int, before: int
) -> tuple[int, Score]:
    """Return how many of ``count`` pairs the first tier has at best, and the score.

    Of equally good splits the one that changes least from ``before``.
    """
    candidates = first.edges | {count - edge for edge in second.edges}
    possible = [
        taken
        for taken in candidates
        if 0 <= taken <= first.last and 0 <= count - taken <= second.last
    ]
    chosen: tuple[int, Score] | None = None
    for taken in sorted(possible, key=lambda taken: (abs(taken - before), -taken)):
        found = score_tiers((first.sums[taken], second.sums[count - taken]))
        if chosen is None or found.is_above(chosen[1]):
            chosen = taken, found
    assert chosen is not None
    return chosen
