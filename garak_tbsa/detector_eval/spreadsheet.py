# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Cells that no spreadsheet runs as a formula, and the way back.

Responses of attacked models may start with ``=``, ``+``, ``-`` or ``@`` to
be run when someone opens the sheet. Such a cell gets an apostrophe in front, and so
does a cell that starts with one, so that the way back is exact. The sheet says in a
column of each row that its cells were written so.
"""

from __future__ import annotations

import unicodedata
from typing import Any

MARK_COLUMN = "cell_prefix"
MARK = "apostrophe before = + - @"

_PREFIX = "'"
_RISKY = ("=", "+", "-", "@", "\N{MINUS SIGN}", _PREFIX)


def safe_cell(text: str) -> str:
    """The text as a cell that is never run."""
    return _PREFIX + text if text and _is_risky(text[0]) else text


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
    if record.get(MARK_COLUMN) != MARK:
        return record
    return {
        name: cell.removeprefix(_PREFIX) if isinstance(cell, str) else cell
        for name, cell in record.items()
        if name != MARK_COLUMN
    }
