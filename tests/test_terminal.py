# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines no wider than a terminal, texts no longer than somebody reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import ReportError
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.terminal import broken, columns, fit

NAME = "web_injection.JinjaTemplatePythonInjection"
PAIR = f"{NAME} + web_injection.JinjaTemplateInjectionDetector"


@pytest.mark.parametrize(
    ("text", "room", "parts"),
    [
        ("a b c", 80, ["a b c"]),
        ("one two three", 8, ["one two", "three"]),
        (NAME, 30, ["web_injection.JinjaTemplate", "PythonInjection"]),
        ("dan.DanInTheWild+mitigation.X", 20, ["dan.DanInTheWild+", "mitigation.X"]),
        ("abcdefghijklmnop", 10, ["abcdefghij", "klmnop"]),
        ("漢字漢字漢字", 8, ["漢字漢字", "漢字"]),
        ("", 10, [""]),
    ],
)
def test_a_line_breaks_at_spaces_and_names_where_a_word_ends(
    text: str, room: int, parts: list[str]
) -> None:
    assert broken(text, room) == parts


def test_the_rest_of_a_line_is_further_right() -> None:
    assert fit(f"     {PAIR}", 40).splitlines() == [
        "     web_injection.JinjaTemplatePython",
        "       Injection +",
        "       web_injection.JinjaTemplate",
        "       InjectionDetector",
    ]


def test_a_command_stays_in_one_line_to_be_pasted() -> None:
    command = "  Whole: garak-tbsa show 'a report.jsonl' 39e72154-a08c --output 0"
    assert fit(command, 40) == command
    assert len(fit(f"garak-tbsa: {command}", 40).splitlines()) > 1


def test_symbols_that_take_two_columns_are_counted() -> None:
    assert columns("📜 a") == 4
    assert columns("⚠️ a") == 4
    assert columns("é") == 1


@given(
    text=st.text(st.sampled_from("aB.+_ é漢📜⚠️/-,0"), max_size=200),
    width=st.integers(20, 130),
)
def test_nothing_is_wider_than_the_terminal_and_nothing_is_lost(
    text: str, width: int
) -> None:
    """No line takes more columns than there are, and no character but spaces goes."""
    fitting = fit(text, width)
    assert all(columns(line) <= width for line in fitting.split("\n"))
    assert "".join(fitting.split()) == "".join(text.split())


def test_a_text_longer_than_the_limit_keeps_both_ends() -> None:
    assert shown("x" * 500) == "x" * 500
    assert shown("abc", 3) == "abc"
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
