# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.outputs.long_text import joined, json_text

TEXTS = st.text(st.characters())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)


@given(st.lists(TEXTS))
def test_pieces_are_joined(pieces: list[str]) -> None:
    assert joined(pieces) == "".join(pieces)


@given(VALUES.filter(lambda value: "Infinity" not in json.dumps(value)))
def test_the_text_is_that_of_json(value: object) -> None:
    """The same document always gives the same text."""
    assert json_text(value) == json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def test_what_json_has_no_word_for_is_an_error() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text([float("nan")])


def test_a_long_text_takes_a_few_times_its_length() -> None:
    """``json.dumps`` takes 10 times as much where the pieces are short."""
    document = [{"passed": 1, "total": 2} for _ in range(20_000)]
    tracemalloc.start()
    try:
        text = json_text(document)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text)
    finally:
        tracemalloc.stop()
