# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The file that answers are appended to, each on disk before the next is asked."""

from __future__ import annotations

import errno
import os

from garak_tbsa.errors import OutputError
from garak_tbsa.labels.label_files import LabelFile, read_label_file


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

    def read(self) -> LabelFile:
        """Return the labels given so far.

        Raises
        ------
        DatasetError
            It cannot be read.
        OutputError
            It is of another form than a log.
        """
        if not os.path.exists(self.path) or not os.path.getsize(self.path):
            return LabelFile(path=self.path)
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
                handle.seek(max(0, size - 1))
                # a killed process may have left half a line
                start = b"" if handle.read(1) in (b"", b"\n") else b"\n"
                data = start + line.encode("ascii")
                if handle.write(data) != len(data):
                    handle.truncate(size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle.fileno())
            if is_new:
                _sync_folder(self.path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OutputError(
                f"{self.path}: cannot be written ({reason}); the answer was not"
                " saved; make room, or give --labels another path"
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
