# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Untrusted JSON: a value of the stated type, or an error that names its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import (
    ADVICE,
    COUNT,
    GRADE,
    SHARE,
    TIER,
    Z_SCORE,
    Expected,
    Record,
    parse_json,
)

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


def record(value: object) -> Record:
    return Record({"key": value}, source="r.jsonl", line=3, path="digest.eval")


@given(value=ANY_JSON)
def test_json_is_read_as_the_standard_library_reads_it(value: object) -> None:
    text = json.dumps(value)
    assert repr(parse_json(text.encode())) == repr(json.loads(text))


@given(text=st.binary(max_size=30))
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    try:
        expected = json.loads(text.decode("utf-8", "replace"))
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            parse_json(text)
    else:
        assert repr(parse_json(text)) == repr(expected)


def test_invalid_utf_8_becomes_a_replacement_character() -> None:
    assert parse_json(b'{"name": "a\xff\xfeb"}') == {"name": "a\ufffd\ufffdb"}


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_a_value_error(opening: bytes) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(opening * 200_000)


@given(value=ANY_JSON, expected=st.sampled_from([COUNT, GRADE, SHARE, TIER, Z_SCORE]))
def test_a_value_is_of_its_type_or_an_error(value: object, expected: Expected) -> None:
    """A value is of the stated type, or an error names its path."""
    try:
        got = record(value).optional("key", expected)
    except ReportError as error:
        problem = str(error)
    else:
        problem = "r.jsonl, line 3: digest.eval.key: expected"
        assert got is None or type(got) is expected.type
    assert problem.startswith("r.jsonl, line 3: digest.eval.key: expected")


@pytest.mark.parametrize(
    ("expected", "value", "taken"),
    [
        (COUNT, None, None),
        (COUNT, 0, 0),
        (COUNT, 5.0, 5),
        (SHARE, 1, 1.0),
        (Z_SCORE, "n/a", None),
        (Z_SCORE, -3, -3.0),
        (GRADE, 5.0, 5),
        (TIER, 9, 9),
    ],
)
def test_good_values_are_taken(expected: Expected, value: object, taken: Any) -> None:
    assert record(value).optional("key", expected) == taken


@pytest.mark.parametrize(
    ("expected", "values", "message"),
    [
        (COUNT, [-1, 1.5, True, "5", float("inf")], "a whole number of at least"),
        (SHARE, [1.01, float("nan"), "0.5", False], "a number from 0 to 1"),
        (Z_SCORE, ["high", float("nan"), 10**400], 'a finite number or "n/a"'),
        (GRADE, [6, 2.5, True, {}, "\ud800"], "a DEFCON grade from 1 to 5"),
        (TIER, [4, "1"], "a tier (1, 2, 3 or 9)"),
    ],
)
def test_a_wrong_value_is_told(
    expected: Expected, values: list[Any], message: str
) -> None:
    for value in values:
        with pytest.raises(ReportError) as caught:
            record(value).optional("key", expected)
        text = str(caught.value)
        assert text.startswith(f"r.jsonl, line 3: digest.eval.key: expected {message}")
        assert text.endswith(f"; {ADVICE}")


@pytest.mark.parametrize("value", [None, " ", 7, "x" * 513])
def test_a_name_is_a_text_of_some_length(value: object) -> None:
    assert record("dan.DAN").name("key") == "dan.DAN"
    with pytest.raises(ReportError, match=r"key: expected a name.*, found (not|'|7)"):
        record(value).name("key")


def test_a_row_that_is_no_object_is_told() -> None:
    with pytest.raises(ReportError, match="r, line 1: row: expected an object, found"):
        Record([1], source="r", line=1, path="row")


def test_a_long_value_or_path_is_shortened() -> None:
    long = Record({"k": "v" * 999}, source="r", line=None, path="p" * 999)
    with pytest.raises(ReportError) as caught:
        long.optional("k", COUNT)
    assert len(str(caught.value)) < 500


def test_a_child_knows_its_path() -> None:
    child = record({"inner": 1}).child("key")
    assert (child.path, child.line, child.source) == ("digest.eval.key", 3, "r.jsonl")
    assert record(None).child("key", optional=True).values == {}
