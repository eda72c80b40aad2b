# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's bytes, of plain or compressed files, standard input, fsspec addresses.

Plain and seekable sources give their last line without reading the rest;
everything gives its lines in one pass, and no input takes all memory or all time.
Nothing here knows what a row means.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO

from garak_tbsa import progress
from garak_tbsa.errors import ReportError, ReportMissingError
from garak_tbsa.files import is_stream
from garak_tbsa.report.stores import StoredFile, answer_of

STANDARD_INPUT, ADDRESS = "-", "://"
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""What a file is packed with, by its first bytes."""

NOT_THERE = (404, 410)
"""What a server answers that does not have a file; all else is a failure."""

BUFFER = 1 << 20
"""Bytes that are read at once; few lines are longer."""

FIRST_BLOCK, BEFORE_LAST_LINE = 1 << 16, 1 << 12
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
"""Bytes that are read of what is no plain file, which may be of any size."""

LONGEST_LINE = 256 << 20
"""Bytes; parsing takes several times as much memory."""

MOST_TO_PARSE = 320 << 20
"""Bytes of memory that the values of a line may take."""

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
    """An open report, plain or packed.

    Parameters
    ----------
    name : str
        What the user called it; shown in errors.
    handle : binary file
        Open for reading, at its start.

    Attributes
    ----------
    name : str
    seekable : bool
        Whether it can be read from its end.

    Raises
    ------
    ReportError
        It is empty, or cannot be read.
    """

    def __init__(self, name: str, handle: BinaryIO) -> None:
        self.name = name
        self._file = self._handle = handle
        self._taken = self._next_progress = 0
        self._reading = f"reading {os.path.basename(name) or name}"
        try:
            status = os.fstat(handle.fileno())
            is_file = stat.S_ISREG(status.st_mode)
            # not told of a pipe, a device or an address
            self._size = status.st_size if is_file else None
        except (OSError, AttributeError):
            is_file, self._size = True, None  # of a store; the system does not know it
        # a device says that it is seekable, and has no end
        self.seekable = handle.seekable() and is_file
        try:
            start = self._begin()
        except Exception as error:
            # each fsspec backend raises its own family of errors
            raise ReportError(
                name, f"cannot be read ({reason_of(error)})", "check the file"
            ) from error
        if not start:
            raise ReportError(name, "is empty", "give a report that garak has written")

    def _begin(self) -> bytes:
        """Return the first bytes, and unpack what is packed."""
        start = b""
        if self.seekable:
            start = self._file.read(4)
            self._file.seek(0)
        if not self.seekable or isinstance(self._file, io.RawIOBase):
            self._file = io.BufferedReader(self._file, BUFFER)  # type: ignore[type-var]
        if not self.seekable:
            start = self._file.peek(4)[:4]  # type: ignore[attr-defined]
        self._handle = self._file
        for magic, kind in PACKED.items():
            if start.startswith(magic):
                from pyarrow import CompressedInputStream

                unpacked = CompressedInputStream(self._file, kind)
                self._handle = io.BufferedReader(unpacked, BUFFER)
                self.seekable = False
        return start

    @property
    def _is_packed(self) -> bool:
        return self._handle is not self._file

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken > PROGRESS_EVERY:
            progress.tell(self._reading, 1, 1)
        self._handle.close()
        self._file.close()

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

    def lines(self, skip: tuple[bytes, ...] = ()) -> Iterator[tuple[int, bytes]]:
        """Yield each non-blank line with its 1-based number.

        Of a line too large to be parsed comes as much as tells that, see
        :meth:`require_small`.

        Parameters
        ----------
        skip : tuple of bytes
            Lines that start with one of these are for nobody: of long ones come
            start and end.

        Raises
        ------
        ReportError
            The compressed stream ends early or is damaged, or a limit is passed:
            of size, of a line's length, of blank lines.
        """
        number = blank = 0
        try:
            if self.seekable:
                self._handle.seek(0)
            while line := self._handle.readline(BUFFER):
                number += 1
                line = self._whole_line(line, number, skip)
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if line.isspace():
                    blank += 1
                    if blank > MOST_BLANK_LINES:
                        problem = f"more than {MOST_BLANK_LINES:,} blank lines"
                        raise self._refused(problem, "which has none", number)
                    continue
                yield number, line
                # what is left of one too large to be parsed
                length = len(line)
                while not line.endswith(b"\n"):
                    line = self._handle.readline(BUFFER)
                    if not line:
                        break
                    length += len(line)
                    self._count(line, length, number)
        except (MemoryError, ReportError):
            raise
        except Exception as error:
            raise self._unreadable(error, line=number + 1) from error

    def _whole_line(self, start: bytes, number: int, skip: tuple[bytes, ...]) -> bytes:
        """Return a line that was begun, as far as anybody needs it."""
        self._count(start, len(start), number)
        if len(start) < BUFFER or start.endswith(b"\n"):
            return start
        is_whole = not start.startswith(skip)
        pieces, length, end = [start], len(start), start
        while not end.endswith(b"\n") and (piece := self._handle.readline(BUFFER)):
            end = piece
            length += len(end)
            self._count(end, length, number)
            if is_whole:
                pieces.append(end)
                if LEAST_PER_BYTE * length > MOST_TO_PARSE:
                    break
        return b"".join(pieces) if is_whole else start + end

    def _count(self, piece: bytes, length: int, number: int) -> None:
        """Hold a piece of a line against the limits."""
        self._taken += len(piece)
        if self._taken > self._next_progress:
            self._next_progress = self._taken + PROGRESS_EVERY
            read = self._taken if self._size is None else self._file.tell()
            progress.tell(self._reading, read, self._size)
        if length > LONGEST_LINE:
            problem = f"the line is longer than {size_text(LONGEST_LINE)}"
            raise self._refused(problem, ONE_ROW, number)
        # a plain file is finite, so that only its lines are limited
        is_plain_file = self._size is not None and not self._is_packed
        if self._taken > MOST_UNPACKED and not is_plain_file:
            problem = f"holds more than {size_text(MOST_UNPACKED)} unpacked"
            raise self._refused(problem, AS_A_FILE, number)

    def require_small(self, line: bytes, number: int) -> None:
        """Refuse a line whose values may take too much memory.

        Raises
        ------
        ReportError
        """
        if memory_to_parse(line) > MOST_TO_PARSE:
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
        elif self._is_packed:
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


def open_source(name: str) -> Source:
    """Open a report by path.

    Parameters
    ----------
    name : str
        A file's path (plain, gzip or Zstandard, told by its first bytes), ``-``
        for standard input, or ``scheme://`` anything that fsspec opens.

    Raises
    ------
    ReportError
        It is missing, a folder, empty or unreadable.
    """
    handle = _opened(name)
    try:
        return Source(name, handle)
    except ReportError:
        handle.close()
        raise


def _opened(name: str) -> BinaryIO:
    if name == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.closed:
            raise ReportError(
                name, "standard input is closed or was read before", "give it once"
            )
        return sys.stdin.buffer
    is_address = ADDRESS in name
    if not is_address and os.path.isdir(name):
        raise ReportError(name, "is a folder", "name a report in it")
    try:
        if is_address:
            import fsspec

            handle = answer_of(lambda: fsspec.open(name, "rb").open())
            return StoredFile(handle)  # type: ignore[return-value]
        # its buffer would read a megabyte to tell what it is packed with
        return open(name, "rb", buffering=0)
    except Exception as error:
        raise _not_opened(name, error) from error


def _not_opened(name: str, error: Exception) -> ReportError:
    # each fsspec backend raises its own family of errors, and calls all that goes
    # wrong with an HTTP server a file that is not found
    is_missing = isinstance(error, FileNotFoundError) and (
        error.__cause__ is None or getattr(error.__cause__, "status", None) in NOT_THERE
    )
    advice = "check the address and its credentials"
    if ADDRESS not in name:
        # a link that leads nowhere is a mistake
        is_missing = is_missing and not os.path.lexists(name)
        advice = "give the path of a garak report, <prefix>.report.jsonl"
    return (ReportMissingError if is_missing else ReportError)(
        name, f"cannot be opened ({reason_of(error)})", advice
    )


def why_read_once(name: str) -> str | None:
    """Return why a report cannot be opened a second time, None where it can."""
    if name == STANDARD_INPUT:
        return "standard input can be read only once"
    if is_stream(name):
        return "a pipe can be read only once"
    return None


def stored_size(name: str) -> int | None:
    """Return how many bytes are at an address, None where its store does not say.

    Raises
    ------
    ReportError
        It cannot be opened.
    """
    with _opened(name) as handle:
        try:
            return handle.seek(0, os.SEEK_END) if handle.seekable() else None
        except Exception as error:
            raise _not_opened(name, error) from error


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
