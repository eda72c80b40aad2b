# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows for tests, from as few words as possible."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.rows import Label, LabelledRow, Turn

if TYPE_CHECKING:
    from pathlib import Path


def labelled(label: Label = "hit", **fields: Any) -> LabelledRow:
    """Return a parsed row."""
    given = {"id": "r", "output": "text", "detector": "dan.DAN", "where": "f, line 1"}
    prompt = (Turn(role="user", text=""),)
    return LabelledRow(label=label, **({"prompt": prompt} | given | fields))


def write_records(folder: Path, records: list[Any], name: str = "dan.DAN") -> str:
    """Write rows as JSON Lines and return the path."""
    path = folder / f"{name}.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)
