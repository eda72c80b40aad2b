# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""No two rows share more than 0.8 of their word 3-grams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.labelled_data.near_copies import near_copies, word_3_grams

TEN = "one two three four five six seven eight nine ten"


def test_word_3_grams() -> None:
    assert word_3_grams("One, two; THREE four") == {
        ("one", "two", "three"),
        ("two", "three", "four"),
    }
    assert word_3_grams("Only two") == {("only", "two")}
    assert word_3_grams("") == {()}


@pytest.mark.parametrize(
    ("other", "share"),
    [
        (TEN, 1.0),
        (TEN.upper() + "!", 1.0),
        (TEN.replace("ten", "11"), 7 / 8),
        (TEN.replace("two", "2"), None),  # 6 of 8 is not above 0.8
        ("something else is said here", None),
        (f"{TEN} and on and on for a good while", 1.0),  # a copy with a tail
    ],
)
def test_share_of_the_shorter_text(other: str, share: float | None) -> None:
    found = list(near_copies([TEN, "unrelated words come between", other]))
    assert [(copy.first, copy.second) for copy in found] == ([(0, 2)] if share else [])
    assert [copy.share for copy in found] == ([pytest.approx(share)] if share else [])


words = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)


@given(st.lists(words, max_size=6))
def test_symmetric_and_as_counted_by_hand(texts: list[str]) -> None:
    """Shared 3-grams over the fewer of the two, whatever the order of the rows."""
    expected = set()
    for i in range(len(texts)):
        for j in range(i + 1, len(texts)):
            one, two = (
                {tuple(w[k : k + 3]) for k in range(max(1, len(w) - 2))}
                for w in (texts[i].split(), texts[j].split())
            )
            if len(one & two) > 0.8 * min(len(one), len(two)):
                expected.add((i, j))
    assert {(copy.first, copy.second) for copy in near_copies(texts)} == expected
    last = len(texts) - 1
    backwards = {
        (last - copy.second, last - copy.first) for copy in near_copies(texts[::-1])
    }
    assert backwards == expected
