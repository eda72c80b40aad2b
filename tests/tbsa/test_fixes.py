# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score, checked by doing what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.fixes import distance_to_edges, fix_together, with_best
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import graded_pair
from tests.report_rows import PairFacts


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


@given(
    st.lists(
        st.tuples(st.sampled_from([1, 2]), st.integers(1, 5)), min_size=1, max_size=12
    )
)
def test_each_pair_to_fix_adds_most_to_those_before_it(
    grades: list[tuple[int, int]],
) -> None:
    """Scored again with those fixed that were named before, in fractions."""
    pairs = [
        replace(
            graded_pair(PairFacts(probe=f"p.P{index:02d}", tier=tier)),
            grades=(grade, None),
        )
        for index, (tier, grade) in enumerate(grades)
    ]
    score = score_pairs(pairs)
    steps = fix_together(pairs, score)
    left = {pair.name: pair for pair in pairs if pair.grade < 5}
    fixed: list[Pair] = []
    for count, step in enumerate(steps, start=1):
        after = with_best([*fixed, step.pair], score)
        others = [with_best([*fixed, other], score) for other in left.values()]
        assert not any(other.is_above(after) for other in others)
        assert (step.count, step.tbsa) == (count, after.tbsa)
        assert step.raw_gain == pytest.approx(after.raw - score.raw)
        fixed.append(left.pop(step.pair.name))
    assert not left
