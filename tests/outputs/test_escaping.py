# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Any text as Markdown, as a command of GitHub's, as folded lines and as JSON."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import garak_tbsa
from garak_tbsa.outputs import said
from garak_tbsa.outputs.columns import folded, table, wrapped
from garak_tbsa.outputs.github_commands import Annotation
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.markdown_text import GAP, escaped
from garak_tbsa.safe_text import printable
from tests.github_links import LINKED, PARSER, REFERENCES, links_in, rendered
from tests.outputs.samples import HOSTILE
from tests.outputs.test_github_commands import obeyed


@given(st.text() | st.sampled_from([*HOSTILE, "1. a", "- b", "+", "---", "===", "2)"]))
def test_escaped_text_renders_as_itself(text: str) -> None:
    """Return text in which no character is markup, on one line."""
    shown = " ".join(printable(text).split())[:500]
    tokens = PARSER.parse(
        f"- {escaped(text)}: x\n\n| a |\n| - |\n| b{escaped(text)} |\n"
    )
    assert [token.type for token in tokens[:3]] == [
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
    ]
    inlines = [token for token in tokens if token.type == "inline"]
    listed, _, cell = ["".join(c.content for c in t.children or ()) for t in inlines]
    listed, cell = (part.replace(GAP, "") for part in (listed, cell))
    assert (listed, cell) == (f"{shown}: x", f"b{shown}")
    assert {child.type for t in inlines for child in t.children or ()} == {"text"}


@given(st.sampled_from(REFERENCES), st.sampled_from(["", "(", " ", "/", "x "]))
def test_github_makes_no_link_of_it(text: str, before: str) -> None:
    """GitHub looks at rendered text, where an entity is the character again."""
    (shown,) = rendered(escaped(before + text))
    assert LINKED.search(text)
    assert links_in(escaped(before + text)) == []
    assert shown.replace(GAP, "") == (before + text).strip()
    assert len(escaped("x" * 5_000_000)) < 600


ATTACKS = [
    *HOSTILE,
    "a\n::set-output name=x::y",
    "a\r::add-mask::b",
    "::stop-commands::x",
    "%0A::error::x",
    "a,file=/etc/passwd::b",
    "##[command]rm",
    "x ##vso[task.setvariable]y",
]


@given(
    title=st.sampled_from(ATTACKS) | st.text(max_size=50),
    message=st.sampled_from(ATTACKS) | st.text(max_size=50),
)
def test_a_text_can_end_neither_title_nor_message(title: str, message: str) -> None:
    """Texts can end neither and begin no other command."""
    line = Annotation(kind="error", title=title, message=message).command
    kind, shown, _ = obeyed(line)
    assert kind == "error"
    assert "\n" not in shown


def test_characters_are_escaped_by_githubs_rules() -> None:
    """Percent, CR and LF everywhere; colon and comma in a property."""
    line = Annotation(kind="error", title="a: 5 %, b", message="c: 5 %, d").command
    assert line == "::error title=a%3A 5 %25%2C b::c: 5 %25, d"
    # text that looks escaped is that text
    odd = Annotation(kind="error", title="%3A", message="%0A").command
    assert obeyed(odd)[1:] == ("%3A", "%0A")


WORDS = st.text("ab ", max_size=200)
LETTERS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=100)


@given(
    line=WORDS,
    leading=st.integers(0, 6),
    first=st.text(" ", max_size=10),
    words=st.lists(LETTERS, min_size=1, max_size=8),
)
def test_lines_fold_within_80_columns_and_lose_nothing(
    line: str, leading: int, first: str, words: list[str]
) -> None:
    """Break lines at spaces, so that names stay whole; wrapping breaks these too."""
    line = " " * leading + line
    parts = folded([line])
    assert " ".join(parts).split() == line.split()
    for part in parts:
        assert len(part) < 80 or len(part.split()) == 1
    lines = wrapped(first, " ".join(words))
    assert all(len(line) <= 80 for line in lines)
    assert all(line.startswith(" " * len(first)) for line in lines)
    assert "".join("".join(lines).split()) == "".join(words)


def test_names_of_a_narrow_table_go_above() -> None:
    """Where there is no room for a name beside the numbers."""
    rows = [
        ("tier", "probe", "grade"),
        ("1", "web_injection.JinjaTemplatePythonInjection", "4"),
    ]
    assert table(rows, 30) == [
        "probe",
        "  tier  grade",
        "web_injection.JinjaTemplate",
        "PythonInjection",
        "     1      4",
    ]


def test_a_percentage_never_rounds_to_all_or_nothing() -> None:
    """Nor is there one of nothing."""
    shares = (None, 0.0, 0.0001, 0.5, 0.99996, 1.0)
    assert [said.percentage(share) for share in shares] == [
        *("-", "0.0%", "<0.1%", "50.0%", ">99.9%", "100.0%")
    ]


def test_a_number_that_json_has_no_word_for_is_refused() -> None:
    """Readers would fail at it."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"tbsa": float("nan")})


READY = re.compile(
    r"policy|style|script|page|[\w.]+(\[label\])? \| tbsa|moved|p_value|z\(pair\)|"
    r"each\.labels|\w+(_columns|_names\.values\(\)) \| join\(\" \| \"\)|\(?\".*|"
    # cells of a table, each escaped before
    r"pair_table\(\w+\)"
)
"""Numbers, texts of ours, and addresses of garak's documentation."""


def test_nothing_of_a_report_is_called_safe() -> None:
    """Sentences may name a module of probes, which a report names as it likes."""
    folder = Path(garak_tbsa.__file__).parent / "outputs" / "templates"
    texts = [each.read_text(encoding="utf-8") for each in folder.iterdir()]
    safe = [
        found[1]
        for text in texts
        for found in re.finditer(r"{{ ([^}]*?) \| safe\b", text)
    ]
    assert "p_value" in safe
    assert [each for each in safe if not READY.fullmatch(each)] == []
