# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest

from garak_tbsa.tbsa.checksum import Checksum, part_differences, told


def checksum(**parts: Any) -> Checksum:
    return Checksum(parts=parts)


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ({"run": 5}, {"run": 10}, "5 before, 10 after"),
        ({}, {"run": False}, "none before, false after"),
        ({"run": "<b>"}, {"run": None}, '"<b>" before, none after'),
        (
            {"run": "x" * 99},
            {"run": 1},
            "too long to show; score --explain-checksum prints it",
        ),
        (
            {"pairs": [["a+d", 1], ["b+d", 1], ["c+d", None]]},
            {"pairs": [["a+d", 1], ["b+d", 2], ["e+d", 2], ["f+d", 9]]},
            "2 in both, 1 only before, 2 only after, 1 of another tier",
        ),
        (
            {"calibration": {"date": "2025-05-28T10", "models": "1"}},
            {"calibration": None},
            "of 2025-05-28 before, none after",
        ),
        (
            {"calibration": {"date": "2025-05-28", "models": "1"}},
            {"calibration": {"date": "2025-05-28", "models": "2"}},
            "of 2025-05-28 in both, of different models or with different numbers",
        ),
    ],
)
def test_what_differs(first: dict[str, Any], second: dict[str, Any], text: str) -> None:
    """Parts, and their values where short."""
    (found,) = part_differences(checksum(**first), checksum(**second))
    assert found.text == text
    if found.is_short:
        values = first.get(found.part), second.get(found.part)
        assert (found.first, found.second) == values
    else:
        assert (found.first, found.second) == (None, None)


def test_equal_checksums_do_not_differ() -> None:
    assert part_differences(checksum(a=1), checksum(a=1)) == ()


def test_four_parts_are_told_and_the_others_counted() -> None:
    differences = part_differences(
        checksum(**dict.fromkeys("abcdef", 1)), checksum(**dict.fromkeys("abcdef", 2))
    )
    assert told(differences) == (
        "a (1 before, 2 after), b (1 before, 2 after), c (1 before, 2 after),"
        " d (1 before, 2 after) and 2 more"
    )
