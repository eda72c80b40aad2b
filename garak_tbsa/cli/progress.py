# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that says what takes long, and how much longer.

It is drawn by a thread of its own, so that also work that reports nothing of itself
(loading a detector's model, importing garak) is seen to go on. Only what ``score``
imports anyway is imported here.
"""

from __future__ import annotations

import _thread
import sys
from time import monotonic

from garak_tbsa import underway
from garak_tbsa.cli import terminal
from garak_tbsa.folding import columns
from garak_tbsa.safe_text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO, TypeVar

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


def start() -> None:
    """Watch what this command does, if standard error is a terminal."""
    stream = sys.stderr
    if terminal.bar is None and stream is not None and stream.isatty():
        terminal.bar = bar = Bar(stream)
        underway.watch, underway.make_room = bar.tell, bar.give_way
        _thread.start_new_thread(bar.redraw_until_ended, ())


def stop() -> None:
    """Wipe the bar away, and draw no other."""
    if terminal.bar is not None:
        terminal.bar.end()
        terminal.bar = underway.watch = underway.make_room = None


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
        self._is_alone = terminal.bar is None

    def __enter__(self) -> Progress:
        start()
        if terminal.bar is not None:
            terminal.bar.counted = self._work
        return self

    def __exit__(self, *failure: object) -> None:
        if terminal.bar is not None:
            terminal.bar.counted = None
            terminal.bar.wipe()
        if self._is_alone:
            stop()

    def add(self, amount: float, name: str = "") -> None:
        """Say that some work is done, and what is worked on."""
        self._work.add(amount, name)
        if terminal.bar is not None:
            terminal.bar.redraw()


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
    counted : Work or None
        Work of many parts; the parts say nothing of their own while it goes on.
    """

    def __init__(self, stream: TextIO) -> None:
        self.counted: Work | None = None
        self._part: Work | None = None
        self._stream = stream
        self._lock = _thread.RLock()
        self._end = _thread.allocate_lock()
        self._end.acquire()
        self._shown = 0
        self._quiet_since = monotonic()
        self._drawn = 0.0

    def tell(self, name: str, done: float, total: float | None) -> None:
        """Take note of what is under way; see :func:`garak_tbsa.underway.tell`."""
        part = self._part
        if part is None or part.name != name or done < part.done:
            part = Work(total, name=name)
        part.add(done - part.done)
        is_done = total is not None and done >= total
        self._part = None if is_done else part
        self.redraw()

    def give_way(self, write: Callable[[], object] = lambda: None) -> None:
        """Wipe the line, write something else, and stay away for a while."""
        with self._lock:
            self.wipe()
            write()
            self._quiet_since = monotonic()

    def wipe(self) -> None:
        """Take the line away."""
        with self._lock:
            if self._shown:
                self._write("\r" + " " * self._shown + "\r")
                self._shown = 0

    def end(self) -> None:
        """Take the line away, and let the thread that draws it end."""
        with self._lock:
            self.wipe()
            self._end.release()

    def redraw_until_ended(self) -> None:
        """Keep the line true, on a thread of its own."""
        while not self._end.acquire(timeout=REDRAWN):
            self.redraw()

    def redraw(self) -> None:
        """Draw the progress, if nothing was said for a while, and not too often."""
        with self._lock:
            now = monotonic()
            is_due = now - self._quiet_since > PATIENCE and now - self._drawn > REDRAWN
            if not is_due or not self._end.locked():
                return
            self._drawn = now
            width = (terminal.terminal_width(self._stream) or terminal.USUAL_WIDTH) - 1
            line = line_of(self._work(now), now, width)
            encoding = getattr(self._stream, "encoding", None) or "ascii"
            line = terminal.encodable(line, encoding)
            self._write("\r" + line + " " * (self._shown - columns(line)))
            self._shown = columns(line)

    def _work(self, now: float) -> Work:
        """What is shown: many parts together, else the part, else the waiting."""
        if self.counted is not None:
            return self.counted
        if self._part is not None and now - self._part.told < FORGOTTEN:
            return self._part
        nameless = Work(None)
        nameless.began = self._quiet_since
        return nameless

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            # the terminal is gone, which is no reason to fail
            self._shown = 0


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
