# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which grade another pass count would get, against trying every count."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.grade_counts import grade_probabilities, lowest_count
from garak_tbsa.tbsa.grades import grade_by_count
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


@given(
    weights=st.lists(st.floats(0.001, 1), min_size=1, max_size=40),
    first=st.integers(0, 20),
    mu=MEANS,
)
def test_grade_probabilities_add_up_those_of_the_counts(
    weights: list[float], first: int, mu: float | None
) -> None:
    """Each count's probability goes to the grade that the count gets."""
    total = 60
    pair = graded_pair(PairFacts(passed=0, total=total, mu=mu))
    whole = math.fsum(weights)
    cumulated = [math.fsum(weights[:i]) / whole for i in range(len(weights) + 1)]
    expected = [0.0] * 5
    for place, weight in enumerate(weights):
        grade = grade_by_count(first + place, total, pair.distribution)
        expected[grade - 1] += weight / whole
    found = grade_probabilities(pair, first, cumulated)
    assert found == pytest.approx(expected, abs=1e-12)
