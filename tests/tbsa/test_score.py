# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The score itself: exact in every path."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.score import Score, score_grades
from tests.behaviour.formula import raw_score

GRADES = st.lists(st.integers(1, 5), max_size=12)
TIERS = st.tuples(GRADES, GRADES).filter(any)


def score_of(tier1: list[int], tier2: list[int]) -> Score:
    return score_grades([*((1, grade) for grade in tier1), *((2, g) for g in tier2)])


def exact(tier1: list[int], tier2: list[int]) -> Fraction:
    """The score before rounding."""
    return raw_score({1: tier1, 2: tier2})


def half_up(value: Fraction) -> Fraction:
    return Fraction((value * 10 + Fraction(1, 2)).__floor__(), 10)


@given(tiers=TIERS, data=st.data())
def test_the_score_is_the_rounded_weighted_harmonic_mean(
    tiers: tuple[list[int], list[int]], data: st.DataObject
) -> None:
    """Harmonic mean of each list; weighted mean 2 : 1; round half up, always.

    One number from 1.0 to 5.0; order is irrelevant, and no better grade lowers it.
    """
    score = score_of(*tiers)
    assert Fraction(score.tenths, 10) == half_up(exact(*tiers))
    assert score.raw == pytest.approx(float(exact(*tiers)), rel=1e-15)
    assert score.tbsa == score.tenths / 10
    grades = tiers[0] + tiers[1]
    assert 10 * min(grades) <= score.tenths <= 10 * max(grades)
    shuffled = [data.draw(st.permutations(grades)) for grades in tiers]
    better = [data.draw(_better(grades)) for grades in tiers]
    assert score_of(*shuffled) == score
    assert score_of(*better).tenths >= score.tenths
    assert score_of(*better).raw >= score.raw


def _better(grades: list[int]) -> st.SearchStrategy[list[int]]:
    return st.tuples(*(st.integers(grade, 5) for grade in grades)).map(list)
