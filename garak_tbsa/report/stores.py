# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies at an fsspec address, whose store may be slow or never answer."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import BinaryIO, TypeVar

T = TypeVar("T")

LONGEST_WAIT = 120
"""Seconds for each answer of a store: it is opened, listed, or gives a next piece.

fsspec has no limit that is the same for all stores, and fetches up to 5 MiB at once.
"""


def answer_of(function: Callable[..., T], *arguments: object) -> T:
    """Return what a function of a store returns, if it does so in time.

    Raises
    ------
    TimeoutError
        It has not; its thread is left behind, and ends with the interpreter.
    """
    answer: Future[T] = Future()

    def ask() -> None:
        try:
            answer.set_result(function(*arguments))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=ask, daemon=True).start()
    wait([answer], LONGEST_WAIT)
    if not answer.done():
        raise TimeoutError(f"no answer for {LONGEST_WAIT} seconds")
    return answer.result()


class StoredFile(io.RawIOBase):
    """An open file of a store, of which every piece comes in time or not at all."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle

    def readable(self) -> bool:
        """Whether it can be read, as all are."""
        return True

    def seekable(self) -> bool:
        """Whether the store knows the end."""
        # HTTP without ranges says that it is, and knows no end
        return self._handle.seekable() and getattr(self._handle, "size", 0) is not None

    def fileno(self) -> int:
        """Of a file that lies here."""
        return self._handle.fileno()

    def seek(self, offset: int, origin: int = io.SEEK_SET) -> int:
        """Go to a place, which some stores ask for."""
        return answer_of(self._handle.seek, offset, origin)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read the next bytes."""
        piece = answer_of(self._handle.read, len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close it, whatever its store says to that."""
        if not self.closed:
            with suppress(Exception):  # all was read that is needed
                answer_of(self._handle.close)
        super().close()
