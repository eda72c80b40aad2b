# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines and tables for a terminal: what is too wide folds, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from unicodedata import east_asian_width

from garak_tbsa.safe_text import printable
from garak_tbsa.terminal import broken, columns

RULE = "─" * 50
WIDTH = 79
"""Columns of a terminal less one, as a symbol may take two."""

GAP = "  "
INDENT = "     "
LEAST_NAME = 20
"""Columns below which a folded name is no longer read at a glance."""

LONGEST_VALUE = 20
NO_BREAK = "\xa0"


def marked(mark: str, *texts: str | None) -> list[str]:
    """Put a mark before each text that there is."""
    return [f"{mark}{text}" for text in texts if text is not None]


def wrapped(first: str, text: str) -> list[str]:
    """Break a line at 80 columns; long names break where a word of theirs ends."""
    parts = broken(text, WIDTH + 1 - len(first))
    indent = " " * len(first)
    return [f"{indent if n else first}{part}" for n, part in enumerate(parts)]


def folded(lines: Iterable[str]) -> list[str]:
    """Break lines that a terminal would, at spaces, so that names stay whole."""
    return [part for line in lines for part in _folded(line)]


def _folded(line: str) -> list[str]:
    text = printable(line.lstrip(" ")).replace("\n", "\\n")
    leading = " " * (len(line) - len(line.lstrip(" ")))
    parts = wrap(
        # a number keeps its percent sign
        text.replace(" %", f"{NO_BREAK}%"),
        WIDTH,
        initial_indent=leading,
        subsequent_indent=f"{leading}  " if len(leading) > 3 else "   ",
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace(f"{NO_BREAK}%", " %") for part in parts or [line]]


def text_lines(text: str, margin: str) -> Iterator[str]:
    """Yield a readable text of a report in lines of 80 columns behind a margin.

    Without the margin on every line a text could look like a line of ours.
    """
    for line in text.split("\n"):
        room = WIDTH + 1 - len(margin)
        if not line.isascii() and any(east_asian_width(char) in "WF" for char in line):
            room //= 2
        start = 0
        # blanks at its start stay
        while len(line) - start > room:
            blank = line.rfind(" ", start + 1, start + room + 1)
            end = blank if blank > start else start + room
            yield (margin + line[start:end]).rstrip()
            start = end + (blank > start)
        yield (margin + line[start:]).rstrip()


def example_lines(
    texts: Iterable[tuple[str, str]], commands: Iterable[str]
) -> Iterator[str]:
    """Yield readable texts of a report, each below its heading, and what shows more."""
    for heading, text in texts:
        yield f"{INDENT}  {heading}"
        yield from text_lines(text, f"{INDENT}  | ")
    for command in commands:
        yield f"{INDENT}  Whole: {command}"


def table(rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """Align columns; numbers in all but the first row go to the right.

    In a table that is wider than its terminal, names, which are columns with an entry
    of more than 20 characters, go above the values of their row.

    Parameters
    ----------
    rows : sequence of rows
        The first is the header.
    width : int or None
        Columns of the terminal; None for any.
    """
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    names = [index for index, most in enumerate(widths) if most > LONGEST_VALUE]
    if width is None or total_width(widths) <= width or not names:
        return [_line(row, widths) for row in rows]
    values = [[c for index, c in enumerate(row) if index not in names] for row in rows]
    lines: list[str] = []
    for row, line in zip(rows, table(values), strict=True):
        name = GAP.join(row[index] for index in names if row[index])
        lines += [*broken(name, width), GAP + line]
    return lines


def total_width(widths: Sequence[int]) -> int:
    """Return how wide a table with such columns is."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = []
    for cell, width in zip(row, widths, strict=True):
        pad = " " * (width - columns(cell))
        cells.append(pad + cell if cell[:1].isdigit() else cell + pad)
    return GAP.join(cells).rstrip()
