# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's bytes: plain or compressed files, standard input, fsspec paths.

Plain and seekable sources give their last line without reading the rest;
everything gives its lines in one pass. Nothing here knows what a row means.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from gzip import BadGzipFile
from typing import BinaryIO

from garak_tbsa import progress
from garak_tbsa.errors import ReportError, ReportMissingError
from garak_tbsa.garak_files.address import open_address, reason_of
from garak_tbsa.garak_files.limits import (
    DEFAULT_LIMITS,
    MOST_BLANK_LINES,
    ReadLimits,
    memory_to_parse,
)
from garak_tbsa.garak_files.packed import WindowError, open_gzip, open_zstandard

STANDARD_INPUT = "-"
FIRST_BLOCK = 1 << 16
LARGEST_BLOCK = 1 << 22
BEFORE_LAST_LINE = 1 << 12
READ_BUFFER = 1 << 20
PIECE = 1 << 20
"""Lines are read in pieces of this many bytes; few need a second one."""

PROGRESS_EVERY = 1 << 22
"""Bytes after which it is said how far the reading is."""

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DAMAGED = (EOFError, BadGzipFile, zlib.error)


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
    limits : ReadLimits
    size : int, optional
        Bytes of the file, packed or not; unknown of a pipe, a device or an address.
    """

    def __init__(
        self,
        name: str,
        handle: BinaryIO,
        *,
        seekable: bool,
        packed: BinaryIO | None = None,
        limits: ReadLimits = DEFAULT_LIMITS,
        size: int | None = None,
    ) -> None:
        self.name = name
        self.ended_with_skipped = False
        self.cut_line: int | None = None
        self.seekable = seekable
        self._handle = handle
        self._packed = packed
        self._limits = limits
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
            self._handle.seek(0)
            line = self._handle.readline(PIECE)
        except Exception as error:
            raise self._unreadable(error, line=1) from error
        return line.removeprefix(BYTE_ORDER_MARK) if len(line) < PIECE else b""

    def last_line(self) -> tuple[bytes, bytes]:
        """Return the last non-blank line, and up to 4 KiB of what is before it.

        Looks back from the end in blocks that double in size, so the cost is
        that of the line itself, whatever the file's size. A line that is too long
        to be parsed is empty.

        Raises
        ------
        ReportError
            The file system fails.
        """
        try:
            end = self._end_of_text()
            start = self._start_of_line(end)
            if end - start > self._limits.parsed_line:
                return b"", b""
            before = max(0, start - BEFORE_LAST_LINE)
            self._handle.seek(before)
            preceding = self._handle.read(start - before)
            line = self._handle.read(end - start)
        except MemoryError:
            raise
        except Exception as error:
            raise self._unreadable(error, line=None) from error
        if memory_to_parse(line) > self._limits.parsing:
            return b"", preceding
        return line.removeprefix(BYTE_ORDER_MARK), preceding

    def _end_of_text(self) -> int:
        """Offset behind the last byte that is not white space."""
        end = self._handle.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - FIRST_BLOCK)
            self._handle.seek(start)
            text = self._handle.read(end - start).rstrip()
            if text:
                return start + len(text)
            end = start
        return 0

    def _start_of_line(self, end: int) -> int:
        """Offset of the first byte of the line that ends at ``end``, or far before."""
        block = FIRST_BLOCK
        earliest = end - self._limits.parsed_line
        while end > max(0, earliest):
            start = max(0, end - block)
            self._handle.seek(start)
            newline = self._handle.read(end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end, block = start, min(block * 2, LARGEST_BLOCK)
        return end

    def lines(self, skip: tuple[bytes, ...] = ()) -> Iterator[tuple[int, bytes]]:
        """Yield each non-blank line with its 1-based number.

        Parameters
        ----------
        skip : tuple of bytes
            Lines that start with one of these are passed over, except for the
            file's last line if it does not end as a JSON object does.

        Raises
        ------
        ReportError
            The compressed stream ends early or is damaged, or a limit is passed:
            of size, of a line, of blank lines.
        """
        if self.seekable:
            self._handle.seek(0)
        self._taken, self._next_progress = 0, PROGRESS_EVERY
        number, blank, skipped, end = 0, 0, b"", b""
        try:
            while line := self._handle.readline(PIECE):
                number += 1
                is_skipped = line.startswith(skip)
                self._count(line, len(line), number)
                end = line
                if len(line) == PIECE and not line.endswith(b"\n"):
                    line, end = self._rest(line, number, is_kept=not is_skipped)
                if is_skipped:
                    skipped = line
                    continue
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if line.isspace():
                    blank += 1
                    self._check_blank(blank, number)
                    continue
                skipped = b""
                yield number, self._parsable(line, number)
            is_cut = not end.rstrip().endswith(b"}")
            self.ended_with_skipped = bool(skipped) and not is_cut
            if skipped and is_cut:
                yield number, skipped
        except (MemoryError, ReportError):
            raise
        except Exception as error:
            raise self._unreadable(error, line=number + 1) from error

    def _rest(self, start: bytes, number: int, *, is_kept: bool) -> tuple[bytes, bytes]:
        """Return a long line, or its start alone if it is not kept, and its end."""
        pieces, length, end = [start], len(start), start
        while not end.endswith(b"\n") and (end := self._handle.readline(PIECE)):
            length += len(end)
            self._count(end, length, number)
            if is_kept:
                pieces.append(end)
                if length > self._limits.parsed_line:
                    raise self._too_large(number)
        return b"".join(pieces), pieces[-1] if is_kept else end

    def _count(self, piece: bytes, length: int, number: int) -> None:
        """Hold a piece of a line against the limits."""
        self._taken += len(piece)
        if self._taken > self._next_progress:
            self._next_progress = self._taken + PROGRESS_EVERY
            file = self._packed or self._handle
            read = self._taken if self._size is None else file.tell()
            progress.tell(self._reading, read, self._size)
        if length > self._limits.line:
            problem = f"the line is longer than {size_text(self._limits.line)}"
            raise self._refused(problem, "or a larger --max-line-size", number)
        # a plain file is finite, so that only its lines are limited
        is_plain_file = self._size is not None and self._packed is None
        if self._taken > self._limits.decoded and not is_plain_file:
            problem = f"holds more than {size_text(self._limits.decoded)} unpacked"
            raise self._refused(problem, "or a larger --max-decoded-size", number)

    def _check_blank(self, blank: int, number: int) -> None:
        if blank > MOST_BLANK_LINES:
            problem = f"more than {MOST_BLANK_LINES:,} blank lines"
            raise self._refused(problem, "which has none", number)

    def _parsable(self, line: bytes, number: int) -> bytes:
        if memory_to_parse(line) > self._limits.parsing:
            raise self._too_large(number)
        return line

    def _too_large(self, number: int) -> ReportError:
        most = size_text(self._limits.parsing)
        return self._refused(
            f"parsing the line may take more than {most} of memory",
            "or a larger --max-line-size",
            number,
        )

    def _refused(self, problem: str, advice: str, line: int) -> ReportError:
        advice = f"give a garak report, {advice}"
        return ReportError(self.name, problem, advice, line=line)

    def _unreadable(self, error: Exception, *, line: int | None) -> ReportError:
        """Say what stopped the reading; each fsspec backend has errors of its own."""
        advice = "compress or copy the report again"
        if isinstance(error, DAMAGED):
            problem = "the compressed file is damaged or ends before its end"
        elif isinstance(error, WindowError):
            problem = "unpacking needs more than 128 MiB of memory"
            advice = "unpack it with zstd -d --long=31"
        else:
            problem = f"cannot be read further ({reason_of(error)})"
        return ReportError(self.name, problem, advice, line=line)

    def whole(self, limit: int) -> bytes | None:
        """Return all bytes; None if more than ``limit``, or too much to parse."""
        if not self.seekable:
            return None
        self._handle.seek(0)
        content = self._handle.read(limit + 1)
        if len(content) > limit or memory_to_parse(content) > self._limits.parsing:
            return None
        return content


def size_text(size: int) -> str:
    """Return a number of bytes as people write it, such as ``256 MiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def open_source(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> Source:
    """Open a report by path.

    Parameters
    ----------
    name : str
        A file's path (plain, gzip or Zstandard, told by its first bytes), ``-``
        for standard input, or ``scheme://`` anything that fsspec opens.
    limits : ReadLimits
        How much may be read of it.

    Raises
    ------
    ReportError
        It is missing, a folder, empty or unreadable.
    """
    handle: BinaryIO
    if name == STANDARD_INPUT:
        handle = _standard_input(name)
    elif "://" in name:
        handle = open_address(name)
    else:
        handle = _open_file(name)
    try:
        return _decompressed(name, handle, limits)
    except ReportError:
        handle.close()
        raise


def _standard_input(name: str) -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise ReportError(
            name, "standard input is closed or was read before", "give it once"
        )
    return sys.stdin.buffer


def _open_file(name: str) -> BinaryIO:
    if os.path.isdir(name):
        raise ReportError(name, "is a folder", "name a report in it")
    try:
        # its buffer would read a megabyte to tell what it is packed with
        return open(name, "rb", buffering=0)
    except (OSError, ValueError) as error:
        # a link that leads nowhere is a mistake
        is_missing = isinstance(error, FileNotFoundError) and not os.path.lexists(name)
        raise (ReportMissingError if is_missing else ReportError)(
            name,
            f"cannot be opened ({reason_of(error)})",
            "give the path of a garak report, <prefix>.report.jsonl",
        ) from error


def _decompressed(name: str, handle: BinaryIO, limits: ReadLimits) -> Source:
    mode, size = _mode_and_size(handle)
    is_file = mode is not None and stat.S_ISREG(mode)
    # a device says that it is seekable, and has no end
    seekable = handle.seekable() and (mode is None or is_file)
    try:
        if seekable:
            start = handle.read(4)
            handle.seek(0)
        if not seekable or isinstance(handle, io.RawIOBase):
            handle = io.BufferedReader(handle, READ_BUFFER)  # type: ignore[type-var]
        if not seekable:
            start = handle.peek(4)[:4]  # type: ignore[attr-defined]
    except Exception as error:
        # each fsspec backend raises its own family of errors
        raise ReportError(
            name, f"cannot be read ({reason_of(error)})", "check the file"
        ) from error
    if not start:
        raise ReportError(name, "is empty", "give a report that garak has written")
    packed = None
    if start.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        unpack = open_gzip if start.startswith(GZIP_MAGIC) else open_zstandard
        packed, handle, seekable = handle, unpack(name, handle, READ_BUFFER), False
    return Source(
        name,
        handle,
        seekable=seekable,
        packed=packed,
        limits=limits,
        size=size if is_file else None,
    )


def _mode_and_size(handle: BinaryIO) -> tuple[int | None, int | None]:
    """Say what kind of file it is; None for what the system does not know."""
    try:
        status = os.fstat(handle.fileno())
    except (OSError, AttributeError):
        return None, None
    return status.st_mode, status.st_size
