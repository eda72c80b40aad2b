# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files at an address, ``scheme://`` anything that fsspec opens.

Each kind of store has errors of its own.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from garak_tbsa.errors import ReportError, ReportMissingError

NOT_THERE = (404, 410)
"""What a server answers that does not have a file; all else is a failure."""


def open_address(name: str) -> BinaryIO:
    """Open what is at an address.

    Raises
    ------
    ReportError
        It is missing or cannot be opened, or fsspec is not installed.
    """
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
        raise (ReportMissingError if _is_not_there(error) else ReportError)(
            name,
            f"cannot be opened ({reason_of(error)})",
            "check the address and its credentials",
        ) from error
    return handle


def stored_size(name: str) -> int | None:
    """Return how many bytes are at an address, None where its store does not say.

    Raises
    ------
    ReportError
        It cannot be opened.
    """
    with open_address(name) as handle:
        return handle.seek(0, os.SEEK_END) if handle.seekable() else None


def _is_not_there(error: Exception) -> bool:
    """Whether a place says that it does not have a file.

    fsspec calls all that goes wrong with an HTTP server a file that is not found.
    """
    if not isinstance(error, FileNotFoundError):
        return False
    cause = error.__cause__
    return cause is None or getattr(cause, "status", None) in NOT_THERE


def reason_of(error: BaseException) -> str:
    """Say in one line why something could not be opened or read."""
    if isinstance(error, FileNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    status = getattr(error, "status", None)
    if status is not None:
        return f"HTTP status {status}"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]
