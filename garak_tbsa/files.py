# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write a whole file or none: beside the target first, then replace it."""

from __future__ import annotations

import os

from garak_tbsa.errors import OutputError


def write_whole(path: str, content: str | bytes) -> None:
    """Write ``content`` to ``path`` so that no reader ever sees half of it.

    Parameters
    ----------
    path : str
        The target. Missing folders are made. An existing file keeps its mode.
    content : str or bytes
        Text is written as UTF-8.

    Raises
    ------
    OutputError
        The folder cannot be written to or the disk is full; what stood at
        ``path`` before still stands there.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if os.path.exists(path) and not os.path.isfile(path):
        _write_stream(path, data)
        return
    target = os.path.realpath(path)
    beside = f"{target}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(beside, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        if os.path.exists(target):
            os.chmod(beside, os.stat(target).st_mode & 0o7777)
        os.replace(beside, target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        _remove_if_there(beside)


def _write_stream(path: str, data: bytes) -> None:
    """Write to a device or pipe such as ``/dev/stdout``, which nothing replaces."""
    try:
        with open(path, "wb") as handle:
            handle.write(data)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: str, error: OSError) -> OutputError:
    reason = error.strerror or type(error).__name__
    return OutputError(
        f"{path}: cannot be written ({reason}); nothing was changed there,"
        " choose a writable place with free space"
    )


def _remove_if_there(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
