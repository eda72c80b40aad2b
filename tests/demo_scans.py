# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The two scans of ``garak-tbsa demo``, and what a command writes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from garak_tbsa.cli.main import main
from garak_tbsa.demo import FILES, content_of

BEFORE, AFTER = "before.report.jsonl", "after.report.jsonl"
LABELS, ALL_LABELS = "before.labels.jsonl", "before.all_labels.csv"


def copied_to(folder: Path) -> Path:
    """Copy all files of the demo out, as the command does."""
    for name in FILES:
        (folder / name).write_bytes(content_of(name))
    return folder


def written(folder: Path, *command: str, code: int = 0) -> Any:
    """Return the JSON that a command writes."""
    path = folder / "written.json"
    assert main([*command, "-j", str(path)]) == code
    return json.loads(path.read_text("utf-8"))
