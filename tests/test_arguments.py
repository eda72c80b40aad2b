# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments: one line that names the argument, what it takes and what it got."""

from __future__ import annotations

import os
from typing import Any

import pytest

import garak_tbsa as tbsa
from garak_tbsa.api.arguments import path_of, paths_of, require_number
from garak_tbsa.errors import ReportError, UsageError


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"report": 3}, "report: expected a path, found 3"),
        ({"report": ""}, "report: expected a path, found ''"),
        ({"report": b"x"}, "report: expected a path, found 120"),
        ({"report": []}, "report: expected at least one path, found none"),
        (
            {"report": ["a", "b"]},
            "report: expected one report, found 2; give merge=True if they hold parts"
            " of one scan, or score each by itself",
        ),
        ({"formula": "x"}, "formula: expected 'documented' or 'garak', found 'x'"),
        (
            {"repeat": "x"},
            "repeat: expected 'same-prompts' or 'fresh-prompts', found 'x'",
        ),
        ({"fail_under": 9}, "fail_under: expected a number from 1 to 5, found 9"),
        (
            {"sure": 0.9},
            "sure has no effect without fail_under or require_tier1_grade; give that"
            " too",
        ),
        ({"hits": 101}, "hits: expected a whole number from 0 to 100, found 101"),
        (
            {"max_line_size": True},
            "max_line_size: expected a whole number of at least 1, found True",
        ),
        (
            {"tiers": {"a.B": object}},
            "tiers: expected numbers by probe name (Object of type type is not JSON"
            " serializable)",
        ),
    ],
)
def test_a_wrong_argument_of_score(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        tbsa.score(**{"report": "none.jsonl"} | arguments)
    assert str(caught.value) == text


def test_a_tier_that_is_none() -> None:
    with pytest.raises(ReportError, match=r"^tiers: a\.B: expected a tier of 1, 2, 3"):
        tbsa.score("none.jsonl", tiers={"a.B": 7})


def test_numbers_and_paths_that_are_right() -> None:
    class Path:
        def __fspath__(self) -> str:
            return "a"

    assert isinstance(Path(), os.PathLike)
    assert path_of("x", Path()) == "a"
    several: list[str | Path] = ["a", Path()]
    assert paths_of("x", iter(several)) == ["a", "a"]
    assert paths_of("x", (), may_be_empty=True) == []
    require_number("x", 1, 1, 1, whole=True)
    require_number("x", 0.5, 0, 1)
