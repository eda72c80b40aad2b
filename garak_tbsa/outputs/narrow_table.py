# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A table that is wider than its terminal: names fold, or go on lines of their own."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.terminal import broken

GAP = "  "
LEAST_NAME = 20
"""Columns below which a folded name is no longer read at a glance."""

LONGEST_VALUE = 20


def narrow_table(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a table of at most ``width`` columns, as far as its values allow.

    Names are columns with an entry of more than 20 characters. They fold where at
    least 20 columns are left for each; else they go above the values of their row.

    Parameters
    ----------
    rows : sequence of rows
        The first is the header.
    width : int
        Columns of the terminal.
    """
    columns = list(zip(*rows, strict=True))
    names = [
        index
        for index, column in enumerate(columns)
        if _longest(column) > LONGEST_VALUE
    ]
    widths = [
        _longest(column) if index in names else _least(column)
        for index, column in enumerate(columns)
    ]
    spare = width - sum(widths) - len(GAP) * (len(widths) - 1)
    while spare < 0:
        widest = max(names, key=lambda index: widths[index], default=None)
        if widest is None or widths[widest] <= LEAST_NAME:
            return _stacked(rows, names, width)
        widths[widest] -= 1
        spare += 1
    return [line for row in rows for line in _lines(row, widths)]


def _longest(column: Sequence[str]) -> int:
    return max(map(len, column))


def _least(column: Sequence[str]) -> int:
    """As wide as its values; the header folds at its spaces."""
    header, *values = column
    return max(map(len, (*header.split(" "), *values)))


def _stacked(
    rows: Sequence[Sequence[str]], names: Sequence[int], width: int
) -> list[str]:
    values = [
        [cell for index, cell in enumerate(row) if index not in names] for row in rows
    ]
    widths = [_least(column) for column in zip(*values, strict=True)]
    lines: list[str] = []
    for row, rest in zip(rows, values, strict=True):
        name = f"{GAP}".join(row[index] for index in names if row[index])
        first, *more = broken(name, width - len(GAP))
        lines += [first, *(GAP + part for part in more)]
        if widths:
            lines += [GAP + line for line in _lines(rest, widths)]
    return lines


def _lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """One row; a folded cell goes on below its start."""
    cells = [broken(cell, width) for cell, width in zip(row, widths, strict=True)]
    return [
        GAP.join(
            _placed(cell[at] if at < len(cell) else "", width)
            for cell, width in zip(cells, widths, strict=True)
        ).rstrip()
        for at in range(max(map(len, cells)))
    ]


def _placed(cell: str, width: int) -> str:
    return cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)
