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
from time import monotonic
from typing import TextIO, TypeVar

from garak_tbsa import terminal
from garak_tbsa.safe_text import printable
from garak_tbsa.terminal import PassingLine, columns

Item = TypeVar("Item")

PATIENCE = 1.5
"""Seconds of silence after which people want to know how long it takes."""

REDRAWN = 0.2
"""Seconds between two states of the bar."""

FORGOTTEN = 3.0
"""Seconds after which work that says nothing more of itself is taken to be done."""

WIDEST_BAR = 30
LONGEST_NAME = 60
UNNAMED = "working"

bar: Bar | None = None
"""The line of this command, where one is drawn."""


def start() -> None:
    """Watch what this command does, if standard error is a terminal."""
    global bar
    stream = sys.stderr
    if bar is None and stream is not None and stream.isatty():
        bar = Bar(stream)
        terminal.passing = bar.line
        threading.Thread(target=bar.redraw_until_ended, daemon=True).start()


def stop() -> None:
    """Wipe the bar away, and draw no other."""
    global bar
    if bar is not None:
        bar.end()
        bar = terminal.passing = None


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
    if bar is not None:
        bar.tell(name, done, total)


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
    with Progress(total, unit) as progress:
        for item in items:
            progress.add(0, name(item))
            yield item
            progress.add(counts(item))


class Progress:
    """How much of some work is done, whatever its parts say of themselves.

    Parameters
    ----------
    total : float
        How much there is to do; less may do.
    unit : str
        Of the total, in the plural; empty where amounts mean nothing to people.
    """

    def __init__(self, total: float, unit: str) -> None:
        self._work = Work(total, unit)
        self._is_alone = bar is None

    def __enter__(self) -> Progress:
        start()
        if bar is not None:
            bar.counted = self._work
        return self

    def __exit__(self, *failure: object) -> None:
        if bar is not None:
            bar.counted = None
            bar.line.wipe()
        if self._is_alone:
            stop()

    def add(self, amount: float, name: str = "") -> None:
        """Say that some work is done, and what is worked on."""
        self._work.add(amount, name)
        if bar is not None:
            bar.redraw()


class Work:
    """Something that takes time, and how much of it is done.

    Parameters
    ----------
    total : float or None
        None where nobody knows.
    unit : str
        As for :class:`Progress`.
    name : str
        What it is.
    """

    def __init__(self, total: float | None, unit: str = "", name: str = "") -> None:
        self.total = total
        self.unit = unit
        self.name = name
        self.done = 0.0
        self.began = self.told = monotonic()

    def add(self, amount: float, name: str = "") -> None:
        """Say that so much more is done."""
        self.done += amount
        self.name = name or self.name
        self.told = monotonic()

    @property
    def share(self) -> float | None:
        """How much of it is done, 0.0 to 1.0; None where nobody knows."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def label(self) -> str:
        """What it is, and how much is done where people know the unit."""
        if not self.unit:
            return self.name or UNNAMED
        counted = f"{self.done:g} of {self.total:g} {self.unit}"
        return f"{counted}, {self.name}" if self.name else counted


class Bar:
    """The line, on a terminal, while nothing else is written to it.

    Attributes
    ----------
    line : PassingLine
    counted : Work or None
        Work of many parts; the parts say nothing of their own while it goes on.
    """

    def __init__(self, stream: TextIO) -> None:
        self.line = PassingLine(stream)
        self.counted: Work | None = None
        self._part: Work | None = None
        self._ended = threading.Event()
        self._drawn = 0.0

    def tell(self, name: str, done: float, total: float | None) -> None:
        """Take note of what is under way; see :func:`tell`."""
        part = self._part
        if part is None or part.name != name or done < part.done:
            part = Work(total, name=name)
        part.add(done - part.done)
        is_done = total is not None and done >= total
        self._part = None if is_done else part
        self.redraw()

    def end(self) -> None:
        """Take the line away, and let the thread that draws it end."""
        with self.line.lock:
            self.line.wipe()
            self._ended.set()

    def redraw_until_ended(self) -> None:
        """Keep the line true, on a thread of its own."""
        while not self._ended.wait(REDRAWN):
            self.redraw()

    def redraw(self) -> None:
        """Draw the progress, if nothing was said for a while, and not too often."""
        with self.line.lock:
            now = monotonic()
            quiet = now - self.line.quiet_since
            is_due = quiet > PATIENCE and now - self._drawn > REDRAWN
            if is_due and not self._ended.is_set():
                self._drawn = now
                self.line.draw(line_of(self._work(now), now, self.line.width))

    def _work(self, now: float) -> Work:
        """What is shown: many parts together, else the part, else the waiting."""
        if self.counted is not None:
            return self.counted
        if self._part is not None and now - self._part.told < FORGOTTEN:
            return self._part
        nameless = Work(None)
        nameless.began = self.line.quiet_since
        return nameless


def line_of(work: Work, now: float, width: int) -> str:
    """Return what is shown of some work, in so many columns.

    ``reading scan.report.jsonl: 45 % ████████·········· 0:03, about 0:04 left``
    """
    elapsed = now - work.began
    name = printable(work.label).replace("\n", " ")
    room = max(8, min(LONGEST_NAME, width - 30))
    while columns(name) > room:
        name = "…" + name[2:]
    if work.share is None:
        return f"{name}: {clock(elapsed)}"[:width]
    head = f"{name}: {100 * work.share:3.0f} % "
    tail = f" {clock(elapsed)}"
    if work.share > 0:
        tail += f", about {clock(elapsed * (1 - work.share) / work.share)} left"
    marks = min(WIDEST_BAR, width - columns(head) - len(tail))
    full = round(work.share * max(0, marks))
    return (head + "█" * full + "·" * (marks - full) + tail)[:width]


def clock(seconds: float) -> str:
    """Return a time as ``0:04``, or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
