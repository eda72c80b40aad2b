# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A bar with the time that remains, for work of more than two seconds."""

from __future__ import annotations

import sys
from time import monotonic

from garak_tbsa.cli import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds after which people want to know how long it takes."""


def with_progress(
    items: Iterable[Item],
    total: int,
    unit: str,
    *,
    counts: Callable[[Item], int] = lambda item: 1,
    name: Callable[[Item], str] = lambda item: "",
) -> Iterator[Item]:
    """Yield items, and tell on a terminal how far it is; nothing to a pipe.

    The bar is imported when it is shown: a short command does not wait for it.

    Parameters
    ----------
    items : iterable
        Each is a part of the work that is done when the next one is asked for.
    total : int
        How much there is to do.
    unit : str
        Of the total, in the plural.
    counts : callable, optional
        How much of the total an item is.
    name : callable, optional
        What is worked on, shown before the bar.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    started, done = monotonic(), 0
    bar: Any = None
    try:
        for item in items:
            if bar is None and monotonic() - started > PATIENCE:
                bar = _bar(total, done, unit, monotonic() - started)
            if bar is not None:
                bar.set_description(name(item), refresh=False)
            yield item
            done += counts(item)
            if bar is not None:
                bar.update(counts(item))
    finally:
        terminal.hide_bar = None
        if bar is not None:
            bar.close()


def _bar(total: int, done: int, unit: str, elapsed: float) -> Any:
    from tqdm import tqdm

    bar = tqdm(
        total=total,
        unit=f" {unit}",
        leave=False,
        file=sys.stderr,
        dynamic_ncols=True,
    )
    bar.n = done
    bar.start_t -= elapsed
    bar.refresh()
    terminal.hide_bar = bar.clear
    return bar
