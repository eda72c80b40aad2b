# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that says what takes long, and how much longer.

It is drawn by a thread of its own, so that also work that reports nothing of itself
(loading a detector's model, importing garak) is seen to go on. Only a command that
begins with :func:`start` has one: elsewhere what is told here goes nowhere.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import TextIO, TypeVar

from garak_tbsa import terminal
from garak_tbsa.safe_text import printable
from garak_tbsa.terminal import (
    USUAL_WIDTH,
    columns,
    encodable,
    encoding_of,
    terminal_width,
)

Item = TypeVar("Item")

PATIENCE = 1.5
"""Seconds of silence after which people want to know how long it takes."""

REDRAWN = 0.2
"""Seconds between two states of the bar."""

FIRST_GUESS = 0.05
"""Share of the work from which on it can be told how long the rest takes."""

WIDEST = 110
UNNAMED = "working"
WITH_SHARE = "{desc}: {percentage:3.0f} % {bar} {elapsed}"
WITH_END = WITH_SHARE + ", about {remaining} left"
WITHOUT_END = "{desc}: {elapsed}"

bar: Bar | None = None
"""The line of this command, where one is drawn."""


def start() -> None:
    """Watch what this command does, if standard error is a terminal."""
    global bar
    stream = sys.stderr
    if bar is None and stream is not None and stream.isatty():
        try:
            from tqdm import tqdm
        except ModuleNotFoundError:
            return  # garak brings it; a machine that only scores may have none
        bar = Bar(stream, tqdm.format_meter)
        terminal.room_made = bar.out_of_the_way
        threading.Thread(target=bar.redraw_until_ended, daemon=True).start()


def stop() -> None:
    """Wipe the bar away, and draw no other."""
    global bar
    if bar is not None:
        bar.end()
        bar, terminal.room_made = None, nullcontext


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
    if bar is not None and not bar.is_counting:
        if total is not None and done >= total:
            bar.tell(None, UNNAMED, 0, None)
        else:
            bar.tell(name, name, done, total)


@contextmanager
def counting(total: float, unit: str = "") -> Iterator[Callable[[float, str], None]]:
    """Say how much of some work is done, whatever its parts say of themselves.

    Parameters
    ----------
    total : float
        How much there is to do; less may do.
    unit : str
        Of the total, in the plural; empty where amounts mean nothing to people.

    Yields
    ------
    callable
        Takes how much more is done, and what is worked on.
    """
    watching, key, done, named = bar, object(), 0.0, UNNAMED
    if watching is None:
        yield lambda amount, name: None
        return

    def add(amount: float, name: str) -> None:
        nonlocal done, named
        done, named = done + amount, name or named
        counted = f"{done:g} of {total:g} {unit}, " if unit else ""
        watching.tell(key, counted + named, done, total)

    watching.is_counting = True
    try:
        yield add
    finally:
        watching.is_counting = False
        watching.tell(None, UNNAMED, 0, None)


def with_progress(
    items: Iterable[Item],
    total: int,
    unit: str,
    *,
    counts: Callable[[Item], int] = lambda item: 1,
    name: Callable[[Item], str] = lambda item: "",
) -> Iterator[Item]:
    """Yield items, and tell on a terminal how far it is; nothing to a pipe.

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
    with counting(total, unit) as add:
        for item in items:
            add(0, name(item))
            yield item
            add(counts(item), "")


class Bar:
    """The line, on a terminal, while nothing else is written to it.

    Parameters
    ----------
    stream : text file
        The terminal.
    meter : callable
        ``tqdm.format_meter``, which lays a line out.

    Attributes
    ----------
    is_counting : bool
        Whether work of many parts goes on, which say nothing of their own meanwhile.
    """

    def __init__(self, stream: TextIO, meter: Callable[..., str]) -> None:
        self.is_counting = False
        self._stream = stream
        self._meter = meter
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._quiet_since = self._began = monotonic()
        self._key: object = None
        self._name, self._done = UNNAMED, 0.0
        self._total: float | None = None
        self._drawn = 0

    def tell(self, key: object, name: str, done: float, total: float | None) -> None:
        """Take note of what is under way; with another key it is other work."""
        with self._lock:
            if key != self._key or done < self._done:
                self._began = monotonic()
            self._key, self._name, self._done, self._total = key, name, done, total

    @contextmanager
    def out_of_the_way(self) -> Iterator[None]:
        """Take the line away, and keep it away while something else is written."""
        with self._lock:
            self._wipe()
            yield
            self._quiet_since = monotonic()

    def end(self) -> None:
        """Take the line away, and let the thread that draws it end."""
        with self._lock:
            self._wipe()
            self._ended.set()

    def redraw_until_ended(self) -> None:
        """Keep the line true, where nothing was said for a while."""
        while not self._ended.wait(REDRAWN):
            with self._lock:
                if monotonic() - self._quiet_since > PATIENCE:
                    self.draw()

    def draw(self) -> None:
        """Show how far it is, now."""
        width = min(WIDEST, terminal_width(self._stream) or USUAL_WIDTH) - 1
        encoding = encoding_of(self._stream)
        line = encodable(self._line(width, encoding), encoding)
        self._write("\r" + line + " " * (self._drawn - columns(line)))
        self._drawn = columns(line)

    def _line(self, width: int, encoding: str) -> str:
        name = printable(self._name).replace("\n", " ")
        while columns(name) > width // 2:
            name = "…" + name[2:]
        total = self._total
        form = WITH_SHARE if total else WITHOUT_END
        if total and self._done >= FIRST_GUESS * total:
            form = WITH_END
        return self._meter(
            self._done if total is None else min(self._done, total),
            total,
            monotonic() - self._began,
            ncols=width,
            prefix=name,
            ascii=not encoding.lower().startswith("utf"),
            bar_format=form,
        )

    def _wipe(self) -> None:
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            # the terminal is gone, which is no reason to fail
            self._drawn = 0
