# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows for tests, from as few words as possible."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.labelled_row import LabelledRow, Turn

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    f"{start}{end}"
    for start in ("al", "be", "cor", "dun")
    for end in ("ba", "mi", "no", "ru", "ta")
]


def labelled(label: str = "hit", **fields: Any) -> LabelledRow:
    """Return a parsed row."""
    given = {"id": "r", "output": "text", "detector": "dan.DAN", "where": "f, line 1"}
    return LabelledRow(
        label=label, prompt=(Turn(role="user", text=""),), **(given | fields)
    )


def good_records(detector: str = "dan.DAN", count: int = 60) -> list[dict[str, Any]]:
    """Return raw rows that keep every rule, for a detector of English."""
    chance = random.Random(detector)
    return [
        {
            "id": f"{detector}-{number:03d}",
            "prompt": "Say something.",
            "output": " ".join(chance.choices(WORDS, k=chance.randint(20, 40))) + ".",
            "label": "hit" if number % 2 else "pass",
            "slice": "plain",
            "lang": "en",
            "source": "written",
        }
        | ({"why": "it is made to be"} if number % 3 == 0 else {})
        for number in range(count)
    ]


def write_records(folder: Path, records: list[Any], name: str = "dan.DAN") -> str:
    """Write rows as JSON Lines and return the path."""
    path = folder / f"{name}.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)
