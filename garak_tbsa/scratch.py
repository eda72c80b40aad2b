# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Folders for what is needed only while a command runs."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator

from garak_tbsa.files import lock

PREFIX = "garak-tbsa-scratch-"
LOCK_NAME = ".in-use"


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """Give a new folder in the system's temporary one, removed at the end.

    Those that killed processes left behind are removed first: nobody holds the lock
    inside them any more.

    Yields
    ------
    str
        Its path.
    """
    _remove_left_folders(tempfile.gettempdir())
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as path,
        open(os.path.join(path, LOCK_NAME), "wb") as handle,
    ):
        lock(handle.fileno())
        yield path


def _remove_left_folders(parent: str) -> None:
    for entry in os.scandir(parent):
        if not entry.name.startswith(PREFIX) or not entry.is_dir(follow_symlinks=False):
            continue
        try:
            descriptor = os.open(os.path.join(entry.path, LOCK_NAME), os.O_RDWR)
        except OSError:
            continue  # another user's, or a process that has just begun
        try:
            left = lock(descriptor)
        finally:
            os.close(descriptor)
        if left:
            shutil.rmtree(entry.path, ignore_errors=True)
