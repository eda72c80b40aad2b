# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody who knows the distribution of the scores would predict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.simulated_scans import NarrowestSet, narrowest_set


@given(scores=st.lists(st.integers(10, 50), min_size=1, max_size=60))
def test_the_narrowest_set_is_the_best_of_all_sets(scores: list[int]) -> None:
    """The fewest adjacent tenths that hold at least 95 % of scores."""

    def held(low: int, high: int) -> float:
        return sum(low <= score <= high for score in scores) / len(scores)

    enough = [
        (high - low, -held(low, high), low)
        for low in range(10, 51)
        for high in range(low, 51)
        if held(low, high) >= 0.95
    ]
    width, share, low = min(enough)
    found = narrowest_set(np.array(scores))
    assert (found.low, found.high) == (low, low + width)
    assert found.share == pytest.approx(-share)


def test_it_holds_all_where_one_tenth_is_too_few() -> None:
    """Scores are whole tenths: between 60 and 100 % there may be nothing."""
    found = narrowest_set(np.array([26] * 6 + [27] * 4))
    assert found == NarrowestSet(low=26, high=27, share=1.0)
    assert found.width == pytest.approx(0.1)
