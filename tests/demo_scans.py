# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The two scans of ``garak-tbsa demo``."""

from __future__ import annotations

from pathlib import Path

from garak_tbsa.demo import FILES, content_of

BEFORE, AFTER = "before.report.jsonl", "after.report.jsonl"


def copied_to(folder: Path) -> Path:
    """Copy all files of the demo out, as the command does."""
    for name in FILES:
        (folder / name).write_bytes(content_of(name))
    return folder
