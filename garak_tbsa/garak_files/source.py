# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's bytes, wherever they come from.

Plain and seekable sources give their last line without reading the rest;
everything gives its lines in one pass, and no input takes all memory or all time.
Nothing here knows what a row means.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from garak_tbsa import progress
from garak_tbsa.errors import ReportError

Watch = Callable[[bytes], object]
"""Takes lines that are not parsed; ``len`` does nothing with them."""

BUFFER = 1 << 20
"""Bytes that are read at once; few lines are longer."""

FIRST_BLOCK = 1 << 16
BEFORE_LAST_LINE = 1 << 12
PROGRESS_EVERY = 1 << 22
"""Bytes after which it is said how far the reading is."""


BYTE_ORDER_MARK = b"\xef\xbb\xbf"

SMALL_LINE = 4 << 20
"""Lines up to 4 MiB are parsed without a look: they take at most 200 MiB."""

LEAST_PER_BYTE = 3
"""A line is held as bytes, as text, and as values that are mostly texts."""

MOST_BLANK_LINES = 1_000_000
"""Of one report, in which garak writes none; packed, they take hardly any room."""


MOST_UNPACKED = 32 << 30
"""Bytes that are read of a compressed report, a pipe, a device or an address.

A plain file may be of any size.
"""

LONGEST_LINE = 256 << 20
"""Bytes; parsing takes several times as much memory."""

MOST_TO_PARSE = 320 << 20
"""Bytes of memory that the values of a line may take; attempts are not parsed."""


ONE_ROW = "each line of which is one row; split a line that holds several"
AS_A_FILE = "or save it unpacked: a plain file may be of any size"
"""What to do about a line, or a stream, that is too large."""


