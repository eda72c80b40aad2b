# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report is opened: plain or compressed files, standard input, fsspec addresses."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import BinaryIO

from garak_tbsa.errors import ReportError, ReportMissingError
from garak_tbsa.files import is_stream
from garak_tbsa.garak_files.source import (
    BUFFER,
    Source,
    reason_of,
)
from garak_tbsa.garak_files.stores import StoredFile, answer_of

STANDARD_INPUT = "-"


ADDRESS = "://"


PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""What a file is packed with, by its first bytes."""


NOT_THERE = (404, 410)
"""What a server answers that does not have a file; all else is a failure."""


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
        if sys.stdin is None or sys.stdin.closed:
            raise ReportError(
                name, "standard input is closed or was read before", "give it once"
            )
        handle = sys.stdin.buffer
    elif ADDRESS in name:
        handle = _open_address(name)
    else:
        handle = _open_file(name)
    try:
        return _unpacked_source(name, handle)
    except ReportError:
        handle.close()
        raise


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
    with _open_address(name) as handle:
        try:
            return handle.seek(0, os.SEEK_END) if handle.seekable() else None
        except Exception as error:
            raise _not_opened(name, error) from error


def _open_address(name: str) -> BinaryIO:
    try:
        import fsspec

        handle = answer_of(lambda: fsspec.open(name, "rb").open())
    except Exception as error:
        raise _not_opened(name, error) from error
    return StoredFile(handle)  # type: ignore[return-value]


def _not_opened(name: str, error: Exception) -> ReportError:
    # each fsspec backend raises its own family of errors, and calls all that goes
    # wrong with an HTTP server a file that is not found
    is_missing = isinstance(error, FileNotFoundError) and (
        error.__cause__ is None or getattr(error.__cause__, "status", None) in NOT_THERE
    )
    return (ReportMissingError if is_missing else ReportError)(
        name,
        f"cannot be opened ({reason_of(error)})",
        "check the address and its credentials",
    )


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


def _unpacked_source(name: str, handle: BinaryIO) -> Source:
    try:
        status = os.fstat(handle.fileno())
        is_file, size = stat.S_ISREG(status.st_mode), status.st_size
    except (OSError, AttributeError):
        is_file, size = True, None  # of a store; the system does not know it
    # a device says that it is seekable, and has no end
    seekable = handle.seekable() and is_file
    try:
        if seekable:
            start = handle.read(4)
            handle.seek(0)
        if not seekable or isinstance(handle, io.RawIOBase):
            handle = io.BufferedReader(handle, BUFFER)  # type: ignore[type-var]
        if not seekable:
            start = handle.peek(4)[:4]  # type: ignore[attr-defined]
        packed = None
        for magic, kind in PACKED.items():
            if start.startswith(magic):
                from pyarrow import CompressedInputStream

                unpacked = CompressedInputStream(handle, kind)
                packed, handle = handle, io.BufferedReader(unpacked, BUFFER)
    except Exception as error:
        # each fsspec backend raises its own family of errors
        raise ReportError(
            name, f"cannot be read ({reason_of(error)})", "check the file"
        ) from error
    if not start:
        raise ReportError(name, "is empty", "give a report that garak has written")
    return Source(
        name,
        handle,
        seekable=seekable and packed is None,
        packed=packed,
        size=size if is_file else None,
    )
