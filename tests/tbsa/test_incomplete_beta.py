# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The incomplete beta function, against scipy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from garak_tbsa.tbsa.incomplete_beta import regularized_incomplete_beta

SIZES = st.floats(1e-3, 1e5)
RATES = st.floats(0, 1)


@given(a=SIZES, b=SIZES, x=RATES)
def test_the_function_is_what_scipy_gives(a: float, b: float, x: float) -> None:
    expected = float(special.betainc(a, b, x))
    assert regularized_incomplete_beta(a, b, x) == pytest.approx(expected, abs=1e-9)
