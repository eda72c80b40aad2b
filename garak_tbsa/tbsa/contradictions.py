# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Grades of a digest that its own numbers do not give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import BEST_GRADE, CLEAN_SHEET, PASS_RATE, Z_SCORE, GradeRule

TOLERANCE = 1e-6
"""How far a stated number may be from the one that garak graded."""

SHOWN = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Contradiction:
    """One number of a digest that another of its numbers contradicts.

    Attributes
    ----------
    pair : str
        The pair's name.
    problem : str
        In words.
    """

    pair: str
    problem: str

    @property
    def text(self) -> str:
        """The pair and what is wrong with it."""
        return f"{self.pair}: {self.problem}"


def contradictions_in(pairs: Iterable[Pair]) -> tuple[Contradiction, ...]:
    """Return what a digest says of pairs and contradicts itself.

    Parameters
    ----------
    pairs : iterable of Pair
        With at least one evaluated output each.
    """
    return tuple(
        Contradiction(pair=pair.name, problem=problem)
        for pair in pairs
        for problem in _problems(pair)
    )


def in_warnings(contradictions: Sequence[Contradiction]) -> list[str]:
    """Return a line for each of the first ones, and how many more there are."""
    lines = [contradiction.text for contradiction in contradictions[:SHOWN]]
    more = len(contradictions) - SHOWN
    if more > 0:
        lines.append(f"the digest contradicts itself {more} more times")
    return lines


def _problems(pair: Pair) -> Iterator[str]:
    counted = pair.measured_pass_rate
    rate = counted if pair.stated_pass_rate is None else pair.stated_pass_rate
    if rate is None:
        return
    if counted is not None and abs(rate - counted) > TOLERANCE:
        yield (
            f"the digest states a pass rate of {rate:.4f},"
            f" its counts give {counted:.4f}; the stated rate was graded"
        )
    grade = pair.stated_pass_rate_grade
    if grade is not None and grade not in _possible(PASS_RATE, rate):
        yield (
            f"the digest states grade {grade} for a pass rate of {rate:.4f},"
            f" which is a {PASS_RATE.grade_of(rate, rate)}"
        )
    z_score, z_grade = pair.stated_z_score, pair.stated_z_grade
    # garak locks the Z grade of a clean sheet, with a Z-score or without
    if z_grade is None or (rate == CLEAN_SHEET and z_grade == BEST_GRADE):
        return
    if z_score is None:
        yield f"the digest states Z grade {z_grade} but no Z-score; it was left out"
    elif z_grade not in _possible(Z_SCORE, z_score):
        yield (
            f"the digest states grade {z_grade} for a Z-score of {z_score:+.4f},"
            f" which is a {Z_SCORE.grade_of(z_score, rate)}"
        )


def _possible(rule: GradeRule, value: float) -> set[int]:
    """The grades of a value that was written with a little less precision."""
    near = (value - TOLERANCE, value, value + TOLERANCE)
    return {1 + sum(bound <= number for bound in rule.bounds) for number in near}
