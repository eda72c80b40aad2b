# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's bytes, of plain or packed files, standard input, fsspec addresses.

Plain files give their last line without reading the rest; everything gives its lines
in one pass, and no input takes all memory or all time. Nothing here knows what a row
means.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import Any, BinaryIO, TypeVar, cast

from garak_tbsa import progress
from garak_tbsa.errors import ReportError, ReportMissingError
from garak_tbsa.files import is_stream

T = TypeVar("T")

STANDARD_INPUT, ADDRESS = "-", "://"
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""What a file is packed with, by its first bytes."""

NOT_THERE = (404, 410)
"""What a server answers that does not have a file; all else is a failure."""

BUFFER = 1 << 20
"""Bytes that are read at once; few lines are longer."""

FIRST_BLOCK, BEFORE_LAST_LINE = 1 << 16, 1 << 12
PROGRESS_EVERY = 1 << 22
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
MOST_TO_PARSE = 320 << 20
"""Bytes of memory that the values of a line may take."""

LONGEST_WAIT = 120
"""Seconds for each answer of a store: it is opened, listed, or gives a next piece.

fsspec has no limit that is the same for all stores, and fetches up to 5 MiB at once.
"""

ONE_ROW = "each line of which is one row; split a line that holds several"
AS_A_FILE = "or save it unpacked: a plain file may be of any size"


def answer_of(function: Callable[..., T], *arguments: object) -> T:
    """Return what a function of a store returns, if it does so in time.

    Raises
    ------
    TimeoutError
        It has not; its thread is left behind, and ends with the interpreter.
    """
    answer: Future[T] = Future()

    def ask() -> None:
        try:
            answer.set_result(function(*arguments))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=ask, daemon=True).start()
    wait([answer], LONGEST_WAIT)
    if not answer.done():
        raise TimeoutError(f"no answer for {LONGEST_WAIT} seconds")
    return answer.result()


class StoredFile(io.RawIOBase):
    """An open file of a store, of which every piece comes in time or not at all."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle

    def readable(self) -> bool:
        """Whether it can be read, as all are."""
        return True

    def seekable(self) -> bool:
        """Whether the store knows the end."""
        # HTTP without ranges says that it is, and knows no end
        return self._handle.seekable() and getattr(self._handle, "size", 0) is not None

    def seek(self, offset: int, origin: int = io.SEEK_SET) -> int:
        """Go to a place, which some stores ask for."""
        return answer_of(self._handle.seek, offset, origin)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read the next bytes."""
        piece = answer_of(self._handle.read, len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close it, whatever its store says to that."""
        if not self.closed:
            with suppress(Exception):  # all was read that is needed
                answer_of(self._handle.close)
        super().close()


