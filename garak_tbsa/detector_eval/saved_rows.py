# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``--save-datasets``: the rows as they were evaluated, with what came out."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
from typing import IO, Any

from garak_tbsa.detector_eval.formats import sha256_of
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import is_hit
from garak_tbsa.detector_eval.run import RowScore, ScoredChunk
from garak_tbsa.errors import DatasetError, OutputError
from garak_tbsa.files import open_part, remove_left_parts


class SavedRows:
    """Writes ``<folder>/<detector>.jsonl``; whole files only, one open at a time.

    Until a file is whole it has a name of its own, so that two evaluations may save
    into one folder; what a killed one left is removed.
    """

    def __init__(self, folder: str, threshold: float) -> None:
        self.folder = folder
        self.threshold = threshold
        self._detector: str | None = None
        self._handle: IO[str] | None = None

    def path_of(self, detector: str) -> str:
        """Where a detector's rows are written."""
        return os.path.join(self.folder, re.sub(r"[^\w.-]", "_", detector) + ".jsonl")

    def sha256_of(self, detector: str) -> str | None:
        """sha256 of a detector's rows as they are there now, None without any."""
        path = self.path_of(detector)
        return sha256_of(path) if os.path.isfile(path) else None

    def add(self, scored: ScoredChunk) -> None:
        """Write a chunk's rows; the file takes its name with the last chunk.

        Raises
        ------
        OutputError
            The folder cannot be written to.
        """
        detector = scored.chunk.detector
        try:
            if detector != self._detector or self._handle is None:
                self._handle = self._started(detector)
            for row, row_score in zip(
                scored.chunk.rows, scored.row_scores, strict=False
            ):
                record = self._record(row, row_score)
                self._handle.write(_line(record, row))
            if scored.failure is not None:
                self.close()
            elif scored.chunk.is_last:
                self._finish(self._handle, self.path_of(detector))
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise OutputError(
                f"{self.folder}: cannot be written ({reason}); choose a writable"
                " folder with free space for --save-datasets"
            ) from None

    def _started(self, detector: str) -> IO[str]:
        self.close()
        os.makedirs(self.folder, exist_ok=True)
        path = self.path_of(detector)
        remove_left_parts(path)
        self._detector = detector
        return open_part(path, is_text=True)

    def _finish(self, handle: IO[str], path: str) -> None:
        handle.flush()
        if os.name == "posix":
            # still locked, so that nobody takes it for left behind
            os.replace(handle.name, path)
            handle.close()
        else:
            handle.close()
            os.replace(handle.name, path)
        self._detector = self._handle = None

    def close(self) -> None:
        """Drop the file that is not whole."""
        if self._handle is not None:
            # a full disk fails the last flush, of rows that are dropped anyway
            with contextlib.suppress(OSError):
                self._handle.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._handle.name)
        self._detector = self._handle = None

    def _record(self, row: LabelledRow, row_score: RowScore) -> dict[str, Any]:
        """The row, its slots unfilled as they were, readable as labelled data."""
        row = row.as_written or row
        record: dict[str, Any] = {
            "id": row.id,
            "detector": row.detector,
            "prompt": {
                "turns": [
                    {"role": turn.role, "content": {"text": turn.text}}
                    for turn in row.prompt
                ]
            },
            "output": row.output,
            "label": row.label,
            "notes": dict(row.notes),
            "goal": row.goal,
            "probe": row.probe,
            "lang": row.lang,
            "slice": row.slice,
            "source": row.source,
            "why": row.why,
            "annotations": dict(row.annotations),
            "file": _file(row),
        }
        kept = {key: value for key, value in record.items() if value not in (None, {})}
        kept["output"] = row.output
        kept["score"] = row_score.score
        if row_score.score is None:
            kept["missing"] = row_score.missing
            kept["missing_detail"] = row_score.detail
        else:
            hit = is_hit(row_score.score, self.threshold)
            kept["predicted"] = "hit" if hit else "pass"
        return kept


def _line(record: dict[str, Any], row: LabelledRow) -> str:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError:
        raise DatasetError(
            f"{row.where}: holds NaN or an infinite number, which JSON has no form for;"
            " write a number or null"
        ) from None


def _file(row: LabelledRow) -> Any:
    if row.file is None:
        return None
    content = row.file.content
    if content is None:
        # the rows must still be whole where the file is not
        with open(row.file.name, "rb") as handle:
            content = handle.read()
    encoded = base64.b64encode(content).decode("ascii")
    return {"name": os.path.basename(row.file.name), "base64": encoded}
