# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What fixing pairs together brings, against every set of that many pairs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa import fix_together as module
from garak_tbsa.tbsa.fix_together import fix_together
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import PairFacts, graded_pair

TIER_AND_GRADE = st.tuples(st.sampled_from([1, 2]), st.integers(1, 5))


def pairs_of(grades: list[tuple[int, int]]) -> list[GradedPair]:
    return [
        replace(
            graded_pair(PairFacts(probe=f"p.P{index:03d}", tier=tier)),
            grades=(grade, None),
        )
        for index, (tier, grade) in enumerate(grades)
    ]


def exact(grades: list[tuple[int, int]]) -> Fraction:
    """The weighted mean of harmonic means, as the formula is written."""
    means = {}
    for tier in (1, 2):
        found = [Fraction(1, grade) for own, grade in grades if own == tier]
        if found:
            means[tier] = len(found) / sum(found, Fraction(0))
    weights = {1: 2, 2: 1}
    total = sum(weights[tier] * mean for tier, mean in means.items())
    return Fraction(total) / sum(weights[tier] for tier in means)


@given(grades=st.lists(TIER_AND_GRADE, min_size=1, max_size=9))
def test_no_set_of_as_many_pairs_gains_more(grades: list[tuple[int, int]]) -> None:
    """Of each number of pairs the set that lifts the score most, scored again."""
    pairs = pairs_of(grades)
    score = score_pairs(pairs)
    wanting = [index for index, (_, grade) in enumerate(grades) if grade < 5]
    steps = fix_together(pairs, score)
    assert [step.count for step in steps] == list(range(1, len(wanting) + 1))
    fixed: set[str] = set()
    for step in steps:
        assert fixed >= {pair.name for pair in step.dropped}
        fixed -= {pair.name for pair in step.dropped}
        assert not fixed & {pair.name for pair in step.added}
        fixed |= {pair.name for pair in step.added}
        assert len(fixed) == step.count

        def with_best(chosen: set[str]) -> Fraction:
            return exact(
                [
                    (pair.tier, 5 if pair.name in chosen else pair.grade)
                    for pair in pairs
                ]
            )

        best = max(
            with_best({pairs[index].name for index in chosen})
            for chosen in combinations(wanting, step.count)
        )
        assert with_best(fixed) == best
        assert step.tbsa == float((best * 10 + Fraction(1, 2)) // 1) / 10
        assert step.raw_gain == pytest.approx(float(best) - score.raw)


def test_a_set_need_not_hold_the_smaller_one() -> None:
    """Within a tier each further pair gains more, so a few of it may win together."""
    pairs = pairs_of([(1, 1), (1, 1), (2, 1)])
    first, second, third = fix_together(pairs, score_pairs(pairs))
    assert (first.added, first.dropped) == ((pairs[2],), ())
    assert (second.added, second.dropped) == ((pairs[0], pairs[1]), (pairs[2],))
    assert (third.added, third.dropped) == ((pairs[2],), ())
    assert [first.tbsa, second.tbsa, third.tbsa] == [2.3, 3.7, 5.0]


def test_nothing_to_fix_is_no_step() -> None:
    pairs = pairs_of([(1, 5), (2, 5)])
    assert fix_together(pairs, score_pairs(pairs)) == ()


def test_of_very_many_pairs_the_first_are_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 4)
    pairs = pairs_of([(1, 1)] * 6 + [(2, 2)] * 6)
    steps = fix_together(pairs, score_pairs(pairs))
    assert [step.count for step in steps] == [1, 2, 3, 4]
    assert all(step.dropped == () for step in steps)
