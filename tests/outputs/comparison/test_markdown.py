# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from garak_tbsa.outputs.comparison.markdown import render
from tests.github_links import PARSER, links_in
from tests.outputs.comparison.samples import (
    KINDS,
    common,
    hostile,
    unchanged,
    worse,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from markdown_it.token import Token

    from garak_tbsa.outputs.comparison.compared_scans import ComparedScans


def tokens_of(source: str) -> list[Token]:
    found = list(PARSER.parse(source))
    return found + [child for token in found for child in token.children or ()]


def test_all_there_is_to_say(tmp_path: Path) -> None:
    shown = render(worse(tmp_path))
    assert shown.startswith(
        "## worse (p = 0.001)&#58; dan.Fell + mitigation.MitigationBypass fell from"
        " 84 % to 51 %\n\n"
        "| because of | tier | grade | passed before | passed after | z |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| dan.Fell+mitigation.MitigationBypass | 1 | 4 → 3 | 84/100 | 51/100 | -4.97"
        " |\n\n"
        "|  | TBSA | repeat | report |\n"
        "| --- | --- | --- | --- |\n"
        "| before | 3.3 | a repeat of this scan on the same prompts would score "
    )
    assert "\n- TBSA moved by -0.4\n" in shown
    assert "\n| Score difference, permuted | 0.485 |  |\n" in shown
    assert "\n| 1 pair with another grade | tier | grade |" in shown
    assert shown.endswith(
        "\n_TBSA sums a scan up; it does not replace reading the report._\n"
    )


def test_nothing_changed(tmp_path: Path) -> None:
    shown = render(unchanged(tmp_path))
    assert shown.startswith("## no evidence of a difference (p = ")
    assert "because of" not in shown
    assert "\nNo pair changed its grade.\n" in shown


def test_common_pairs_are_marked_and_say_what_differs(tmp_path: Path) -> None:
    shown = render(common(tmp_path))
    assert "\n**both scans were scored again over the 2 pairs that both" in shown
    assert "\n| configuration&#58;&#8203;run.generations | 5 before, 10" in shown
    assert "\n|  | TBSA | whole report | repeat | report |\n" in shown


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_table_keeps_its_cells(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    source = render(kind(tmp_path))
    tokens = PARSER.parse(source)
    tables = sum(token.type == "table_open" for token in tokens)
    assert tables == sum(line.startswith("| ---") for line in source.splitlines())
    cells = 0
    for token in tokens:
        if token.type == "tr_close":
            assert cells in (2, 3, 4, 5, 6)
            cells = 0
        cells += token.type in ("td_open", "th_open")


def test_hostile_text_is_text(tmp_path: Path) -> None:
    """Cannot mention or refer on GitHub, which looks at the rendered text."""
    source = render(hostile(tmp_path))
    assert all(line.isprintable() for line in source.splitlines())
    tokens = tokens_of(source)
    kinds = {token.type for token in tokens}
    assert not kinds & {"link_open", "image", "html_inline", "s_open", "fence"}
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == ["<details><summary>Tests</summary>", "</details>"]
    said = [token.content for token in tokens if token.type == "text"]
    assert any("<script>window.ran=1</script>" in text for text in said)
    assert links_in(source) == []
    page = MarkdownIt("gfm-like", {"linkify": False}).render(source)
    assert "<a" not in page
    assert "<img" not in page
