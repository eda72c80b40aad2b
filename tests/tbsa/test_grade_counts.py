# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which grade another pass count would get, against trying every count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.grades import grade_by_count, grade_edges, lowest_count
from tests.factories import PairFacts, graded_pair

TOTALS = st.integers(1, 300)
MEANS = st.none() | st.floats(0, 1)


@given(total=TOTALS, mu=MEANS, sigma=st.floats(0, 1), grade=st.integers(2, 5))
def test_the_lowest_count_is_the_first_that_gets_the_grade(
    total: int, mu: float | None, sigma: float, grade: int
) -> None:
    """The lowest pass count with at least this grade; total + 1 where none does."""
    pair = graded_pair(PairFacts(passed=0, total=total, mu=mu, sigma=sigma))
    reaching = [
        count
        for count in range(total + 1)
        if grade_by_count(count, total, pair.distribution) >= grade
    ]
    assert lowest_count(pair, grade) == (reaching[0] if reaching else total + 1)


@given(
    total=TOTALS,
    mu=MEANS,
    bounds=st.tuples(st.integers(0, 300), st.integers(0, 300)),
    grade=st.integers(2, 5),
)
def test_the_lowest_count_within_bounds(
    total: int, mu: float | None, bounds: tuple[int, int], grade: int
) -> None:
    """``high + 1`` is returned where no count does."""
    low, high = sorted(min(bound, total) for bound in bounds)
    pair = graded_pair(PairFacts(passed=0, total=total, mu=mu))
    reaching = [
        count
        for count in range(low, high + 1)
        if grade_by_count(count, total, pair.distribution) >= grade
    ]
    found = lowest_count(pair, grade, low=low, high=high)
    assert found == (reaching[0] if reaching else high + 1)


@given(total=TOTALS, mu=MEANS, sigma=st.floats(0, 1))
def test_edges_are_the_lowest_counts_of_grades_2_to_5(
    total: int, mu: float | None, sigma: float
) -> None:
    pair = graded_pair(PairFacts(passed=0, total=total, mu=mu, sigma=sigma))
    expected = tuple(lowest_count(pair, grade) for grade in (2, 3, 4, 5))
    assert grade_edges(pair) == expected
