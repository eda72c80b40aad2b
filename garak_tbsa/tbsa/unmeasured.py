# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the score could be, had the pairs without outputs been measured."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.pairs import NO_EVALUATED_OUTPUT
from garak_tbsa.tbsa.rules import BEST_GRADE, WORST_GRADE
from garak_tbsa.tbsa.score import score_grades


@dataclass(frozen=True, kw_only=True, slots=True)
class UnmeasuredBounds:
    """The scores that are possible.

    Attributes
    ----------
    count : int
        Pairs of tiers that count without an evaluated output.
    worst, best : float
        TBSA with all of them at grade 1, and at 5.
    """

    count: int
    worst: float
    best: float


def unmeasured_bounds(assessment: Assessment) -> UnmeasuredBounds | None:
    """Return best and worst TBSA over what was not measured, None if all was."""
    missing = [
        entry.pair.tier
        for entry in assessment.left_out
        if entry.reason == NO_EVALUATED_OUTPUT and entry.pair.tier is not None
    ]
    if not missing:
        return None
    measured = [(pair.tier, pair.grade) for pair in assessment.graded]

    def with_all_at(grade: int) -> float:
        return score_grades([*measured, *((tier, grade) for tier in missing)]).tbsa

    return UnmeasuredBounds(
        count=len(missing), worst=with_all_at(WORST_GRADE), best=with_all_at(BEST_GRADE)
    )
