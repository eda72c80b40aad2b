# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Compressed files as streams that never hold more than a few MiB unpacked."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from garak_tbsa.errors import ReportError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from zstandard import ZstdDecompressor


PACKED_BLOCK = 512
"""Zstandard makes up to 32,768 bytes of one, and hands them on at once: 16 MiB."""

LARGEST_WINDOW = 128 << 20
"""As ``zstd -d`` has it; a frame may ask for 2 GiB of memory."""


class WindowError(Exception):
    """A Zstandard frame that asks for more memory than is given to it."""


def open_gzip(_: str, handle: BinaryIO, buffer: int) -> BinaryIO:
    """Return what a gzip file holds, all members of it."""
    return io.BufferedReader(gzip.GzipFile(fileobj=handle), buffer)


def open_zstandard(name: str, handle: BinaryIO, buffer: int) -> BinaryIO:
    """Return what a Zstandard file holds, all frames of it.

    Raises
    ------
    ReportError
        zstandard is not installed.
    """
    try:
        from zstandard import ZstdDecompressor
    except ImportError as error:
        raise ReportError(
            name,
            "is compressed with Zstandard, and zstandard is not installed",
            "pip install zstandard, or unpack the report with zstd -d",
        ) from error
    unpacker = ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    return io.BufferedReader(_Blocks(_unpacked(handle, unpacker)), buffer)


def _unpacked(handle: BinaryIO, unpacker: ZstdDecompressor) -> Iterator[bytes]:
    """Yield what all frames hold; zstandard's own reader is silent about a cut one."""
    frame = None
    while packed := handle.read(PACKED_BLOCK):
        while packed:
            if frame is None:
                frame = unpacker.decompressobj()
            try:
                yield frame.decompress(packed)
            except Exception as error:
                too_large = "too much memory" in str(error)
                raise (WindowError if too_large else EOFError) from error
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
