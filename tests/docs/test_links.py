# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Links inside our pages lead to a heading that is there, and tables are tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "data/detectors-eval/*.md", "tests/*/*.md")
    for path in ROOT.glob(pattern)
    if "_build" not in path.parts
)
"""``docs/measured`` too: its tables are parts of pages."""


def links(page: Path) -> list[str]:
    """The addresses of links and pictures, as Markdown sees them."""
    found = []
    for block in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        for token in block.children or ():
            address = token.attrGet("href") or token.attrGet("src")
            if address and not re.match(r"[a-z]+:", str(address)):
                found.append(str(address))
    return found


def anchors(page: Path) -> set[str]:
    """What Sphinx and GitHub make of a page's headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_rows_of_a_table_stand_below_its_heading(page: Path) -> None:
    """Without a heading they are a paragraph."""
    parser = MarkdownIt().enable("table")
    for block in parser.parse(page.read_text(encoding="utf-8")):
        assert block.type != "inline" or not block.content.startswith("|")


def test_a_toctree_holds_each_page() -> None:
    """Every page can be reached from the index."""
    reached = {DOCS / "index.md"}
    queue = list(reached)
    while queue:
        page = queue.pop()
        text = page.read_text(encoding="utf-8")
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.M | re.S):
            for name in re.findall(r"^(\w[\w/*]*)$", tree, re.MULTILINE):
                for found in page.parent.glob(f"{name}.md"):
                    if found not in reached:
                        reached.add(found)
                        queue.append(found)
    measured = DOCS / "measured"
    all_pages = {p for p in DOCS.rglob("*.md") if measured not in p.parents}
    assert {p for p in all_pages if "_build" not in p.parts} == reached
