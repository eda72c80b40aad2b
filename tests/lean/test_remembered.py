# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results are worked out once, and not too many of them are kept."""

from __future__ import annotations

from garak_tbsa.lean.remembered import MOST, remembered


def test_a_result_is_worked_out_once_for_its_arguments() -> None:
    calls: list[tuple[int, int]] = []

    @remembered
    def added(one: int, other: int = 0) -> int:
        calls.append((one, other))
        return one + other

    assert [added(1, 2), added(1, 2), added(2, 1), added(1)] == [3, 3, 3, 1]
    assert calls == [(1, 2), (2, 1), (1, 0)]
    # another value of a named argument is another call
    assert [added(1, other=5), added(1, other=7)] == [6, 8]


def test_at_most_a_thousand_results_are_kept() -> None:
    """Then all are forgotten."""
    calls: list[int] = []

    @remembered
    def same(value: int) -> int:
        calls.append(value)
        return value

    for value in range(MOST):
        same(value)
    assert same(0) == 0
    assert len(calls) == MOST
    assert same(MOST) == MOST
    assert same(0) == 0
    assert len(calls) == MOST + 2