def memory_to_parse(line: bytes) -> int:
    """Return how much memory the values of a JSON text take at most, in bytes.

    Counted from the signs that begin values, at what CPython takes for each; a text
    of ``[[],[],...]`` takes 22 times its length.
    """
    if len(line) <= SMALL_LINE:
        return 50 * len(line)
    # one wide character, as itself or escaped, makes 4 bytes of each of its text's
    per_byte = LEAST_PER_BYTE
    if not line.isascii():
        per_byte = 9
    elif b"\\u" in line:
        per_byte = 6
    return (
        per_byte * len(line)
        + 200 * line.count(b"{")
        + 72 * line.count(b"[")
        + 40 * line.count(b",")
        + 250 * (line.count(b'"') // 2)
    )


class Source:
    """An open report.

    Parameters
    ----------
    name : str
        What the user called it; shown in errors.
    handle : binary file
        Open for reading, at its start.
    seekable : bool
        Whether ``handle`` can be read from its end.
    packed : binary file, optional
        The compressed file that ``handle`` unpacks.
    size : int, optional
        Bytes of the file, packed or not; unknown of a pipe, a device or an address.

    Attributes
    ----------
    last_number : int
        Of the last line that was read and is not blank.
    cut_line : int or None
        Number of a last line that is cut off, where the one who reads found one.
    """

    def __init__(
        self,
        name: str,
        handle: BinaryIO,
        *,
        seekable: bool,
        packed: BinaryIO | None = None,
        size: int | None = None,
    ) -> None:
        self.name = name
        self.seekable = seekable
        self.last_number = 0
        self.cut_line: int | None = None
        self._handle = handle
        self._packed = packed
        self._size = size
        self._taken = 0
        self._next_progress = 0
        self._reading = f"reading {os.path.basename(name) or name}"

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken > PROGRESS_EVERY:
            progress.tell(self._reading, 1, 1)
        self._handle.close()
        if self._packed is not None:
            self._packed.close()

    def first_line(self) -> bytes:
        """Return the first line, empty where it is longer than 1 MiB.

        Raises
        ------
        ReportError
            The file system fails.
        """
        try:
            if self.seekable:
                self._handle.seek(0)
            line = self._handle.readline(BUFFER)
        except Exception as error:
            raise self._unreadable(error, line=1) from error
        return line.removeprefix(BYTE_ORDER_MARK) if len(line) < BUFFER else b""

    def last_line(self) -> tuple[bytes, bytes]:
        """Return the last non-blank line, and up to 4 KiB of what is before it.

        Looks back from the end in blocks that double in size, so the cost is that of
        the line itself, whatever the file's size. Both are empty where the line is too
        long to be parsed.

        Raises
        ------
        ReportError
            The file system fails.
        """
        block = FIRST_BLOCK
        try:
            end = self._handle.seek(0, os.SEEK_END)
            while block <= max(FIRST_BLOCK, MOST_TO_PARSE // LEAST_PER_BYTE):
                start = max(0, end - block)
                self._handle.seek(start)
                text = self._handle.read(end - start).rstrip()
                begin = text.rfind(b"\n") + 1
                if start == 0 or begin >= BEFORE_LAST_LINE:
                    line = text[begin:]
                    if memory_to_parse(line) > MOST_TO_PARSE:
                        return b"", b""
                    before = text[max(0, begin - BEFORE_LAST_LINE) : begin]
                    return line.removeprefix(BYTE_ORDER_MARK), before
                block *= 2
        except MemoryError:
            raise
        except Exception as error:
            raise self._unreadable(error, line=None) from error
        return b"", b""

    def lines(
        self, skip: tuple[bytes, ...] = (), watch: Watch = len
    ) -> Iterator[tuple[int, bytes]]:
        """Yield each non-blank line with its 1-based number.

        Parameters
        ----------
        skip : tuple of bytes
            Lines that start with one of these are passed over, except for the
            file's last line if it does not end as a JSON object does.
        watch : callable, optional
            Is given the lines that are passed over; of long ones start and end.

        Raises
        ------
        ReportError
            The compressed stream ends early or is damaged, or a limit is passed:
            of size, of a line, of blank lines.
        """
        number = blank = 0
        skipped = b""
        try:
            if self.seekable:
                self._handle.seek(0)
            while line := self._handle.readline(BUFFER):
                number += 1
                is_skipped = line.startswith(skip)
                line = self._whole_line(line, number, is_whole=not is_skipped)
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if line.isspace():
                    blank += 1
                    if blank > MOST_BLANK_LINES:
                        problem = f"more than {MOST_BLANK_LINES:,} blank lines"
                        raise self._refused(problem, "which has none", number)
                    continue
                self.last_number = number
                skipped = line if is_skipped else b""
                if not is_skipped:
                    self._require_small(memory_to_parse(line), number)
                    yield number, line
                else:
                    watch(line)
            if skipped and not skipped.rstrip().endswith(b"}"):
                yield self.last_number, skipped
        except (MemoryError, ReportError):
            raise
        except Exception as error:
            raise self._unreadable(error, line=number + 1) from error

    def _whole_line(self, start: bytes, number: int, *, is_whole: bool) -> bytes:
        """Return a line that was begun; of a long one to be skipped, start and end."""
        self._count(start, len(start), number)
        if len(start) < BUFFER or start.endswith(b"\n"):
            return start
        pieces, length, end = [start], len(start), start
        while not end.endswith(b"\n") and (piece := self._handle.readline(BUFFER)):
            end = piece
            length += len(end)
            self._count(end, length, number)
            if is_whole:
                pieces.append(end)
                self._require_small(LEAST_PER_BYTE * length, number)
        return b"".join(pieces) if is_whole else start + end

    def _count(self, piece: bytes, length: int, number: int) -> None:
        """Hold a piece of a line against the limits."""
        self._taken += len(piece)
        if self._taken > self._next_progress:
            self._next_progress = self._taken + PROGRESS_EVERY
            file = self._packed or self._handle
            read = self._taken if self._size is None else file.tell()
            progress.tell(self._reading, read, self._size)
        if length > LONGEST_LINE:
            problem = f"the line is longer than {size_text(LONGEST_LINE)}"
            raise self._refused(problem, ONE_ROW, number)
        # a plain file is finite, so that only its lines are limited
        is_plain_file = self._size is not None and self._packed is None
        if self._taken > MOST_UNPACKED and not is_plain_file:
            problem = f"holds more than {size_text(MOST_UNPACKED)} unpacked"
            raise self._refused(problem, AS_A_FILE, number)

    def _require_small(self, memory: int, number: int) -> None:
        if memory > MOST_TO_PARSE:
            most = size_text(MOST_TO_PARSE)
            problem = f"parsing the line may take more than {most} of memory"
            raise self._refused(problem, ONE_ROW, number)

    def _refused(self, problem: str, advice: str, line: int) -> ReportError:
        advice = f"give a garak report, {advice}"
        return ReportError(self.name, problem, advice, line=line)

    def _unreadable(self, error: Exception, *, line: int | None) -> ReportError:
        """Say what stopped the reading; each fsspec backend has errors of its own."""
        problem = f"cannot be read further ({reason_of(error)})"
        advice = "compress or copy the report again"
        if isinstance(error, TimeoutError):
            advice = "try again, or copy the report here"
        elif "too much memory" in str(error):
            problem = "unpacking needs more than 128 MiB of memory"
            advice = "unpack it with zstd -d --long=31"
        elif self._packed is not None:
            problem = "the compressed file is damaged or ends before its end"
        return ReportError(self.name, problem, advice, line=line)

    def whole(self, limit: int) -> bytes | None:
        """Return all bytes; None if more than ``limit``, or too much to parse."""
        if not self.seekable:
            return None
        try:
            self._handle.seek(0)
            content = self._handle.read(limit + 1)
        except OSError as error:
            raise self._unreadable(error, line=None) from error
        if len(content) > limit or memory_to_parse(content) > MOST_TO_PARSE:
            return None
        return content


def size_text(size: int) -> str:
    """Return a number of bytes as people write it, such as ``256 MiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def reason_of(error: BaseException) -> str:
    """Say in one line why something could not be opened or read."""
    if isinstance(error, FileNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    status = getattr(error, "status", None)
    if status is not None:
        return f"HTTP status {status}"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]
