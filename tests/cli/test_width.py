# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""In a terminal no command prints a line that is wider."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.behaviour.product import GOLD
from tests.pseudo_terminal import PseudoTerminal

REPORT = str(GOLD / "garak-0.17.1.report.jsonl")
NAME = "web_injection.TaskXSS"
CASES = {
    "score": ("score", "-v", REPORT),
    "score of several": ("score", REPORT, str(GOLD / "garak-0.14.1.report.jsonl")),
    "explain": ("explain", "--all", "--hits", "1", REPORT),
    "compare": (
        "compare",
        str(GOLD / "garak-0.14.1.report.jsonl"),
        REPORT,
        "--force",
    ),
    "history": ("history", str(GOLD), "--no-interval"),
    "status": ("status",),
    "rank": ("detectors", "rank"),
    "presets": ("detectors", "evaluate", "--preset", "list"),
    "help": ("help",),
    "options": ("score", "--help"),
}


def lines_in_a_terminal(width: int, *arguments: str) -> list[str]:
    with PseudoTerminal(*arguments, columns=width, rows=50) as terminal:
        terminal.end()
        # a bar of progress is written over itself
        text = terminal.raw.decode("utf-8").replace("\r\n", "\n")
        return re.split("[\r\n]", text)


def columns(line: str) -> int:
    """How wide a terminal shows a line."""
    return len(line) + sum(unicodedata.east_asian_width(char) in "WF" for char in line)


@pytest.mark.parametrize("name", CASES)
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    """A name that has to be broken stands whole above its numbers.

    But for commands, which are there to be pasted.
    """
    for width in (60, 80, 120) if name == "score" else (60,):
        lines = lines_in_a_terminal(width, *CASES[name])
        assert len(lines) > 3, lines
        wide = [line for line in lines if columns(line) > width]
        assert [line for line in wide if " garak-tbsa " not in line] == []
        if (name, width) == ("score", 60):
            shown = "\n".join(lines)
            assert NAME in shown
            assert "web_injection.MarkdownExfilContent" in shown
