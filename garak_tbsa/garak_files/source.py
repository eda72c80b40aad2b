# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's bytes: plain or compressed files, standard input, fsspec paths.

Plain and seekable sources give their last line without reading the rest;
everything gives its lines in one pass. Nothing here knows what a row means.
"""

from __future__ import annotations

import io
import os
import sys

from garak_tbsa.errors import ReportError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from _typeshed import WriteableBuffer
    from zstandard import ZstdDecompressor

STANDARD_INPUT = "-"
FIRST_BLOCK = 1 << 16
LARGEST_BLOCK = 1 << 22
BEFORE_LAST_LINE = 1 << 12
READ_BUFFER = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DAMAGED = ("error", "ZstdError", "BadGzipFile")


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
    """

    def __init__(
        self,
        name: str,
        handle: BinaryIO,
        *,
        seekable: bool,
        packed: BinaryIO | None = None,
    ) -> None:
        self.name = name
        self.ended_with_skipped = False
        self.seekable = seekable
        self._handle = handle
        self._packed = packed

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()
        if self._packed is not None:
            self._packed.close()

    def last_line(self) -> tuple[bytes, bytes]:
        """Return the last non-blank line, and up to 4 KiB of what stands before it.

        Looks back from the end in blocks that double in size, so the cost is
        that of the line itself, whatever the file's size.

        Raises
        ------
        ReportError
            The file system fails.
        """
        try:
            end = self._end_of_text()
            start = self._start_of_line(end)
            before = max(0, start - BEFORE_LAST_LINE)
            self._handle.seek(before)
            preceding = self._handle.read(start - before)
            line = self._handle.read(end - start)
        except MemoryError:
            raise
        except Exception as error:
            raise self._unreadable(error, line=None) from error
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
        """Offset of the first byte of the line that ends at ``end``."""
        block = FIRST_BLOCK
        while end > 0:
            start = max(0, end - block)
            self._handle.seek(start)
            newline = self._handle.read(end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end, block = start, min(block * 2, LARGEST_BLOCK)
        return 0

    def lines(self, skip: tuple[bytes, ...] = ()) -> Iterator[tuple[int, bytes]]:
        """Yield each non-blank line with its 1-based number.

        Parameters
        ----------
        skip : tuple of bytes
            Lines that start with one of these are passed over, but for the last
            one of the file if it does not end as a JSON object does.

        Raises
        ------
        ReportError
            The compressed stream ends early or is damaged.
        """
        if self.seekable:
            self._handle.seek(0)
        number, skipped = 0, b""
        try:
            for line in self._handle:
                number += 1
                if line.startswith(skip):
                    skipped = line
                    continue
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if not line.isspace():
                    skipped = b""
                    yield number, line
            is_cut = not skipped.rstrip().endswith(b"}")
            self.ended_with_skipped = bool(skipped) and not is_cut
            if skipped and is_cut:
                yield number, skipped
        except MemoryError:
            raise
        except Exception as error:
            raise self._unreadable(error, line=number + 1) from error

    def _unreadable(self, error: Exception, *, line: int | None) -> ReportError:
        """Say what stopped the reading; each fsspec backend has errors of its own."""
        # zlib.error and ZstdError derive from Exception alone
        if isinstance(error, EOFError) or type(error).__name__ in DAMAGED:
            problem = "the compressed file is damaged or ends before its end"
        else:
            problem = f"cannot be read further ({_reason(error)})"
        return ReportError(
            self.name, problem, "compress or copy the report again", line=line
        )

    def whole(self, limit: int) -> bytes | None:
        """Return all bytes, or None where there are more than ``limit``."""
        if not self.seekable:
            return None
        self._handle.seek(0)
        content = self._handle.read(limit + 1)
        return None if len(content) > limit else content


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
    handle: BinaryIO
    if name == STANDARD_INPUT:
        handle = _standard_input(name)
    elif "://" in name:
        handle = _open_with_fsspec(name)
    else:
        handle = _open_file(name)
    try:
        return _decompressed(name, handle)
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
        raise ReportError(name, "is a folder", "name a report.jsonl inside it")
    try:
        return open(name, "rb", buffering=READ_BUFFER)
    except (OSError, ValueError) as error:
        raise ReportError(
            name,
            f"cannot be opened ({_reason(error)})",
            "give the path of a garak report, <prefix>.report.jsonl",
        ) from error


def _open_with_fsspec(name: str) -> BinaryIO:
    try:
        import fsspec
    except ImportError as error:
        raise ReportError(
            name,
            "paths with a scheme need fsspec, which is not installed",
            "pip install fsspec, or copy the report here",
        ) from error
    try:
        handle: BinaryIO = fsspec.open(name, "rb").open()
    except Exception as error:
        # each fsspec backend raises its own family of errors
        raise ReportError(
            name,
            f"cannot be opened ({_reason(error)})",
            "check the address and its credentials",
        ) from error
    return handle


def _decompressed(name: str, handle: BinaryIO) -> Source:
    seekable = handle.seekable()
    if not seekable:
        handle = io.BufferedReader(handle, READ_BUFFER)  # type: ignore[type-var]
    try:
        start = _peek(handle, seekable)
    except OSError as error:
        raise ReportError(
            name, f"cannot be read ({_reason(error)})", "check the file"
        ) from error
    if not start:
        raise ReportError(name, "is empty", "give a report that garak has written")
    if start.startswith(GZIP_MAGIC):
        import gzip

        unpacked = io.BufferedReader(gzip.GzipFile(fileobj=handle), READ_BUFFER)
        return Source(name, unpacked, seekable=False, packed=handle)
    if start.startswith(ZSTD_MAGIC):
        stream = _open_zstandard(name, handle)
        return Source(name, stream, seekable=False, packed=handle)
    return Source(name, handle, seekable=seekable)


def _peek(handle: BinaryIO, seekable: bool) -> bytes:
    if seekable:
        start = handle.read(4)
        handle.seek(0)
        return start
    return handle.peek(4)[:4]  # type: ignore[attr-defined,no-any-return]


def _open_zstandard(name: str, handle: BinaryIO) -> io.BufferedReader:
    try:
        from zstandard import ZstdDecompressor
    except ImportError as error:
        raise ReportError(
            name,
            "is compressed with Zstandard, and zstandard is not installed",
            "pip install zstandard, or unpack the report with zstd -d",
        ) from error
    return io.BufferedReader(
        _Blocks(_unpacked(handle, ZstdDecompressor())), READ_BUFFER
    )


def _unpacked(handle: BinaryIO, unpacker: ZstdDecompressor) -> Iterator[bytes]:
    """Yield what all frames hold; zstandard's own reader is silent about a cut one."""
    frame = None
    while packed := handle.read(FIRST_BLOCK):
        while packed:
            if frame is None:
                frame = unpacker.decompressobj()
            yield frame.decompress(packed)
            if not frame.eof:
                break
            packed, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError


class _Blocks(io.RawIOBase):
    """Blocks of bytes as a stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill ``buffer``, 0 at the end."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        target = memoryview(buffer)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]
