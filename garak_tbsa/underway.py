# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is under way, and how much of it is done: for a bar on a terminal, or nobody."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

watch: Callable[[str, float, float | None], None] | None = None
"""Gets what is under way, how much is done, and of how much; set by the commands."""

make_room: Callable[[], None] | None = None
"""Takes away what is drawn on the terminal, before something else is written there."""


def tell(name: str, done: float, total: float | None) -> None:
    """Say how much of some work is done, to whoever watches.

    Parameters
    ----------
    name : str
        What is done, as ``reading scan.report.jsonl``.
    done : float
    total : float or None
        In the unit of ``done``; None where nobody knows how much there is.
    """
    if watch is not None:
        watch(name, done, total)
