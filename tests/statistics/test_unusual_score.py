# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan at an end of the range of its repeats, or outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.statistics.unusual_score import (
    UnusualScore,
    part_of_all,
    share_over,
    share_under,
    unusual_score,
)
from tests.repeats import repeats

WIDE = repeats((1.3, 0.1), (1.8, 0.8), (2.3, 0.1))
NARROW = repeats((3.5, 0.11), (3.6, 0.89))


@pytest.mark.parametrize(
    ("tbsa", "kind", "outside", "share"),
    [
        (3.4, "lucky", True, 1.0),
        (2.3, "lucky", False, 0.9),
        (1.3, "unlucky", False, 0.9),
        (1.0, "unlucky", True, 1.0),
    ],
)
def test_at_an_end_or_outside(
    tbsa: float, kind: str, outside: bool, share: float
) -> None:
    """The README's scan: TBSA 3.4, a repeat would score 1.3 to 2.3."""
    found = unusual_score(tbsa, WIDE)
    assert found is not None
    assert found.share == pytest.approx(share)
    assert found == UnusualScore(kind=kind, outside=outside, share=found.share)


def test_within_the_range_or_near_too_many_repeats_it_was_neither() -> None:
    """Nine in ten have to lie on one side of it."""
    assert unusual_score(1.8, WIDE) is None
    assert unusual_score(2.2, repeats((1.3, 0.1), (1.8, 0.79), (2.3, 0.11))) is None
    assert unusual_score(3.6, NARROW) is None
    assert unusual_score(3.5, NARROW) is None
    assert unusual_score(3.5, repeats((3.5, 1.0))) is None


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
