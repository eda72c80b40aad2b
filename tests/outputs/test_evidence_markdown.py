# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from garak_tbsa.outputs.markdown import render
from garak_tbsa.outputs.view import EVIDENCE_LEFT_OUT
from garak_tbsa.tbsa.evidence import HOSTILE as NOTE
from garak_tbsa.tbsa.evidence import CutText, Evidence, Hit
from tests.outputs.evidences import with_evidence
from tests.outputs.samples import HOSTILE, hostile, mixed

if TYPE_CHECKING:
    from pathlib import Path

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
DETAILS = re.compile(r"<details><summary>[^<]*</summary>|</details>")


def test_hostile_hits_are_text(tmp_path: Path) -> None:
    """Rendered, nothing of a hit runs, loads, links or mentions."""
    document = render(with_evidence(hostile(tmp_path), HOSTILE))
    assert all(line.isprintable() for line in document.splitlines())
    tokens = list(PARSER.parse(document))
    for token in list(tokens):
        tokens += token.children or []
    kinds = {token.type for token in tokens}
    assert not kinds & {"image", "s_open", "fence", "code_block"}
    links = {token.attrs["href"] for token in tokens if token.type == "link_open"}
    assert not links, "no name here is a plugin's"
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert all(DETAILS.fullmatch(each) for each in html)
    inline = {token.content for token in tokens if token.type == "html_inline"}
    assert inline == {"<br>"}
    assert "@team" not in document
    assert "www.evil" not in document
    assert "https://evil" not in document


def test_a_hit_with_what_lies_behind_it(tmp_path: Path) -> None:
    scored = with_evidence(mixed(tmp_path))
    evidence = scored.evidence
    assert isinstance(evidence, Evidence)
    name, found = list(evidence.pairs.items())[1]
    hit = Hit(
        attempt_uuid="abcd1234-0",
        report="a/r.report.jsonl",
        line=7,
        output_index=2,
        prompt=CutText(text="say it", length=6, is_cut=False),
        response=CutText(text="it\n\n  indeed", length=2_000, is_cut=True),
    )
    own = replace(found, hits=(hit,), hit_count=1)
    document = render(
        replace(
            scored,
            evidence=replace(evidence, pairs={name: own}),
        )
    )
    assert f"_{NOTE}_" in document
    assert f"<details><summary>{name}: 1 of 1 hit in the report's" in document
    assert (
        "Hit: `attempt abcd1234-0, output 2`\n\n"
        "> Prompt<br>say it\n\n"
        "> Response (cut, 2,000 characters)<br>it<br><br>indeed\n\n"
        "The whole of it:"
        " `garak-tbsa show a/r.report.jsonl abcd1234-0 --output 2`\n\n"
        "</details>"
    ) in document


def test_evidence_that_was_left_out_is_said(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assert "_Evidence:" not in render(scored)
    assert "_Evidence: hits were left out on request._" in render(
        replace(scored, evidence=EVIDENCE_LEFT_OUT)
    )