def memory_to_parse(line: bytes) -> int:
    """Return how much memory the values of a JSON text take at most, in bytes.

    Counted from the signs that begin values, at what CPython takes for each; a text
    of ``[[],[],...]`` takes 22 times its length.
    """
    if len(line) <= SMALL_LINE:
        return 50 * len(line)
    # one wide character, as itself or escaped, makes 4 bytes of each of its text's
    escaped = 6 if b"\\u" in line else LEAST_PER_BYTE
    per_byte = escaped if line.isascii() else 9
    values = 200 * line.count(b"{") + 72 * line.count(b"[") + 40 * line.count(b",")
    return per_byte * len(line) + values + 250 * (line.count(b'"') // 2)


class Source:
    """An open report, plain or packed; :func:`open_source` makes it.

    Attributes
    ----------
    name : str
        What the user called it; shown in errors.
    seekable : bool
        Whether it can be read from its end.
    """

    def __init__(self, name: str, handle: io.BufferedReader) -> None:
        self.name = name
        self._handle = self._file = handle
        self._taken = self._next_progress = 0
        self._reading = f"reading {os.path.basename(name) or name}"
        # a device says that it is seekable, and has no end
        is_file = name != STANDARD_INPUT and os.path.isfile(name)
        self._size = os.path.getsize(name) if is_file else None
        self.seekable = handle.seekable() and (is_file or ADDRESS in name)
        try:
            start = handle.peek(4)[:4]
            for magic, kind in PACKED.items():
                if start.startswith(magic):
                    from pyarrow import CompressedInputStream

                    unpacked: Any = CompressedInputStream(handle, kind)
                    self._handle = io.BufferedReader(unpacked, BUFFER)
                    self.seekable = False
        except Exception as error:
            # each fsspec backend raises its own family of errors
            raise ReportError(
                name, f"cannot be read ({reason_of(error)})", "check the file"
            ) from error
        if not start:
            raise ReportError(name, "is empty", "give a report that garak has written")

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken > PROGRESS_EVERY:
            progress.tell(self._reading, 1, 1)
        self._handle.close()
        self._file.close()

    def first_line(self) -> bytes:
        """Return the first line, empty where it is longer than 1 MiB."""
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
        """
        block = FIRST_BLOCK
        try:
            end = self._handle.seek(0, os.SEEK_END)
            while block <= max(FIRST_BLOCK, MOST_TO_PARSE // LEAST_PER_BYTE):
                start = self._handle.seek(max(0, end - block))
                text = self._handle.read(end - start).rstrip()
                begin = text.rfind(b"\n") + 1
                if start == 0 or begin >= BEFORE_LAST_LINE:
                    line = text[begin:].removeprefix(BYTE_ORDER_MARK)
                    if memory_to_parse(line) > MOST_TO_PARSE:
                        break
                    return line, text[max(0, begin - BEFORE_LAST_LINE) : begin]
                block *= 2
        except MemoryError:
            raise
        except Exception as error:
            raise self._unreadable(error, line=None) from error
        return b"", b""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each non-blank line with its 1-based number.

        Of a line too large to be parsed comes as much as tells that, see
        :meth:`require_small`.

        Raises
        ------
        ReportError
            The packed file ends early or is damaged, or a limit is passed: of size,
            of a line's length, of blank lines.
        """
        number = blank = 0
        longest = min(LONGEST_LINE, MOST_TO_PARSE // LEAST_PER_BYTE) + 1
        try:
            if self.seekable:
                self._handle.seek(0)
            while line := self._handle.readline(longest):
                number += 1
                length = len(line)
                self._count(length, length, number)
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
                while not line.endswith(b"\n"):
                    line = self._handle.readline(BUFFER)
                    if not line:
                        break
                    length += len(line)
                    self._count(len(line), length, number)
        except (MemoryError, ReportError):
            raise
        except Exception as error:
            raise self._unreadable(error, line=number + 1) from error

    def _count(self, size: int, length: int, number: int) -> None:
        """Hold bytes that were read of a line against the limits."""
        self._taken += size
        if self._taken > self._next_progress:
            self._next_progress = self._taken + PROGRESS_EVERY
            read = self._taken if self._size is None else self._file.tell()
            progress.tell(self._reading, read, self._size)
        if length > LONGEST_LINE:
            problem = f"the line is longer than {size_text(LONGEST_LINE)}"
            raise self._refused(problem, ONE_ROW, number)
        is_plain = self._size is not None and self._handle is self._file
        if self._taken > MOST_UNPACKED and not is_plain:
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

    def whole(self, limit: int) -> bytes:
        """Return all bytes; none if there are more, or it is read but once."""
        if not self.seekable:
            return b""
        self._handle.seek(0)
        content = self._handle.read(limit + 1).removeprefix(BYTE_ORDER_MARK)
        is_small = memory_to_parse(content) <= MOST_TO_PARSE
        return content if len(content) <= limit and is_small else b""

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
        elif self._handle is not self._file:
            problem = "the compressed file is damaged or ends before its end"
        return ReportError(self.name, problem, advice, line=line)


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


def _opened(name: str) -> io.BufferedReader:
    if name == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.closed:
            problem = "standard input is closed or was read before"
            raise ReportError(name, problem, "give it once")
        return io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer), BUFFER)
    is_address = ADDRESS in name
    if not is_address and os.path.isdir(name):
        raise ReportError(name, "is a folder", "name a report in it")
    try:
        if is_address:
            import fsspec

            handle = answer_of(lambda: fsspec.open(name, "rb").open())
            return io.BufferedReader(StoredFile(handle), BUFFER)
        return io.BufferedReader(io.FileIO(name), BUFFER)
    except Exception as error:
        # each fsspec backend raises its own family of errors, and calls all that goes
        # wrong with an HTTP server a file that is not found
        status = getattr(error.__cause__, "status", None)
        is_missing = isinstance(error, FileNotFoundError) and (
            error.__cause__ is None or status in NOT_THERE
        )
        advice = "check the address and its credentials"
        if not is_address:
            # a link that leads nowhere is a mistake
            is_missing = is_missing and not os.path.lexists(name)
            advice = "give the path of a garak report, <prefix>.report.jsonl"
        raise (ReportMissingError if is_missing else ReportError)(
            name, f"cannot be opened ({reason_of(error)})", advice
        ) from error


def why_read_once(name: str) -> str | None:
    """Return why a report cannot be opened a second time, None where it can."""
    if name == STANDARD_INPUT:
        return "standard input can be read only once"
    return "a pipe can be read only once" if is_stream(name) else None


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
