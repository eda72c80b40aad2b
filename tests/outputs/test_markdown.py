# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown of scores and comparisons, as GitHub renders it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from garak_tbsa.gates.options import GateRules
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.markdown import render, render_comparison
from garak_tbsa.outputs.markdown_text import GAP, escaped
from garak_tbsa.outputs.view import EVIDENCE_LEFT_OUT
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.evidence import HOSTILE as NOTE
from garak_tbsa.tbsa.evidence import CutText, Evidence
from tests.github_links import (
    LINKED,
    PARSER,
    REFERENCES,
    harmless_tokens,
    links_in,
    rendered,
)
from tests.outputs import compared
from tests.outputs.samples import HOSTILE, hostile, mixed, perfect, with_evidence

DETAILS = re.compile(r"<details><summary>[^<]*</summary>|</details>")


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


def assert_harmless(document: str, inline: set[str]) -> None:
    """Nothing of a report runs, loads, links or mentions."""
    assert all(line.isprintable() for line in document.splitlines())
    tokens = list(PARSER.parse(document))
    tokens += [child for token in tokens for child in token.children or ()]
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


def test_hostile_hits_and_comparisons_are_text(tmp_path: Path) -> None:
    """Cannot mention or refer on GitHub, which looks at the rendered text."""
    document = render(with_evidence(hostile(tmp_path), HOSTILE))
    assert_harmless(document, {"<br>"})
    assert "@team" not in document
    assert_harmless(render_comparison(compared.hostile(tmp_path)), set())


def test_a_hit_with_what_lies_behind_it(tmp_path: Path) -> None:
    scored = with_evidence(mixed(tmp_path))
    evidence = scored.evidence
    assert isinstance(evidence, Evidence)
    name, found = list(evidence.pairs.items())[1]
    assert isinstance(found.hits, tuple)
    hit = replace(
        found.hits[0],
        report="a/r.report.jsonl",
        prompt=CutText(text="say it", length=6, is_cut=False),
        response=CutText(text="it\n\n  indeed", length=2_000, is_cut=True),
    )
    own = {name: replace(found, hits=(hit,), hit_count=1)}
    document = render(replace(scored, evidence=replace(evidence, pairs=own)))
    assert f"_{NOTE}_" in document
    assert f"<details><summary>{name}: 1 of 1 hit in the report's" in document
    assert (
        "Hit: `attempt a-1, output 0`\n\n"
        "> Prompt<br>say it\n\n"
        "> Response (cut, 2,000 characters)<br>it<br><br>indeed\n\n"
        "The whole of it: `garak-tbsa show a/r.report.jsonl a-1 --output 0`\n\n"
        "</details>"
    ) in document


def test_evidence_that_was_left_out_is_said(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assert "_Evidence:" not in render(scored)
    left_out = render(replace(scored, evidence=EVIDENCE_LEFT_OUT))
    assert "_Evidence: hits were left out on request._" in left_out


def test_all_there_is_to_say_of_a_comparison(tmp_path: Path) -> None:
    shown = render_comparison(compared.worse(tmp_path))
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
    shown = render_comparison(compared.unchanged(tmp_path))
    assert shown.startswith("## no evidence of a difference (p = ")
    assert "because of" not in shown
    assert "\nNo pair changed its grade.\n" in shown


def test_common_pairs_are_marked_and_say_what_differs(tmp_path: Path) -> None:
    shown = render_comparison(compared.common(tmp_path))
    assert "\n**both scans were scored again over the 2 pairs that both" in shown
    assert "\n| configuration&#58;&#8203;run.generations | 5 before, 10" in shown
    assert "\n|  | TBSA | whole report | repeat | report |\n" in shown


@pytest.mark.parametrize("kind", compared.KINDS, ids=lambda kind: kind.__name__)
def test_every_table_keeps_its_cells(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    source = render_comparison(kind(tmp_path))
    tokens = PARSER.parse(source)
    tables = sum(token.type == "table_open" for token in tokens)
    assert tables == sum(line.startswith("| ---") for line in source.splitlines())
    cells = 0
    for token in tokens:
        if token.type == "tr_close":
            assert cells in (2, 3, 4, 5, 6)
            cells = 0
        cells += token.type in ("td_open", "th_open")
