# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the score of two tiers reaches a tenth, against the score itself."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.rules import TIER_WEIGHTS
from garak_tbsa.tbsa.two_tiers import JoinBounds

COUNTS = st.integers(1, 40)
SHARES = st.floats(0, 1)


@given(count=COUNTS, other_count=COUNTS, share=SHARES, other_share=SHARES)
def test_a_tenth_is_reached_where_its_slope_says_so(
    count: int, other_count: int, share: float, other_share: float
) -> None:
    """A score reaches t tenths if and only if s times the slope is within the level."""
    units = round((12 + 48 * share) * count)
    others = round((12 + 48 * other_share) * other_count)
    bounds = JoinBounds(1, count, 2, other_count)
    means = Fraction(60 * count, units), Fraction(60 * other_count, others)
    weights = TIER_WEIGHTS[1], TIER_WEIGHTS[2]
    score = sum(w * mean for w, mean in zip(weights, means, strict=True)) / sum(weights)
    tenths = math.floor(10 * score + Fraction(1, 2))
    assert bounds.tenth(units, others) == tenths
    level, less = bounds.level(units), bounds.slope_of_a_tenth(units)
    for tenth in range(10, 51):
        slope = bounds.slope(tenth, units)
        assert (slope * others <= level) == (tenths >= tenth)
        assert bounds.slope(tenth - 1, units) == slope - less
