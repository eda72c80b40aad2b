# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score, checked by doing what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.fixes import distance_to_edges, explain
from garak_tbsa.tbsa.score import score_grades, score_pairs
from tests.factories import graded_pair
from tests.report_rows import PairFacts
from tests.values import known


@given(
    total=st.integers(1, 60),
    share=st.floats(0, 1),
    mu=st.none() | st.floats(0, 1),
    sigma=st.floats(0, 0.5),
)
def test_the_distance_to_the_edges_is_exact(
    total: int, share: float, mu: float | None, sigma: float
) -> None:
    """How many more hits or passes flip the grade."""
    facts = PairFacts(passed=round(share * total), total=total, mu=mu, sigma=sigma)
    pair = graded_pair(facts)
    rise, drop = distance_to_edges(pair)

    def grade_after(change: int) -> int:
        return graded_pair(replace(facts, passed=facts.passed + change)).grade

    rises = [
        n for n in range(1, total - facts.passed + 1) if grade_after(n) > pair.grade
    ]
    drops = [n for n in range(1, facts.passed + 1) if grade_after(-n) < pair.grade]
    assert rise == (rises[0] if rises else None)
    assert drop == (drops[0] if drops else None)


def test_the_score_is_told_after_each_pair_that_is_fixed() -> None:
    """Scored again with those fixed that were named before."""
    grades = [(2, 1), (1, 3), (1, 1), (2, 2), (1, 4), (2, 5)]
    pairs = [
        graded_pair(PairFacts(probe=f"p.P{index}", tier=tier, passed=passed, total=100))
        for index, (tier, grade) in enumerate(grades)
        for passed in [{1: 0, 2: 30, 3: 60, 4: 90, 5: 100}[grade]]
    ]
    assert [pair.grade for pair in pairs] == [grade for _, grade in grades]
    score = score_pairs(pairs)
    found = explain(pairs, score)
    assert [each.pair for each in found.effects] == [
        pairs[place] for place in (2, 0, 3, 1, 4, 5)
    ]
    names = [pairs[place].name for place in (2, 0, 3, 1)]
    assert [each.pair.name for each in found.fixes] == names
    for count, each in enumerate(found.fixes, start=1):
        step = known(each.step)
        after = score_grades(
            (pair.tier or 0, 5 if pair.name in names[:count] else pair.grade)
            for pair in pairs
        )
        assert (step.count, step.tbsa) == (count, after.tbsa)
        assert step.raw_gain == pytest.approx(after.raw - score.raw)
