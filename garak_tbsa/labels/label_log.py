# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The file of answers that ``garak-tbsa label`` keeps; it only grows.

One server at a time has it: a lock beside it holds the address of the page, for whoever
starts a second one. (Windows has no such locks.)
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from types import TracebackType

from garak_tbsa.errors import OutputError
from garak_tbsa.labels.label_files import LabelFile, read_label_file

LONGEST_ADDRESS = 200


class LabelLog:
    """The answers about one report, while they are given.

    Parameters
    ----------
    path : str

    Attributes
    ----------
    before : LabelFile
        The answers that it had.

    Raises
    ------
    OutputError
        Another server has it, or no answer can be appended.
    DatasetError
        It cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = _locked(path)
        try:
            self.before = read_log(path)
        except BaseException:
            self.__exit__()
            raise
        self._known = self._state()

    def __enter__(self) -> LabelLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        with suppress(OSError):
            os.remove(_lock_of(self.path))
        os.close(self._lock)

    def tell(self, address: str) -> None:
        """Say where the page is, to who has the same account."""
        os.write(self._lock, address.encode())

    def append(self, line: str) -> None:
        """Write a line to the disk.

        Raises
        ------
        OutputError
            It cannot be written, or the file is not what it was: gone, or changed by
            another program.
        """
        if self._state() != self._known:
            raise OutputError(
                f"{self.path}: is gone, or was changed by another program; the answer"
                " was not saved; put the file back as it was, or end this program by"
                " Ctrl-C and start it again"
            )
        append_to_log(self.path, line)
        self._known = self._state()

    def _state(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_size


def _lock_of(path: str) -> str:
    return f"{os.path.realpath(path)}.lock"


def _locked(path: str) -> int:
    """Lock a log for as long as the handle is open."""
    try:
        handle = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{_lock_of(path)}: cannot be written ({reason}); give --labels a path in a"
            " folder that takes answers"
        ) from error
    try:
        if sys.platform != "win32":
            os.lockf(handle, os.F_TLOCK, 0)
    except OSError:
        address = os.read(handle, LONGEST_ADDRESS).decode("ascii", "replace")
        os.close(handle)
        raise OutputError(
            f"{path}: another `garak-tbsa label` keeps its answers there, for the page"
            f" {address or 'that it is about to open'}; label on that page, or end that"
            " program first, or give --labels another path"
        ) from None
    os.ftruncate(handle, 0)
    return handle


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
        if is_new and os.name == "posix":
            # the new file's name, as durable as its content
            folder = os.open(os.path.dirname(path) or os.curdir, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{path}: cannot be written ({reason}); the answer was not saved; make"
            " room, or give --labels another path"
        ) from error
