# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a verdict on two scans is due to: the pairs that moved most in its direction.

The verdict itself is that of one test over all pairs; nothing here changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garak_tbsa.statistics.permutation import PairMove, TestResults
from garak_tbsa.tbsa.grades import GradedPair

FELL, ROSE = "fell", "rose"
PAIRS, MANY_PAIRS, SCORE = "pairs", "many pairs", "score"
MOST_LISTED = 5
"""Pairs that are listed where none of them stands out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedPair:
    """A pair that both scans measured.

    Attributes
    ----------
    first, second : GradedPair
        Before and after.
    move : PairMove or None
        None where nothing of it could change places between the scans.
    not_tested : str or None
        Why the test says nothing of it, None where it does.
    units : tuple of two int
        How many of its units could change places, of the first scan and the second:
        outputs of prompts that both sent, and whole prompts of one alone.
    """

    first: GradedPair
    second: GradedPair
    move: PairMove | None
    not_tested: str | None
    units: tuple[int, int]

    @property
    def name(self) -> str:
        """``probe+detector``."""
        return self.second.name

    @property
    def z(self) -> float:
        """Standardised change of its pass count, 0.0 where it was not tested."""
        return 0.0 if self.move is None else self.move.z

    @property
    def changed_grade(self) -> bool:
        """Whether its grade is not the same in both scans."""
        return self.first.grade != self.second.grade

    @property
    def is_untested_difference(self) -> bool:
        """Whether it differs between the scans, and no test says if that is chance."""
        differs = self.first.pass_rate != self.second.pass_rate or self.changed_grade
        return differs and self.not_tested is not None

    def stands_out(self, direction: str, alpha: float) -> bool:
        """Whether it alone shows a change, allowing for all pairs that were tested.

        Parameters
        ----------
        direction : str
            :data:`FELL` or :data:`ROSE`.
        alpha : float
            One-sided level.
        """
        if self.move is None:
            return False
        p_value = self.move.p_fell if direction == FELL else self.move.p_rose
        return p_value < alpha


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What a verdict in one direction is due to.

    Attributes
    ----------
    direction : str
        :data:`FELL` or :data:`ROSE`.
    kind : str
        :data:`PAIRS` where pairs stand out, :data:`MANY_PAIRS` where none does and
        the passes of all together moved, :data:`SCORE` where only grades tell.
    pairs : tuple of ComparedPair
        All those that stand out, else up to :data:`MOST_LISTED` that moved most in
        this direction; the largest standardised change first.
    moved, against : int
        Tested pairs that moved in this direction, and in the other one.
    """

    direction: str
    kind: str
    pairs: tuple[ComparedPair, ...]
    moved: int
    against: int


def cause_of(
    direction: str, pairs: Sequence[ComparedPair], tests: TestResults, alpha: float
) -> Cause:
    """Attribute a change in one direction to pairs.

    Parameters
    ----------
    direction : str
        :data:`FELL` or :data:`ROSE`.
    pairs : sequence of ComparedPair
    tests : TestResults
        Of these pairs; significant in this direction.
    alpha : float
        Level of the verdict.
    """
    sign = -1 if direction == FELL else 1
    moved = sorted(
        (pair for pair in pairs if sign * pair.z > 0),
        key=lambda pair: (-sign * pair.z, pair.name),
    )
    outstanding = [pair for pair in moved if pair.stands_out(direction, alpha)]
    kind = PAIRS
    if not outstanding:
        together = tests.p_less if direction == FELL else tests.p_more
        kind = MANY_PAIRS if together < alpha else SCORE
    return Cause(
        direction=direction,
        kind=kind,
        pairs=tuple(outstanding or moved[:MOST_LISTED]),
        moved=len(moved),
        against=sum(sign * pair.z < 0 for pair in pairs),
    )
