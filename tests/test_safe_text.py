# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from garak_tbsa.errors import ReportError
from garak_tbsa.safe_text import readable, shown


def test_a_text_at_the_limit_stays() -> None:
    assert shown("x" * 500) == "x" * 500
    assert shown("abc", 3) == "abc"


def test_a_longer_text_keeps_both_ends() -> None:
    assert shown("abcdefghijkl", 9) == "abcdef…[12 characters]…jkl"
    assert shown("a" + "x" * 5_000_000 + "z") == (
        f"a{'x' * 333}…[5,000,002 characters]…{'x' * 165}z"
    )


def test_a_message_that_quotes_a_report_is_cut() -> None:
    error = ReportError("r.jsonl", "x" * 200_000, "scan again", line=7)
    assert len(str(error)) < 1100
    assert str(error).startswith("r.jsonl, line 7: x")
    assert str(error).endswith("x; scan again")


def test_towers_of_marks_do_not_cover_other_lines() -> None:
    assert readable("z" + "\u0300" * 5) == "z" + "\u0300" * 3 + "\\u0300" * 2
    assert readable("café e\u0301") == "café e\u0301"
    assert readable("a\tb\r\nc\rd") == "a   b\nc\\rd"
