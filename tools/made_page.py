# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/reference that are made from the code; ``make docs`` writes them."""

from __future__ import annotations

from pathlib import Path

TEXTS = Path(__file__).parent / "page_texts"
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


def filled(name: str, **parts: str) -> str:
    """Return a text of ``page_texts`` with its ``{{parts}}`` put in."""
    text = (TEXTS / name).read_text(encoding="utf-8")
    for part, content in parts.items():
        text = text.replace(f"{{{{{part}}}}}", content)
    return text


def cell(text: str) -> str:
    """Return a text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
