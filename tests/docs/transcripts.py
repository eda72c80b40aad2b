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
    wanted, found = _lines(said), _lines(printed)
    if _matches(wanted, found):
        return None
    changes = list(
        difflib.unified_diff(wanted, found, "the page", "the command", lineterm="")
    )
    return "\n".join(changes[:SHOWN_LINES])


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _matches(wanted: list[str], found: list[str]) -> bool:
    """Whether lines match, from both ends of each run of lines between ellipses."""
    runs: list[list[str]] = [[]]
    for line in wanted:
        if line.strip() == ELLIPSIS:
            runs.append([])
        else:
            runs[-1].append(line)
    if len(runs) == 1:
        return _same(runs[0], found)
    first, *between, last = runs
    if len(first) + len(last) > len(found) or not _same(first, found[: len(first)]):
        return False
    if not _same(last, found[len(found) - len(last) :]):
        return False
    at, end = len(first), len(found) - len(last)
    for run in between:
        while at + len(run) <= end and not _same(run, found[at : at + len(run)]):
            at += 1
        at += len(run)
        if at > end:
            return False
    return True


def _same(wanted: list[str], found: list[str]) -> bool:
    return len(wanted) == len(found) and all(map(_same_line, wanted, found))


def _same_line(wanted: str, found: str) -> bool:
    if wanted == found:
        return True
    parts = map(re.escape, wanted.split(ELLIPSIS))
    return re.fullmatch(".*".join(parts), found) is not None
