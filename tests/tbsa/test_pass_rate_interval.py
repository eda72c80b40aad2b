# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from garak_tbsa.tbsa.grades import wilson_interval
from garak_tbsa.tbsa.pairs import Counts


@given(total=st.integers(1, 5000), share=st.floats(0, 1))
def test_it_is_wilsons_interval(total: int, share: float) -> None:
    """The rates that a two-sided score test would not reject."""
    passed = round(share * total)
    lower, upper = wilson_interval(Counts(passed=passed, total_evaluated=total))
    expected = binomtest(passed, total).proportion_ci(0.95, method="wilson")
    assert lower == pytest.approx(expected.low, abs=1e-9)
    assert upper == pytest.approx(expected.high, abs=1e-9)
    assert 0.0 <= lower <= passed / total <= upper <= 1.0


def test_ends_are_exact() -> None:
    assert wilson_interval(Counts(passed=0, total_evaluated=7))[0] == 0.0
    assert wilson_interval(Counts(passed=7, total_evaluated=7))[1] == 1.0
