# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write what ``--help`` prints into docs/reference/commands.md; ``make docs`` does."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from garak_tbsa.cli.main import COMMANDS
from tools.made_page import REFERENCE, write_or_check

PAGE = REFERENCE / "commands.md"


def commands() -> list[tuple[str, ...]]:
    """Return every command, as its words."""
    return [(), *(tuple(name.split()) for name in COMMANDS)]


def page() -> str:
    """Return the page with the help of today; the examples below it are left alone.

    Raises
    ------
    ValueError
        Its headings are not the commands, in their order.
    """
    text = PAGE.read_text(encoding="utf-8")
    named = [" ".join(("garak-tbsa", *command)) for command in commands()]
    if re.findall(r"^## `(.*)`$", text, re.MULTILINE) != named:
        raise ValueError(f"{PAGE.name}: expected a heading for each of {named}")
    parts = re.split(r"(?<=\n```text\n).*?(?=\n```\n)", text, flags=re.DOTALL)
    shown = [*map(_help, commands()), ""]
    return "".join(f"{part}{told}" for part, told in zip(parts, shown, strict=True))


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
