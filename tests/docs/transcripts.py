# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a page says that a command prints, held against what it prints.

A line ``...`` in a page is any number of lines, ``...`` within a line any characters
of that line. Blanks at the ends of lines do not count.
"""

from __future__ import annotations

import difflib
import re

ELLIPSIS = "..."
SHOWN_LINES = 40


def difference(said: str, printed: str) -> str | None:
    """How the printed text differs from what a page says; ``None`` where it does not.

    Parameters
    ----------
    said : str
        The page's text, with ellipses.
    printed : str
        The command's output.
    """
    wanted, found = (
        [line.rstrip() for line in text.rstrip().split("\n")]
        for text in (said, printed)
    )
    if re.fullmatch("".join(map(_pattern, wanted)), "".join(f"{x}\n" for x in found)):
        return None
    changes = difflib.unified_diff(
        wanted, found, "the page", "the command", lineterm=""
    )
    return "\n".join([*changes][:SHOWN_LINES])


def _pattern(line: str) -> str:
    """A regular expression for the lines that a line of a page stands for."""
    if line.strip() == ELLIPSIS:
        return "(?:.*\n)*"
    return ".*".join(map(re.escape, line.split(ELLIPSIS))) + "\n"
