# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results that are worked out once; ``functools`` takes a millisecond to import."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from typing_extensions import ParamSpec

    Arguments = ParamSpec("Arguments")
    Result = TypeVar("Result")

MOST = 1000


def remembered(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make a function remember its last results, at most a thousand.

    Arguments must be hashable, and nobody may change a result. A call with named ones
    is not remembered.
    """
    found: dict[tuple[object, ...], Result] = {}

    def remember(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        if named:
            return function(*arguments, **named)
        if arguments not in found:
            if len(found) == MOST:
                found.clear()
            found[arguments] = function(*arguments, **named)
        return found[arguments]

    return remember
