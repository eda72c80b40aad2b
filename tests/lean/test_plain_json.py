# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JSON by the accelerator is the JSON of the standard library."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.lean import plain_json
from garak_tbsa.lean.plain_json import canonical, loads
from tests.unmeasured import unmeasured

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
WRONG = [
    "",
    " ",
    "{",
    '{"a":}',
    '{"a" 1}',
    "[1,]",
    "nul",
    "1 x",
    '"\\u12"',
    '"a',
    "\x00",
]


@given(VALUES)
def test_a_value_survives_writing_and_reading(value: Any) -> None:
    """The same value always gives the same text, and the text the value."""
    assert loads(canonical(value).decode()) == value
    assert canonical(value).decode() == json.dumps(
        value, sort_keys=True, separators=(",", ":")
    )


@given(VALUES)
def test_white_space_around_a_value_is_passed_over(
    value: dict[str, Any] | list[Any] | str | None,
) -> None:
    assert loads(f" \r\n\t{json.dumps(value)}\n ") == value


@pytest.mark.parametrize("text", WRONG)
def test_what_is_not_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


@pytest.mark.parametrize("text", WRONG)
def test_so_it_is_where_json_was_never_imported(text: str) -> None:
    # the scanner itself cannot raise JSONDecodeError before json is in memory
    code = (
        "import sys\n"
        "from garak_tbsa.lean.plain_json import loads\n"
        "assert 'json' not in sys.modules\n"
        f"try:\n    loads({text!r})\nexcept ValueError:\n    sys.exit(0)\nsys.exit(5)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=unmeasured(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_constants_that_json_does_not_know_are_numbers() -> None:
    numbers = loads("[NaN, -Infinity, Infinity]")
    assert isinstance(numbers, list)
    nan, low, high = numbers
    assert nan != nan
    assert (low, high) == (float("-inf"), float("inf"))


def test_nesting_too_deep_is_a_recursion_error() -> None:
    with pytest.raises(RecursionError):
        loads("[" * 100_000)


@pytest.fixture(params=["missing", "failing"])
def without_accelerator(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interpreter whose private scanner and encoder are gone, or have changed."""

    def changed(*_: object) -> Any:
        raise TypeError("takes other arguments")

    gone = None if request.param == "missing" else changed
    monkeypatch.setattr(plain_json, "_scan", gone)
    monkeypatch.setattr(plain_json, "_encode", gone)


@pytest.mark.usefixtures("without_accelerator")
def test_json_does_what_the_accelerator_cannot() -> None:
    """Any failure of CPython's private scanner falls back to ``json``."""
    value = {"b": [1, 2.5, None, "é"], "a": {"c": float("inf")}}
    assert loads(json.dumps(value)) == value
    assert canonical({"b": 1, "a": "é"}) == b'{"a":"\\u00e9","b":1}'
    for text in WRONG:
        with pytest.raises(ValueError):
            loads(text)


CHANGED = """
import _json, json
class Other:
    def __init__(self, *_): pass
    def __call__(self, *_): return ("something else", 1)
_json.{name} = Other
from garak_tbsa.lean import plain_json
assert plain_json._scan is None
assert plain_json.loads('[1]') == [1]
assert plain_json.canonical([1]) == b'[1]'
"""


@pytest.mark.parametrize("name", ["make_scanner", "make_encoder"])
def test_an_accelerator_that_behaves_otherwise_is_not_trusted(name: str) -> None:
    code = CHANGED.format(name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
