# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Cells that no spreadsheet runs, and the way back."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.spreadsheet import (
    MARK,
    MARK_COLUMN,
    MARK_OF_STARTS,
    restored,
    safe_cell,
)

FORMULAS = (
    *("=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "\0=", "\v=", "\f="),
    *("\N{NO-BREAK SPACE}=", "\N{ZERO WIDTH SPACE}=", "\N{WORD JOINER}+"),
    *("\N{ZERO WIDTH NO-BREAK SPACE}@", "\N{IDEOGRAPHIC SPACE}=", "\x85="),
    *("\N{LINE SEPARATOR}=", "\N{SOFT HYPHEN}=", "\N{COMBINING GRAVE ACCENT}="),
    *"＝＋－＠﹦﹢﹣﹫⁼⁺₋\N{MINUS SIGN}",
)


def test_a_formula_gets_an_apostrophe_and_plain_text_stays() -> None:
    for start in FORMULAS:
        assert safe_cell(f"{start}cmd|' /C calc'!A0").startswith("'")
        for delimiter in (";", ", ", "\t", ";'"):
            cell = safe_cell(f"Sure{delimiter}{start}cmd|'/C calc'!A0;x")
            parts = re.split("[,;\t]", cell)
            assert len(cell) > len(f"Sure{delimiter}{start}cmd|'/C calc'!A0;x")
            assert not any(part.lstrip().startswith(start.strip()) for part in parts)
    for text in ("", "text", "1 + 1 = 2", "a=b", "“quoted”", "a, b; c"):
        assert safe_cell(text) == text


@given(st.text(st.sampled_from("'=+-@a,; \t\n\0\u00a0\u200b＝")))
@example("'=1")
@example("''")
@example("'")
def test_the_way_back_is_exact(text: str) -> None:
    """Reversible, whatever the cell starts with."""
    record = {"output": safe_cell(text), MARK_COLUMN: MARK}
    assert restored(record) == {"output": text}
    for part in re.split("[,;\t]", record["output"]):
        assert not part.lstrip(" \n").startswith(("=", "+", "-", "@"))


def test_sheets_of_0_2_are_read_as_they_were_written() -> None:
    """An apostrophe behind a delimiter is the text's own there."""
    record = {"output": "'=a;'=b", MARK_COLUMN: MARK_OF_STARTS}
    assert restored(record) == {"output": "=a;'=b"}


def test_other_sheets_and_cells_that_a_sheet_lacks_are_left_alone() -> None:
    for record in ({"output": "'quoted"}, {"output": "'q", MARK_COLUMN: "else"}):
        assert restored(dict(record)) == record
    assert restored({"output": None, MARK_COLUMN: MARK}) == {"output": None}
