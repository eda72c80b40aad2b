# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines and tables for a terminal: what is too wide folds, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
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

    In a table that is wider than its terminal, names are columns with an entry of more
    than 20 characters. They fold where at least 20 columns are left for each; else they
    go above the values of their row.

    Parameters
    ----------
    rows : sequence of rows
        The first is the header.
    width : int or None
        Columns of the terminal; None for any.
    """
    cells = list(zip(*rows, strict=True))
    widths = [max(map(columns, column)) for column in cells]
    if width is None or total_width(widths) <= width:
        return [line for row in rows for line in _lines(row, widths)]
    names = [index for index, most in enumerate(widths) if most > LONGEST_VALUE]
    widths = [
        most if index in names else _least(cells[index])
        for index, most in enumerate(widths)
    ]
    while total_width(widths) > width:
        widest = max(names, key=lambda index: widths[index], default=None)
        if widest is None or widths[widest] <= LEAST_NAME:
            return _stacked(rows, names, width)
        widths[widest] -= 1
    return [line for row in rows for line in _lines(row, widths)]


def total_width(widths: Sequence[int]) -> int:
    """Return how wide a table with such columns is."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _least(column: Sequence[str]) -> int:
    """As wide as its values; the header folds at its spaces."""
    header, *values = column
    return max(map(columns, (*header.split(" "), *values)))


def _stacked(
    rows: Sequence[Sequence[str]], names: Sequence[int], width: int
) -> list[str]:
    values = [
        [cell for index, cell in enumerate(row) if index not in names] for row in rows
    ]
    widths = [_least(column) for column in zip(*values, strict=True)]
    lines: list[str] = []
    for row, rest in zip(rows, values, strict=True):
        name = GAP.join(row[index] for index in names if row[index])
        first, *more = broken(name, width - len(GAP))
        lines += [first, *(GAP + part for part in more)]
        lines += [GAP + line for line in _lines(rest, widths)]
    return lines


def _lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """One row; a folded cell goes on below its start."""
    cells = [
        broken(cell, width) if columns(cell) > width else [cell]
        for cell, width in zip(row, widths, strict=True)
    ]
    for parts in zip_longest(*cells, fillvalue=""):
        yield GAP.join(
            (pad + part if part[:1].isdigit() else part + pad)
            for part, width in zip(parts, widths, strict=True)
            for pad in [" " * (width - columns(part))]
        ).rstrip()
