# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What an interrupted evaluation has finished, so that the next one goes on.

One JSON line for each finished detector, beside the summary; gone once that is
written. A line counts only if the key is the same: rows, settings, versions.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Journal:
    """Finished detectors by key, kept in ``<output>.unfinished``.

    There is none beside a device or pipe such as ``/dev/stdout``.
    """

    def __init__(self, output: str, *, start_over: bool) -> None:
        # no ending of labelled data: --output may lie in the folder of --data
        self.path = f"{output}.unfinished"
        self._is_kept = os.path.isfile(output) or not os.path.exists(output)
        self._finished = {} if start_over else _read(self.path)
        self._started = False

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
        line = json.dumps({"key": key, "result": asdict(result)})
        try:
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as handle:
                # a line that a kill cut short must not swallow the next one
                handle.write(line + "\n" if self._started else f"\n{line}\n")
            self._started = True
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise OutputError(
                f"{self.path}: cannot be written ({reason}); choose an --output in a"
                " writable folder with free space"
            ) from None

    def remove(self) -> None:
        """Forget everything: the summary is written."""
        if os.path.exists(self.path):
            os.unlink(self.path)


def work_key(parts: Mapping[str, Any]) -> str:
    """sha256 of what decides a detector's result."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: str) -> dict[str, DetectorResult]:
    finished: dict[str, DetectorResult] = {}
    if not os.path.isfile(path):
        return finished
    with open(path, encoding="utf-8", errors="replace") as handle:
        for line in handle:
            try:
                entry = json.loads(line)
                result = entry["result"]
                counts = ConfusionCounts(**result.pop("counts"))
                finished[entry["key"]] = DetectorResult(counts=counts, **result)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # cut short by a kill; that detector runs again
    return finished
