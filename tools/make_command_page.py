# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/commands.md from what ``--help`` prints; a test holds it to that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"
COMMANDS = (
    (),
    ("score",),
    ("explain",),
    ("compare",),
    ("history",),
    ("detectors",),
    ("detectors", "evaluate"),
    ("detectors", "rank"),
    ("detectors", "diff"),
    ("detectors", "explain"),
    ("detectors", "sample"),
)
HEADER = """\
# Commands

Exit codes: 0 done, 1 could not (one line on stderr says why), 2 usage, 3 a gate failed.
"""


def page() -> str:
    """Return the page as the installed commands print it."""
    sections = [HEADER]
    for command in COMMANDS:
        name = " ".join(("garak-tbsa", *command))
        sections.append(f"## `{name}`\n\n```text\n{_help(command)}\n```\n")
    return "\n".join(sections)


def _help(command: tuple[str, ...]) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "garak_tbsa", *command, "--help"],
        env=os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return result.stdout.rstrip()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
