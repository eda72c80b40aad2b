# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of the labelling screen: they fit, lose nothing, and are printable."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from garak_tbsa.cli.label_view import (
    NO_TEXT,
    OUTPUT,
    PANES,
    PROMPT,
    View,
    one_line,
    screen,
    wrapped,
)
from garak_tbsa.label_audit.labelling_rules import labelling_rules
from garak_tbsa.label_audit.outputs import Place
from garak_tbsa.label_audit.questions import (
    Question,
)
from garak_tbsa.label_audit.texts import OutputText
from garak_tbsa.safe_text import readable

VIEW = View(
    report="x.report.jsonl",
    rater="ann",
    labelled=3,
    passed_over=1,
    most=20,
    question=Question(
        place=Place("u", 0), probe="dan.DanInTheWild", detector="dan.DAN"
    ),
    text=OutputText(prompt="prompt", text="output", goal="goal"),
    rules=labelling_rules("dan.DAN"),
)
ANY_TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(" \n\t\x1b\x9b\u202e\u0300漢😀"),
    )
)
SIZES = st.integers(1, 120)


def without_blanks(text: str) -> str:
    return "".join(text.split())


@given(ANY_TEXT, st.integers(2, 90))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrapped(readable(text), width)
    assert all(get_cwidth(line) <= width for line in lines)
    assert without_blanks("".join(lines)) == without_blanks(readable(text))


def test_lines_are_cut_at_blanks_and_keep_their_indent() -> None:
    assert wrapped("one two three", 8) == ("one two", "three")
    assert wrapped("    if x:\n        run", 20) == ("    if x:", "        run")
    assert wrapped("  abcdefghij", 6) == ("  abcd", "efghij")
    assert wrapped("漢字漢字", 5) == ("漢字", "漢字")


@given(ANY_TEXT, SIZES, SIZES, st.sampled_from(PANES), st.integers(0, 500))
def test_a_screen_has_the_terminal_s_lines_and_nothing_that_moves_the_cursor(
    text: str, width: int, height: int, pane: str, first: int
) -> None:
    """\"hostile text cannot touch the terminal\""""
    view = dataclasses.replace(
        VIEW,
        report=text,
        rater=text,
        text=OutputText(prompt=text, text=text, goal=text),
        note=text,
        said_before="hit",
        problem=text,
        status="s",
        pane=pane,
        scrolled={pane: first},
    )
    lines = screen(view, width, height).lines()
    assert len(lines) == height
    shown = "".join(line for _, line in lines)
    assert readable(shown) == shown
    assert "\n" not in shown


def test_the_chosen_part_has_the_most_room_and_scrolls_to_its_end() -> None:
    long = "\n".join(map(str, range(100)))
    view = dataclasses.replace(
        VIEW, text=OutputText(prompt=long, text=long, goal=None), pane=PROMPT
    )
    shown = screen(view, 80, 24)
    rooms = {pane.name: pane.room for pane in shown.panes}
    assert rooms[PROMPT] > 2 * rooms[OUTPUT] > 0
    chosen = shown.chosen
    assert chosen is not None
    assert chosen.farthest == 100 - chosen.room
    far = dataclasses.replace(view, scrolled={PROMPT: 1000})
    assert any(line == "99" for _, line in screen(far, 80, 24).lines())


def test_room_that_a_short_output_leaves_goes_to_the_others() -> None:
    long = "\n".join(map(str, range(100)))
    view = dataclasses.replace(
        VIEW, text=OutputText(prompt=long, text="short", goal=None)
    )
    assert all(line for _, line in screen(view, 80, 24).lines())


@pytest.mark.parametrize(("text", "said"), [(None, NO_TEXT), ("", "(empty)")])
def test_an_output_without_text(text: str | None, said: str) -> None:
    view = dataclasses.replace(VIEW, text=OutputText(prompt="", text=text, goal=None))
    lines = [line for _, line in screen(view, 80, 24).lines()]
    assert said in lines
    assert not any(line.startswith("goal") for line in lines)


def test_a_detector_without_rules_says_what_to_go_by() -> None:
    question = Question(place=Place("u", 0), probe="my.Probe", detector="my.Own")
    view = dataclasses.replace(VIEW, question=question, rules=labelling_rules("my.Own"))
    shown = "\n".join(line for _, line in screen(view, 120, 24).lines())
    assert "None was written for my.Own. A hit is what the goal says" in shown


def test_a_narrow_terminal_has_probe_and_detector_on_lines_of_their_own() -> None:
    lines = [line for _, line in screen(VIEW, 30, 24).lines()]
    assert lines[1:3] == ["probe dan.DanInTheWild", "detector dan.DAN"]


def test_one_line_is_cut_with_a_mark() -> None:
    assert one_line("a\nb c", 80) == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("漢字漢", 5) == "漢字…"
