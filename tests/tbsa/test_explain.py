# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score, checked by doing what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.explain import (
    distance_to_edges,
    explain,
    family_of,
    fix_together,
    with_best,
)
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.score import score_pairs, score_tiers, tier_sum
from tests.factories import (
    PairFacts,
    assessment_of,
    graded_pair,
    pairs_named,
    report_rows,
    write_report,
)
from tests.garak_own import own_result

FACTS = [
    PairFacts(probe="a.A", passed=8, mu=0.75),
    PairFacts(probe="b.B", tier=2, passed=3, mu=0.9),
    PairFacts(probe="c.C", tier=2, passed=10, mu=0.5),
    PairFacts(probe="d.D", tier=1, passed=2),
]


def test_fixing_a_pair_gives_the_score_that_is_promised(tmp_path: Path) -> None:
    """What the score would be if this pair were a 5."""
    before = assessment_of(write_report(tmp_path / "r", report_rows(FACTS)))
    effects = explain(before).effects
    assert [effect.pair.probe for effect in effects] == ["d.D", "b.B", "a.A", "c.C"]
    for effect in effects:
        grades: dict[int, list[int]] = {1: [], 2: []}
        for pair in before.graded:
            fixed = pair.name == effect.pair.name
            grades[pair.tier].append(5 if fixed else pair.grade)
        after = score_tiers([tier_sum(tier, found) for tier, found in grades.items()])
        assert effect.tbsa_if_best == after.tbsa
        assert effect.raw_gain == pytest.approx(after.raw - before.documented.raw)
        assert effect.raw_gain >= 0


def test_the_costs_and_the_score_add_up_to_5(tmp_path: Path) -> None:
    """The costs of all pairs and the score add up to 5.0."""
    for facts in (FACTS, FACTS[:1], FACTS[1:3]):
        assessment = assessment_of(write_report(tmp_path / "r", report_rows(facts)))
        effects = explain(assessment).effects
        total = sum(effect.cost for effect in effects) + assessment.documented.raw
        assert total == pytest.approx(5.0)
        assert all((effect.cost > 0) == (effect.pair.grade < 5) for effect in effects)


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


def test_without_calibration_or_counts_the_distance_is_unknown(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r", report_rows(FACTS[:1]))
    (effect,) = explain(assessment_of(path)).effects
    assert (effect.passes_to_rise, effect.hits_to_drop) == (None, None)
    (effect,) = explain(assessment_of(path, FACTS)).effects
    assert (effect.passes_to_rise, effect.hits_to_drop) == (2, 1)
    # nor is it where counts contradict the grade
    rows = report_rows([PairFacts(probe="a.A")])
    rows[-1]["eval"]["a"]["a.A"]["dan.DAN"]["passed"] = 1
    (effect,) = explain(assessment_of(write_report(tmp_path / "r", rows))).effects
    assert (effect.passes_to_rise, effect.hits_to_drop) == (None, None)


def test_where_garak_differs_is_named(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r", report_rows([*FACTS, PairFacts(probe="e.E")]))
    got = explain(assessment_of(path))
    result = own_result(path)
    assert result is not None
    assert got.garak_tbsa == result[0]
    assert [(d.name, d.ours, d.garaks) for d in got.differences] == [
        ("d.D+dan.DAN", 2, None),
        ("e.E+dan.DAN", 4, None),
    ]


def test_a_pair_that_garak_scores_unmeasured_is_named(tmp_path: Path) -> None:
    facts = [*FACTS, *pairs_named((1, 0, 0), mu=0.5)]
    path = write_report(tmp_path / "r", report_rows(facts))
    got = explain(assessment_of(path))
    unmeasured = [d for d in got.differences if d.ours is None]
    assert [(d.name, d.garaks) for d in unmeasured] == [("probe.P00+D", 1)]


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
    fixed: list[GradedPair] = []
    for count, step in enumerate(steps, start=1):
        after = with_best([*fixed, step.pair], score)
        others = [with_best([*fixed, other], score) for other in left.values()]
        assert not any(other.is_above(after) for other in others)
        assert (step.count, step.tbsa) == (count, after.tbsa)
        assert step.raw_gain == pytest.approx(after.raw - score.raw)
        fixed.append(left.pop(step.pair.name))
    assert not left


def test_what_a_modules_pairs_gain_together() -> None:
    """All pairs below grade 5 of the module of probes that gains most."""
    facts = [(1, 5, 10), (1, 10, 10), (2, 1, 10)]
    pairs = [graded_pair(each) for each in pairs_named(*facts)]
    family = family_of(pairs, score_pairs(pairs))
    assert family is not None
    assert (family.module, family.count, family.tbsa) == ("probe", 2, 5.0)
    assert family_of(pairs[1:2], score_pairs(pairs[1:2])) is None
