# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What an interrupted evaluation has finished, so that the next one goes on.

One JSON line for each finished detector, beside the summary; gone once that is
written. A line counts only if the key is the same: rows, settings, versions.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec

from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.errors import OutputError
from garak_tbsa.files import is_stream

try:
    import fcntl
except ImportError:  # Windows: two evaluations there must not share an output
    fcntl = None  # type: ignore[assignment]


class Journal:
    """Finished detectors by key, kept in ``<output>.unfinished``.

    Several evaluations may share one: each adds whole lines, and the last of them
    removes it. There is none beside a device or pipe such as ``/dev/stdout``.
    """

    def __init__(self, output: str, *, start_over: bool) -> None:
        # no ending of labelled data: --output may lie in the folder of --data
        self.path = f"{output}.unfinished"
        self._is_kept = not is_stream(output)
        self._finished = {} if start_over else _read(self.path)
        self._handle: BinaryIO | None = None

    def result(self, key: str, saved: str | None = None) -> DetectorResult | None:
        """The result that an earlier run had for the same work.

        Parameters
        ----------
        saved : str or None
            sha256 of the rows that are saved now; others than that run saved are
            another evaluation's, and the work is to be done again.
        """
        finished = self._finished.get(key)
        if finished is None or finished.saved != saved:
            return None
        return finished.result

    def add(self, key: str, result: DetectorResult, saved: str | None = None) -> None:
        """Remember a finished detector; one that could not run is tried again.

        Raises
        ------
        OutputError
            The folder of the summary cannot be written to.
        """
        if result.failure is not None or not self._is_kept:
            return
        finished = _Finished(key=key, result=result, saved=saved)
        line = msgspec.json.encode(finished) + b"\n"
        try:
            if self._handle is None:
                self._handle = _opened(self.path)
                # a line that a kill cut short must not swallow the next one
                line = b"\n" + line
            # one unbuffered write, so that the lines of two evaluations do not mix
            self._handle.write(line)
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise OutputError(
                f"{self.path}: cannot be written ({reason}); choose an --output in a"
                " writable folder with free space"
            ) from None

    def close(self) -> None:
        """Let go of the file, and leave it for the next run."""
        if self._handle is not None:
            self._handle.close()
        self._handle = None

    def remove(self) -> None:
        """Forget everything: the summary is written."""
        if os.path.isfile(self.path) and _is_ours_alone(self.path, self._handle):
            os.unlink(self.path)
        self.close()


class _Finished(msgspec.Struct):
    """A line of the journal."""

    key: str
    result: DetectorResult
    saved: str | None


def _opened(path: str) -> BinaryIO:
    """Open for whole lines at the end, shared with whoever does the same."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    handle = open(path, "ab", buffering=0)  # noqa: SIM115, closed at the end
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def _is_ours_alone(path: str, handle: BinaryIO | None) -> bool:
    if fcntl is None:
        return True
    with contextlib.ExitStack() as stack:
        held = handle or stack.enter_context(open(path, "rb"))
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def work_key(parts: Mapping[str, Any]) -> str:
    """sha256 of what decides a detector's result."""
    text = json.dumps(parts, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def _read(path: str) -> dict[str, _Finished]:
    finished: dict[str, _Finished] = {}
    if not os.path.isfile(path):
        return finished
    with open(path, "rb") as handle:
        for line in handle:
            try:
                entry = msgspec.json.decode(line, type=_Finished)
            except msgspec.DecodeError:
                continue  # cut short by a kill; that detector runs again
            finished[entry.key] = entry
    return finished
