# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The incomplete beta function and the binomial's tail, against scipy's."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from garak_tbsa.tbsa.incomplete_beta import count_below, regularized_incomplete_beta

SIZES = st.floats(1e-3, 1e5)
RATES = st.floats(0, 1)


@given(a=SIZES, b=SIZES, x=RATES)
def test_the_function_is_what_scipy_gives(a: float, b: float, x: float) -> None:
    expected = float(special.betainc(a, b, x))
    assert regularized_incomplete_beta(a, b, x) == pytest.approx(expected, abs=1e-9)


@given(total=st.integers(1, 1000), edge=st.integers(-1, 1002), rate=RATES)
def test_a_tail_of_independent_outputs_is_the_binomial(
    total: int, edge: int, rate: float
) -> None:
    """With independent outputs this is the binomial distribution."""
    edge = min(edge, total + 1)
    expected = float(stats.binom.cdf(edge - 1, total, rate))
    assert count_below(edge, total, total, rate) == pytest.approx(expected, abs=1e-9)


@given(
    total=st.integers(2, 200),
    factor=st.floats(0.2, 5),
    rate=st.floats(0.01, 0.99),
)
def test_a_tail_falls_as_the_rate_rises_and_rises_with_the_edge(
    total: int, factor: float, rate: float
) -> None:
    outputs = total / factor
    tails = [count_below(edge, outputs, total, rate) for edge in range(total + 2)]
    assert tails[0] == 0
    assert tails[-1] == 1
    assert all(one <= other + 1e-12 for one, other in pairwise(tails))
    higher = [count_below(e, outputs, total, rate + 0.01) for e in range(total + 2)]
    assert all(one >= other - 1e-12 for one, other in zip(tails, higher, strict=True))


@pytest.mark.parametrize("factor", [0.6, 1.0, 2.0, 3.5])
def test_the_variance_is_changed_by_the_factor(factor: float) -> None:
    """Its variance is changed by the factor ``total / outputs``."""
    total, rate = 400, 0.3
    tails = [count_below(k, total / factor, total, rate) for k in range(total + 2)]
    shares = [upto - below for below, upto in pairwise(tails)]
    mean = sum(k * share for k, share in enumerate(shares))
    variance = sum((k - mean) ** 2 * share for k, share in enumerate(shares))
    assert mean == pytest.approx(total * rate, abs=0.5)
    assert variance == pytest.approx(factor * total * rate * (1 - rate), rel=0.02)
