# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The file that answers are appended to, each on disk before the next is asked."""

from __future__ import annotations

import os
from typing import BinaryIO

from garak_tbsa.errors import OutputError
from garak_tbsa.labels.label_files import read_label_file
from garak_tbsa.labels.labels import LabelFile


class LabelLog:
    """A file of labels that only grows.

    Parameters
    ----------
    path : str

    Raises
    ------
    OutputError
        The path is not one of a file that can be appended to.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if os.path.exists(path) and not os.path.isfile(path):
            raise OutputError(
                f"{path}: is not a file; give --labels the path of a file"
            )

    def read(self) -> LabelFile | None:
        """Return the labels given so far; None where there is no file yet.

        Raises
        ------
        DatasetError
            It cannot be read.
        OutputError
            It is of another form than a log.
        """
        if not os.path.exists(self.path) or not os.path.getsize(self.path):
            return None
        found = read_label_file(self.path)
        if not found.replaces:
            raise OutputError(
                f"{self.path}: does not hold answers of `label`, so none can be"
                " appended; give --labels another path (audit takes several files of"
                " labels)"
            )
        return found

    def append(self, line: str) -> None:
        """Write a line to the disk.

        Raises
        ------
        OutputError
            It cannot be written; the file is as it was.
        """
        is_new = not os.path.exists(self.path)
        try:
            with open(self.path, "ab+", buffering=0) as handle:
                size = handle.seek(0, os.SEEK_END)
                # a killed process may have left half a line
                start = b"" if _ends_whole(handle, size) else b"\n"
                _write(handle, start + line.encode("ascii"), size)
                os.fsync(handle.fileno())
            if is_new:
                _sync_folder(self.path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OutputError(
                f"{self.path}: cannot be written ({reason}); the answer was not"
                " saved; make room, or give --labels another path"
            ) from error


def _ends_whole(handle: BinaryIO, size: int) -> bool:
    if not size:
        return True
    handle.seek(size - 1)
    return handle.read(1) == b"\n"


def _write(handle: BinaryIO, data: bytes, size: int) -> None:
    written = handle.write(data)
    if written != len(data):
        handle.truncate(size)
        raise OSError(28, "No space left on device")


def _sync_folder(path: str) -> None:
    """Make a new file's name as durable as its content."""
    if os.name != "posix":
        return
    folder = os.open(os.path.dirname(path) or os.curdir, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
