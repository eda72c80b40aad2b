# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan at an end of the range of its repeats, or outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.statistics.among_repeats import (
    part_of_all,
    share_over,
    share_under,
    unusual_score,
)
from garak_tbsa.statistics.repeat import RepeatDistribution
from tests.repeats import repeats

WIDE = repeats((1.3, 0.1), (1.8, 0.8), (2.3, 0.1))
NARROW = repeats((3.5, 0.11), (3.6, 0.89))


@pytest.mark.parametrize(
    ("tbsa", "repeat", "expected"),
    [
        # the README's scan: TBSA 3.4, a repeat would score 1.3 to 2.3
        (3.4, WIDE, ("lucky", True, 1.0)),
        (2.3, WIDE, ("lucky", False, 0.9)),
        (1.3, WIDE, ("unlucky", False, 0.9)),
        (1.0, WIDE, ("unlucky", True, 1.0)),
        # within the range, or near too many repeats
        (1.8, WIDE, None),
        (2.2, repeats((1.3, 0.1), (1.8, 0.79), (2.3, 0.11)), None),
        (3.6, NARROW, None),
        (3.5, NARROW, None),
        (3.5, repeats((3.5, 1.0)), None),
    ],
)
def test_nine_in_ten_repeats_have_to_lie_on_one_side(
    tbsa: float,
    repeat: RepeatDistribution,
    expected: tuple[str, bool, float] | None,
) -> None:
    found = unusual_score(tbsa, repeat)
    assert (found and (found.kind, found.outside, found.share)) == (
        expected and pytest.approx(expected)
    )


@given(
    shares=st.lists(st.integers(1, 9), min_size=1, max_size=8),
    tenths=st.integers(10, 30),
)
def test_nearly_all_repeats_score_lower_than_a_lucky_scan(
    shares: list[int], tenths: int
) -> None:
    """``lucky`` where nine in ten score lower, ``unlucky`` where higher."""
    given = [((12 + i) / 10, share / sum(shares)) for i, share in enumerate(shares)]
    repeat, tbsa = repeats(*given), tenths / 10
    found = unusual_score(tbsa, repeat)
    if found is not None:
        beyond = share_under if found.kind == "lucky" else share_over
        assert beyond(repeat, tbsa) == found.share >= 0.9
    low, high = repeat.prediction_interval
    assert (found is not None) or low <= tbsa <= high
    # a part is never called all or nothing
    assert part_of_all(1.0) == part_of_all(0.996) == "over 99 %"
    assert (part_of_all(0.0), part_of_all(0.625)) == ("under 1 %", "62 %")
