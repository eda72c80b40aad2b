# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""CSV as spreadsheets save it, and cells that none of them runs as a formula.

Responses of attacked models may start with ``=``, ``+``, ``-`` or ``@`` to
be run when someone opens the sheet. Such a cell gets an apostrophe in front, and so
does a cell that starts with one, so that the way back is exact. A program that splits
at another delimiter than ours would find a cell within a cell, so the same is done
behind ``,``, ``;``, tabs and line ends. The sheet says in a column of each row that its
cells were written so; :func:`restored` is the way back.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import Any, TypeAlias

MARK_COLUMN = "cell_prefix"
MARK = "apostrophe before = + - @ at starts and behind delimiters and line ends"
MARK_OF_STARTS = "apostrophe before = + - @"
"""Of sheets until 0.2."""

_DELIMITERS = ",;\t"

SheetRow: TypeAlias = tuple[int, dict[str, str] | str]
"""A row's number from 2, and its cells by column, or why it has none."""

Sheet: TypeAlias = tuple[list[str], Iterator[SheetRow]]
"""Its columns, and its rows."""

_PREFIX = "'"
_RISKY = ("=", "+", "-", "@", "\N{MINUS SIGN}", _PREFIX)

_SIGNS = "-=+@−⁺⁻⁼₊₋₌﹢﹣﹦﹫＋－＝＠"
"""What starts a formula, in every width and height."""

_SKIPPED = (
    r"[^\S\t\r\n]|[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u0300-\u036f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""What spreadsheets look behind; a tab or line end is broken after itself."""

_BREAKS = f"{_DELIMITERS}\r\n"
_START_WITHIN = f"(?='*(?:{_SKIPPED})*[{_SIGNS}])"
_TO_BREAK = re.compile(f"([{_BREAKS}]){_START_WITHIN}")
_BROKEN = re.compile(f"([{_BREAKS}])'{_START_WITHIN}")


class SheetError(Exception):
    """A sheet without columns that can be used; the text says why."""


def read_csv(lines: Iterable[str]) -> Sheet:
    """Return the columns of CSV, and its rows; those without content are skipped.

    Parameters
    ----------
    lines : iterable of str
        With their ends.

    Raises
    ------
    SheetError
    """
    return _sheet(_cells(lines, ","))


def read_sheet(lines: Iterable[str]) -> Sheet:
    """Read CSV as a spreadsheet of any country saves it: ``,`` or ``;`` or tabs.

    Raises
    ------
    SheetError
    """
    lines = iter(lines)
    first = next(lines, "")
    delimiter = max(_DELIMITERS, key=first.count)
    rows = _cells(chain([first], lines), delimiter)
    header = _header(rows)
    if len(header) == 1 and any(each in header[0] for each in _DELIMITERS):
        # each row is written as one cell
        return read_sheet(chain(header, (row[0] if row else "" for row in rows)))
    return _sheet(chain([header], rows))


def _cells(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    # a model's response can be longer than the module's 128 kB a cell
    csv.field_size_limit(2**31 - 1)
    # strict: a quote that is never closed would swallow the rows below it
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _header(rows: Iterator[list[str]]) -> list[str]:
    try:
        return next(rows, [])
    except csv.Error as error:
        raise SheetError(_no_csv(error)) from None


def _sheet(rows: Iterator[list[str]]) -> Sheet:
    names = [name.strip() for name in _header(rows)]
    twice = next((each for each in names if each and names.count(each) > 1), None)
    if twice is not None:
        raise SheetError(f"two columns are called {twice[:60]!r}; rename or remove one")
    return names, _rows(rows, names)


def _rows(rows: Iterator[list[str]], names: list[str]) -> Iterator[SheetRow]:
    for number in count(2):
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, _no_csv(error)
            continue
        if any(cells[len(names) :]):
            yield (
                number,
                f"{len(cells)} cells, but the header names {len(names)}; quote cells"
                " that hold the delimiter",
            )
        elif any(cells):
            yield number, dict(zip(names, cells, strict=False))


def _no_csv(error: csv.Error) -> str:
    return f"not CSV ({error}); quote cells that hold line breaks or quotes"


def safe_cell(text: str) -> str:
    """The text as a cell that is never run."""
    broken = _TO_BREAK.sub(rf"\1{_PREFIX}", text)
    return _PREFIX + broken if text and _is_risky(text[0]) else broken


def _is_risky(first: str) -> bool:
    """Whether a spreadsheet may take it for a formula's start, or look behind it.

    Spreadsheets skip blanks, control and zero-width characters, and read wide, small
    and raised forms (``＝``, ``﹦``, ``⁼``) as the sign itself.
    """
    # controls, formats, unassigned; separators; marks, which join what is before
    if unicodedata.category(first)[0] in "CZM":
        return True
    return unicodedata.normalize("NFKC", first).startswith((*_RISKY, " "))


def restored(record: dict[str, Any]) -> dict[str, Any]:
    """A record of a sheet as it was before :func:`safe_cell`; others as they are."""
    mark = record.get(MARK_COLUMN)
    if mark not in (MARK, MARK_OF_STARTS):
        return record
    within = mark == MARK
    return {
        name: _text_of(cell, within=within) if isinstance(cell, str) else cell
        for name, cell in record.items()
        if name != MARK_COLUMN
    }


def _text_of(cell: str, *, within: bool) -> str:
    text = cell.removeprefix(_PREFIX)
    return _BROKEN.sub(r"\1", text) if within else text
