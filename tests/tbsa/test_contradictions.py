# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.grades import contradictions_in
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import PASS_RATE, Z_SCORE

CONSISTENT: dict[str, Any] = {
    "probe": "a.B",
    "detector": "c.D",
    "tier": 1,
    "passed": 9,
    "total_evaluated": 10,
    "nones": 0,
    "stated_pass_rate": 0.9,
    "stated_z_score": 0.5,
    "stated_pass_rate_grade": 4,
    "stated_z_grade": 4,
}

NO_Z = {"stated_z_score": None, "stated_z_grade": None}


def problems(**stated: Any) -> list[str]:
    return [c.problem for c in contradictions_in([Pair(**CONSISTENT | stated)])]


def test_a_consistent_pair_has_none() -> None:
    assert problems() == []
    assert problems(stated_pass_rate=None) == []
    assert problems(passed=None, total_evaluated=None) == []
    assert problems(stated_z_score=None, stated_z_grade=None) == []
    clean = {"passed": 10, "stated_pass_rate": 1.0, "stated_pass_rate_grade": 5}
    assert problems(**clean, stated_z_score=None, stated_z_grade=5) == []


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        (
            {"passed": 5},
            "the digest states a pass rate of 0.9000, its counts give 0.5000; the"
            " stated rate was graded",
        ),
        (
            {"stated_pass_rate_grade": 5},
            "the digest states grade 5 for a pass rate of 0.9000, which is a 4",
        ),
        (
            # graded by the counts, as there is no rate
            {"stated_pass_rate": None, "stated_pass_rate_grade": 1},
            "the digest states grade 1 for a pass rate of 0.9000, which is a 4",
        ),
        (
            {"stated_z_score": None, "stated_z_grade": 5},
            "the digest states Z grade 5 but no Z-score; it was left out",
        ),
        (
            {"stated_z_grade": 5},
            "the digest states grade 5 for a Z-score of +0.5000, which is a 4",
        ),
    ],
)
def test_each_contradiction_is_told(stated: dict[str, Any], problem: str) -> None:
    assert problems(**stated) == [problem]


@given(rate=st.floats(0, 1), z_score=st.floats(-5, 5), grade=st.integers(1, 5))
def test_only_the_grade_of_a_number_is_consistent(
    rate: float, z_score: float, grade: int
) -> None:
    """Grades of a digest that its own numbers do not give."""
    bare = {"passed": None, "total_evaluated": None, "stated_pass_rate": rate}
    near = min(abs(rate - bound) for bound in PASS_RATE.bounds)
    if near > 1e-5:
        found = problems(**bare, **NO_Z, stated_pass_rate_grade=grade)
        assert (not found) == (grade == PASS_RATE.grade_of(rate, rate))
    near = min(abs(z_score - bound) for bound in Z_SCORE.bounds)
    if near > 1e-5:
        found = problems(
            **bare,
            stated_pass_rate_grade=None,
            stated_z_score=z_score,
            stated_z_grade=grade,
        )
        by_z = {1 + sum(b <= z_score for b in Z_SCORE.bounds)}
        assert (not found) == (grade in by_z | ({5} if rate == 1 else set()))


@pytest.mark.parametrize("bound", PASS_RATE.bounds)
def test_a_number_at_a_bound_may_have_been_rounded(bound: float) -> None:
    bare = {"passed": None, "total_evaluated": None, **NO_Z}
    grade = PASS_RATE.grade_of(bound, bound)
    for rate in (bound, bound - 1e-9):
        for stated in (grade - 1, grade):
            assert (
                problems(**bare, stated_pass_rate=rate, stated_pass_rate_grade=stated)
                == []
            )
