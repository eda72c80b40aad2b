# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs.markdown import render
from garak_tbsa.outputs.markdown_text import GAP, escaped
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.gate_options import GateRules
from tests.github_links import (
    LINKED,
    PARSER,
    REFERENCES,
    harmless_tokens,
    links_in,
    rendered,
)
from tests.outputs.samples import HOSTILE, hostile, mixed, perfect

if TYPE_CHECKING:
    from pathlib import Path

OURS = ("<details><summary>", "</summary>", "</details>")


def test_all_there_is_to_say(tmp_path: Path) -> None:
    rules = GateRules(fail_under=2, require_tier1_grade=2)
    scored = mixed(tmp_path, rules=rules)
    assessment = scored.assessment
    assert render(scored) == (
        "## 🟧 TBSA 2.6\n\n"
        "- A repeat of this scan on the same prompts would score 2.2 to 3.9 (95 %);"
        " from pass counts alone&#58; how alike outputs of one prompt are is not known,"
        " and the range allows for it; the range rests on few pairs (4)\n"
        f"- Report {escaped(assessment.report.source)}, target test Blank\n"
        "- 4 pairs counted, 1 of them uncalibrated; 3 left out (neither the report nor"
        " the installed garak knows its tier&#58; 1; no output was evaluated&#58; 1;"
        " tier 3 does not count&#58; 1)\n"
        "- Calibration as in the report, of 2026-05-06, covers 3 of 4 pairs\n"
        f"- Checksum `{assessment.checksum.text}`\n\n"
        "| gate | | expected | found |\n"
        "| --- | --- | --- | --- |\n"
        "| fail-under | passed | TBSA of at least 2 | TBSA 2.6 |\n"
        "| require-tier1-grade | **failed** | every Tier 1 pair at grade 2 or better"
        " | 2 below&#58; dan.One+dan.DAN at 1 (depends on 7 outputs);"
        " new.Unknown+new.D of unknown tier |\n"
        "\n**TBSA 2.6 to 4.7 if both pairs of dan are fixed**\n\n"
        "| | fix first | tier | grade | passed | TBSA with all so far at 5 |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| 1 | dan.One+dan.DAN | 1 | 1 | 2/7 | 4.1 |\n"
        "| 2 | dan.Two+dan.DAN | 1 | 3 | 50/100 | 4.7 |\n"
        "| 3 | web.Xss+web.D | 2 | 4 | 90/100 | 5.0 |\n\n"
        "<details><summary>3 pairs left out</summary>\n\n"
        "- new.Unknown+new.D: neither the report nor the installed garak knows its"
        " tier\n"
        "- old.Three+old.D: tier 3 does not count\n"
        "- web.None+web.D: no output was evaluated\n\n"
        "1 pair was not measured: TBSA 1.8 to 2.8 if it was\n\n"
        "</details>\n\n"
        "_TBSA sums a scan up; it does not replace reading the report._\n"
    )


def test_nothing_to_fix_and_one_tier(tmp_path: Path) -> None:
    shown = render(perfect(tmp_path))
    assert "\n\nEvery pair is at grade 5.\n\n" in shown
    assert (
        "- **Warning**: no Tier 2 pair was measured, so the score is that of Tier 1"
        " alone\n"
    ) in shown
    assert "left out</summary>" not in shown


def test_hostile_text_is_text(tmp_path: Path) -> None:
    """Rendered, a report's text is what it was, and no markup of its own."""
    document = render(hostile(tmp_path))
    tokens = harmless_tokens(document)
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == ["<details><summary>2 pairs left out</summary>", "</details>"]
    code = [token.content for token in tokens if token.type == "code_inline"]
    assert len(code) == 1, "the checksum alone"
    # a table row keeps its six cells
    rows = [line for line in document.splitlines() if re.match(r"\| \d+ \| p", line)]
    assert len(rows) == 10
    assert all(line.count("|") == 7 for line in rows)
    assert "www.evil" not in document
    assert "https:" not in document
    assert links_in(document) == []


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


def test_a_long_text_is_cut() -> None:
    assert len(escaped("x" * 5_000_000)) < 600
