# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The file of answers that ``garak-tbsa label`` keeps; it only grows."""

from __future__ import annotations

import errno
import os

from garak_tbsa.errors import OutputError
from garak_tbsa.labels.label_files import LabelFile, read_label_file


def read_log(path: str) -> LabelFile:
    """Return the answers given so far.

    Raises
    ------
    DatasetError
        They cannot be read.
    OutputError
        The file is of another form than a log, so that none can be appended.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise OutputError(f"{path}: is not a file; give --labels the path of a file")
    if not os.path.exists(path) or not os.path.getsize(path):
        return LabelFile(path=path)
    found = read_label_file(path)
    if not found.replaces:
        raise OutputError(
            f"{path}: does not hold answers of `label`, so none can be appended; give"
            " --labels another path (audit takes several files of labels)"
        )
    return found


def append_to_log(path: str, line: str) -> None:
    """Write a line to the disk.

    Raises
    ------
    OutputError
        It cannot be written; the file is as it was.
    """
    is_new = not os.path.exists(path)
    try:
        with open(path, "ab+", buffering=0) as handle:
            size = handle.seek(0, os.SEEK_END)
            handle.seek(max(0, size - 1))
            # a killed process may have left half a line
            start = b"" if handle.read(1) in (b"", b"\n") else b"\n"
            data = start + line.encode("ascii")
            if handle.write(data) != len(data):
                handle.truncate(size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(handle.fileno())
        if is_new:
            _sync_folder(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{path}: cannot be written ({reason}); the answer was not saved; make"
            " room, or give --labels another path"
        ) from error


def _sync_folder(path: str) -> None:
    """Make a new file's name as durable as its content."""
    if os.name != "posix":
        return
    folder = os.open(os.path.dirname(path) or os.curdir, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
