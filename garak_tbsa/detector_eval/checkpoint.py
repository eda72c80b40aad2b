# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What an interrupted evaluation has finished, so that the next one goes on.

One JSON line for each finished detector, beside the summary; gone once that is
written. A line counts only if the key is the same: rows, settings, versions.
"""

from __future__ import annotations

import contextlib
import os
from typing import BinaryIO

import msgspec

from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.errors import OutputError, reason_of
from garak_tbsa.files import is_stream


class _Finished(msgspec.Struct):
    """A line of the journal."""

    key: str
    result: DetectorResult


class Journal:
    """Finished detectors by key, kept in ``<output>.unfinished``.

    There is none beside a device or pipe such as ``/dev/stdout``.
    """

    def __init__(self, output: str, *, start_over: bool) -> None:
        # no ending of labelled data: --output may lie in the folder of --data
        self.path = f"{output}.unfinished"
        self._is_kept = not is_stream(output)
        self._finished: dict[str, DetectorResult] = {}
        self._handle: BinaryIO | None = None
        if start_over or not os.path.isfile(self.path):
            return
        with open(self.path, "rb") as handle:
            for line in handle:
                # one that was cut short by a kill: that detector runs again
                with contextlib.suppress(msgspec.DecodeError):
                    entry = msgspec.json.decode(line, type=_Finished)
                    self._finished[entry.key] = entry.result

    def result(self, key: str) -> DetectorResult | None:
        """The result that an earlier run had for the same work."""
        return self._finished.get(key)

    def add(self, key: str, result: DetectorResult) -> None:
        """Remember a finished detector; one that could not run is tried again.

        Raises
        ------
        OutputError
            The folder of the summary cannot be written to.
        """
        if result.failure is not None or not self._is_kept:
            return
        line = msgspec.json.encode(_Finished(key=key, result=result)) + b"\n"
        try:
            if self._handle is None:
                folder = os.path.dirname(os.path.abspath(self.path))
                os.makedirs(folder, exist_ok=True)
                self._handle = open(self.path, "ab", buffering=0)  # noqa: SIM115
                # a line that a kill cut short must not swallow the next one
                line = b"\n" + line
            # one write: lines of two evaluations with one output do not mix
            self._handle.write(line)
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({reason_of(error)}); choose an"
                " --output in a writable folder with free space"
            ) from None

    def close(self) -> None:
        """Let go of the file, and leave it for the next run."""
        if self._handle is not None:
            self._handle.close()
        self._handle = None

    def remove(self) -> None:
        """Forget everything: the summary is written."""
        self.close()
        if os.path.isfile(self.path):
            os.unlink(self.path)
