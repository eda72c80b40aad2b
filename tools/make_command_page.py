# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/commands.md from what ``--help`` prints; ``make docs`` does."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from garak_tbsa.cli import baseline, detectors, main
from tools.made_page import REFERENCE, TEXTS, write_or_check

PAGE = REFERENCE / "commands.md"
HEADER = """\
# Commands

Exit codes: 0 done, 1 could not (one line on stderr says why), 2 usage, 3 a gate failed.
"""


def commands() -> list[tuple[str, ...]]:
    """Return every command, as its words."""
    found: list[tuple[str, ...]] = [()]
    for name in main.COMMANDS:
        found.append((name,))
        if name == "detectors":
            found += [(name, command) for command in detectors.COMMANDS]
        if name == "baseline":
            found += [(name, command) for command in baseline.COMMANDS]
    return found


def page() -> str:
    """Return the page as the installed commands print it."""
    sections, shown = [HEADER], examples()
    for command in commands():
        name = " ".join(("garak-tbsa", *command))
        section = f"## `{name}`\n\n```text\n{_help(command)}\n```\n"
        example = shown.pop(" ".join(command), None)
        sections.append(f"{section}\nFor example:\n\n{example}" if example else section)
    if shown:
        raise KeyError(f"examples of commands that do not exist: {sorted(shown)}")
    return "\n".join(sections)


def examples() -> dict[str, str]:
    """The block of each command; tests/docs runs it as part of the page."""
    text = (TEXTS / "command_examples.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## ([^\n]+)\n\n(```console\n.*?^```\n)", text, re.M | re.S)
    return dict(parts)


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
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
