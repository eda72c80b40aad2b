# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``--save-datasets``: the rows as they were evaluated, with what came out."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.formats import sha256_of
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import is_hit
from garak_tbsa.detector_eval.run import RowScore
from garak_tbsa.errors import DatasetError, OutputError
from garak_tbsa.files import write_pieces

_AS_THEY_ARE = (
    *("id", "detector", "prompt", "output", "label", "notes", "goal", "probe", "lang"),
    *("slice", "source", "why", "annotations", "file", "basis", "model"),
)


@dataclass(frozen=True, kw_only=True)
class SavedRows:
    """Writes ``<folder>/<detector>.jsonl``, whole files only."""

    folder: str
    threshold: float

    def path_of(self, detector: str) -> str:
        """Where a detector's rows are written."""
        return os.path.join(self.folder, re.sub(r"[^\w.-]", "_", detector) + ".jsonl")

    def sha256_of(self, detector: str) -> str | None:
        """sha256 of a detector's rows as they are there now, None without any."""
        path = self.path_of(detector)
        return sha256_of(path) if os.path.isfile(path) else None

    def write(
        self, detector: str, scored: Iterable[tuple[LabelledRow, RowScore]]
    ) -> None:
        """Write all rows of a detector.

        Raises
        ------
        DatasetError
            A row holds what JSON has no form for.
        OutputError
            The folder cannot be written to.
        """
        lines = (self._line(row.as_written or row, score) for row, score in scored)
        try:
            write_pieces(self.path_of(detector), lines)
        except OutputError as error:
            reason = getattr(error.__cause__, "strerror", None) or "failed"
            raise OutputError(
                f"{self.folder}: cannot be written ({reason.lower()}); choose a"
                " writable folder with free space for --save-datasets"
            ) from None

    def _line(self, row: LabelledRow, row_score: RowScore) -> bytes:
        """The row, its slots unfilled as they were, readable as labelled data."""
        record: dict[str, Any] = {name: getattr(row, name) for name in _AS_THEY_ARE}
        record["prompt"] = {
            "turns": [
                {"role": turn.role, "content": {"text": turn.text}}
                for turn in row.prompt
            ]
        }
        record["file"] = _file(row)
        record = {name: cell for name, cell in record.items() if cell not in (None, {})}
        record["output"] = row.output
        record["score"] = row_score.score
        if row_score.score is None:
            record["missing"] = row_score.missing
            record["missing_detail"] = row_score.detail
        else:
            hit = is_hit(row_score.score, self.threshold)
            record["predicted"] = "hit" if hit else "pass"
        try:
            text = json.dumps(record, ensure_ascii=False, allow_nan=False)
        except ValueError:
            raise DatasetError(
                f"{row.where}: holds NaN or an infinite number, which JSON has no form"
                " for; write a number or null"
            ) from None
        return f"{text}\n".encode("utf-8", "backslashreplace")


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
