# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that says what takes long, and how much longer.

Only a command that begins with :func:`start` has one: elsewhere what is told here goes
nowhere. Whatever else is written takes the line away, and the next that is told puts it
there again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, TypeVar

from garak_tbsa import terminal
from garak_tbsa.safe_text import printable
from garak_tbsa.terminal import USUAL_WIDTH, terminal_width

if TYPE_CHECKING:
    from tqdm import tqdm

Item = TypeVar("Item")

PATIENCE = 1.5
"""Seconds of silence after which people want to know how long it takes."""

WIDEST = 110
WITH_END = "{percentage:3.0f} % {bar:20} {elapsed}, about {remaining} left: {desc}"
WITHOUT_END = "{elapsed}: {desc}"

_new_line: type[tqdm[None]] | None = None
"""What makes the line, where there is one to be seen."""

_line: tqdm[None] | None = None
_is_counting = False
"""Whether work of many parts goes on, which say nothing of their own meanwhile."""


def start() -> None:
    """Watch what this command does, if standard error is a terminal."""
    global _new_line
    if sys.stderr is not None and sys.stderr.isatty():
        # garak brings it; a machine that only scores may have none
        with suppress(ModuleNotFoundError):
            from tqdm import tqdm

            _new_line, terminal.room_made = tqdm, _out_of_the_way


def stop() -> None:
    """Wipe the line away, and draw no other."""
    global _new_line
    _wipe()
    _new_line, terminal.room_made = None, nullcontext


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
    if total is not None and done >= total and not _is_counting:
        _wipe()
    elif not _is_counting:
        _tell(name, done, total)


def with_progress(
    items: Iterable[Item],
    total: int,
    unit: str,
    *,
    counts: Callable[[Item], int] = lambda item: 1,
    name: Callable[[Item], str] = lambda item: "",
) -> Iterator[Item]:
    """Yield items, and tell how far it is, whatever each says of itself.

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
        What is worked on.
    """
    global _is_counting
    done = 0
    _is_counting = True
    try:
        for item in items:
            _tell(f"{done} of {total} {unit} {name(item)}", done, total)
            yield item
            done += counts(item)
    finally:
        _is_counting = False
        _wipe()


def _tell(name: str, done: float, total: float | None) -> None:
    global _line
    if _new_line is None:
        return
    # a terminal that is gone is no reason to fail
    with suppress(OSError, ValueError):
        label = printable(name).replace("\n", " ")
        if _line is None or _line.total != total or done < _line.n:
            _wipe()
            width = min(WIDEST, terminal_width(sys.stderr) or USUAL_WIDTH) - 1
            form = WITH_END if total else WITHOUT_END
            _line = _new_line(
                desc=label,
                total=total,
                initial=done,
                ncols=width,
                bar_format=form,
                delay=PATIENCE,
                leave=False,
            )
        _line.desc = label
        _line.update(done - _line.n)


def _wipe() -> None:
    global _line
    if _line is not None:
        with suppress(OSError, ValueError):
            _line.close()
        _line = None


@contextmanager
def _out_of_the_way() -> Iterator[None]:
    _wipe()
    yield
