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
    with Progress(total, unit) as progress:
        for item in items:
            progress.add(0, name(item))
            yield item
            progress.add(counts(item))


class Progress:
    """How much of some work is done; shown after two seconds, in a terminal.

    Parameters
    ----------
    total : float
        How much there is to do; less may do.
    unit : str
        Of the total, in the plural; empty where amounts mean nothing to people.
    """

    def __init__(self, total: float, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._done = 0.0
        self._started = monotonic()
        self._bar: Any = None
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *failure: object) -> None:
        terminal.hide_bar = None
        if self._bar is not None:
            self._bar.close()

    def add(self, work: float, name: str = "") -> None:
        """Say that some work is done, and what is worked on."""
        if not self._is_shown:
            return
        self._done += work
        elapsed = monotonic() - self._started
        if self._bar is None and elapsed > PATIENCE:
            self._bar = self._new_bar(elapsed)
            terminal.hide_bar = self._bar.clear
        elif self._bar is not None:
            self._bar.update(work)
        if self._bar is not None and name:
            self._bar.set_description(name, refresh=False)

    def _new_bar(self, elapsed: float) -> Any:
        from tqdm import tqdm

        bar = tqdm(
            total=self._total,
            unit=f" {self._unit}",
            leave=False,
            file=sys.stderr,
            dynamic_ncols=True,
            bar_format=None if self._unit else "{l_bar}{bar}| {elapsed}<{remaining}",
        )
        bar.n = self._done
        bar.start_t -= elapsed
        bar.refresh()
        return bar
