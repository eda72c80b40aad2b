# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a page or a text shows, in other forms."""

from __future__ import annotations

import html
import unicodedata


def controls(text: str) -> set[str]:
    """Characters that a terminal obeys or that turn its writing round."""
    return {
        char
        for char in text
        if (unicodedata.category(char) == "Cc" and char != "\n")
        or char in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    }


def joined(text: str) -> str:
    """A text without spaces, frames and line ends."""
    return "".join(char for char in text if char not in " \n|│")


def rows_of(markdown: str) -> list[list[str]]:
    """The cells of each row of the tables of a Markdown text, as they are shown."""
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    return [
        [html.unescape(cell).replace("\u200b", "").strip() for cell in row.split("|")]
        for row in rows
    ]
