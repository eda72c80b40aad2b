# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/reference with parts that are made from the code.

``make docs`` writes what is between ``<!-- made: NAME -->`` and
``<!-- end of NAME -->``; the rest of a page is written by hand.
"""

from __future__ import annotations

from pathlib import Path

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"


def write_or_check(page: Path, made: str, arguments: list[str]) -> int:
    """Write a page; with ``--check`` only say whether it is up to date.

    Returns
    -------
    int
        The exit code: 1 where the page is not what the code makes.
    """
    if "--check" not in arguments:
        page.write_text(made, encoding="utf-8")
        return 0
    if page.read_text(encoding="utf-8") == made:
        return 0
    print(f"{page.name} is not what the code makes today; make docs writes it again")
    return 1


def refilled(page: Path, **parts: str) -> str:
    """Return a page with these parts made again.

    Raises
    ------
    ValueError
        The page has no place for one of them.
    """
    text = page.read_text(encoding="utf-8")
    for name, content in parts.items():
        begin, end = f"<!-- made: {name} -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise ValueError(f"{page.name}: expected {begin} and {end}")
        text = f"{before}{begin}\n\n{content.strip()}\n\n{end}{after}"
    return text


def cell(text: str) -> str:
    """Return a text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
