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
from garak_tbsa.garak_files.fields import ADVICE, Record, parse_json

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
GETTERS = (
    "child",
    "child_or_empty",
    "name",
    "optional_count",
    "optional_share",
    "optional_z_score",
    "optional_grade",
    "optional_tier",
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


@given(value=ANY_JSON, getter=st.sampled_from(GETTERS))
def test_a_getter_gives_its_type_or_a_report_error(value: object, getter: str) -> None:
    """Each getter returns a value of the stated type or raises a ReportError."""
    try:
        got = getattr(record(value), getter)("key")
    except ReportError as error:
        got = error
    if isinstance(got, ReportError):
        assert str(got).startswith("r.jsonl, line 3: digest.eval.key: expected")
    else:
        assert got is None or isinstance(got, (Record, str, int, float))


@pytest.mark.parametrize(
    ("getter", "value", "expected"),
    [
        ("name", "dan.DAN", "dan.DAN"),
        ("optional_count", None, None),
        ("optional_count", 0, 0),
        ("optional_count", 5.0, 5),
        ("optional_share", 1, 1.0),
        ("optional_share", None, None),
        ("optional_z_score", "n/a", None),
        ("optional_z_score", None, None),
        ("optional_z_score", -3, -3.0),
        ("optional_grade", 5.0, 5),
        ("optional_grade", None, None),
        ("optional_tier", 9, 9),
        ("optional_tier", None, None),
    ],
)
def test_good_values_are_taken(getter: str, value: object, expected: object) -> None:
    got = getattr(record(value), getter)("key")
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("getter", "value", "message"),
    [
        ("child", None, "expected an object, found nothing"),
        ("child", [1], "expected an object, found a list"),
        ("child_or_empty", "x", "expected an object, found 'x'"),
        ("name", None, "expected a name, found nothing"),
        ("name", " ", "expected a name, found ' '"),
        ("name", 7, "expected a name, found 7"),
        ("name", "x" * 513, "expected a name of at most 512 characters, found 'xxx"),
        ("optional_count", -1, "expected a whole number of at least 0, found -1"),
        ("optional_count", 1.5, "expected a whole number of at least 0, found 1.5"),
        ("optional_count", True, "expected a whole number of at least 0, found True"),
        ("optional_count", "5", "expected a whole number of at least 0, found '5'"),
        (
            "optional_count",
            float("inf"),
            "expected a whole number of at least 0, found",
        ),
        ("optional_count", 400_000_001, "expected a whole number of at most 400000000"),
        ("optional_share", 1.01, "expected a number from 0 to 1, found 1.01"),
        ("optional_share", float("nan"), "expected a number from 0 to 1, found nan"),
        ("optional_share", "0.5", "expected a number from 0 to 1, found '0.5'"),
        ("optional_share", False, "expected a number from 0 to 1, found False"),
        ("optional_z_score", "high", """expected a number or "n/a", found 'high'"""),
        ("optional_z_score", float("nan"), 'expected a finite number or "n/a"'),
        ("optional_z_score", float("-inf"), 'expected a finite number or "n/a"'),
        ("optional_z_score", 10**400, 'expected a finite number or "n/a", found 1000'),
        ("optional_grade", 6, "expected a DEFCON grade from 1 to 5, found 6"),
        ("optional_grade", 2.5, "expected a DEFCON grade from 1 to 5, found 2.5"),
        ("optional_grade", True, "expected a DEFCON grade from 1 to 5, found True"),
        ("optional_grade", {}, "expected a DEFCON grade from 1 to 5, found an object"),
        ("optional_tier", 4, "expected a tier (1, 2, 3 or 9), found 4"),
        ("optional_tier", "1", "expected a tier (1, 2, 3 or 9), found '1'"),
    ],
)
def test_a_wrong_value_is_told(getter: str, value: Any, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        getattr(record(value), getter)("key")
    text = str(caught.value)
    assert text.startswith(f"r.jsonl, line 3: digest.eval.key: {message}")
    assert text.endswith(f"; {ADVICE}")


def test_a_row_that_is_no_object_is_told() -> None:
    with pytest.raises(ReportError, match="r, line 1: row: expected an object, found"):
        Record([1], source="r", line=1, path="row")


def test_a_long_value_or_path_is_shortened() -> None:
    long = Record({"k": "v" * 999}, source="r", line=None, path="p" * 999)
    with pytest.raises(ReportError) as caught:
        long.optional_count("k")
    assert len(str(caught.value)) < 500


def test_a_child_knows_its_path() -> None:
    child = record({"inner": 1}).child("key")
    assert (child.path, child.line, child.source) == ("digest.eval.key", 3, "r.jsonl")
    assert record(None).child_or_empty("key").values == {}
