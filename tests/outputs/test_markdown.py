# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown of scores and comparisons, as GitHub renders it."""

from __future__ import annotations

import re
from pathlib import Path

from markdown_it import MarkdownIt

from tests.behaviour.product import tbsa
from tests.github_links import PARSER, links_in
from tests.outputs.samples import mixed_rows, write
from tests.outputs.written import Written

DETAILS = re.compile(r"<details><summary>[^<]*</summary>|</details>")


def assert_harmless(document: str, inline: set[str], tables: set[int]) -> None:
    """Nothing of a report runs, loads, links or mentions, and tables keep their cells.

    Parameters
    ----------
    document : str
    inline : set of str
        The tags in it that are ours.
    tables : set of int
        How many cells rows have.
    """
    assert all(line.isprintable() for line in document.splitlines())
    parsed = list(PARSER.parse(document))
    tokens = [*parsed, *(child for each in parsed for child in each.children or ())]
    kinds = {token.type for token in tokens}
    assert not kinds & {"link_open", "image", "s_open", "fence", "code_block"}
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert all(DETAILS.fullmatch(each) for each in html)
    assert {token.content for token in tokens if token.type == "html_inline"} == inline
    said = [token.content for token in tokens if token.type == "text"]
    assert any("<script>window.ran=1</script>" in text for text in said)
    page = MarkdownIt("gfm-like", {"linkify": False}).render(document)
    assert "<a" not in page
    assert "<img" not in page
    assert links_in(document) == []
    cells: list[int] = []
    for token in parsed:
        if token.type == "tr_open":
            cells.append(0)
        elif token.type in ("td_open", "th_open"):
            cells[-1] += 1
    assert {*cells} == tables


def test_hostile_scores_and_comparisons_are_text(
    scores: dict[str, Written], comparisons: dict[str, Written]
) -> None:
    """Cannot mention or refer on GitHub, which looks at the rendered text."""
    document = scores["hostile"].forms["--markdown"]
    assert_harmless(document, {"<br>"}, {4, 7})
    assert "@team" not in document
    code = [c.content for t in PARSER.parse(document) for c in t.children or ()
            if c.type == "code_inline"]  # fmt: skip
    assert all(each.startswith(("attempt a-", "garak-tbsa show ")) for each in code[1:])
    document = comparisons["hostile"].forms["--markdown"]
    assert_harmless(document, set(), {2, 3, 5, 6})


def test_evidence_that_was_left_out_is_said(tmp_path: Path) -> None:
    """Readers know that there may be hits which they do not see."""
    output, report = tmp_path / "o.md", write(tmp_path, "mixed", mixed_rows())
    assert tbsa("score", report, "--markdown", output, "--no-evidence").code == 0
    shown = output.read_text(encoding="utf-8")
    assert "_Evidence: hits were left out on request._" in shown
