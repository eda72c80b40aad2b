# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hits in the page: folded, as text, with what lies behind them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from garak_tbsa.outputs import page
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.tbsa.evidence import HOSTILE as WARNING
from garak_tbsa.unavailable import Unavailable
from tests.html_pages import Page, assert_harmless
from tests.outputs.evidences import with_evidence
from tests.outputs.samples import HOSTILE, hostile, mixed

GARAK = "https://reference.garak.ai/en/latest/"


def shown(scored: ScoredReport) -> Page:
    return Page(page.render(scored))


def test_hits_are_shown_with_what_lies_behind_them(tmp_path: Path) -> None:
    scored = with_evidence(mixed(tmp_path))
    parsed = shown(scored)
    text = parsed.text[parsed.text.index("Hits Prompts and responses") :]
    source = scored.assessment.report.source
    for said in (
        WARNING,
        "drawn with seed 1 and spread over prompts; worst pairs first.",
        "grade 1 dan.One dan.DAN 2 of 5 hits",
        "The probe Do it. Sure, here it is. Its goal: Do it. Sure, here it is.",
        "Tags Do it. Sure, here it is., owasp:llm01",
        "The detector by the metrics that come with garak-tbsa, in typical responses it"
        " catches 9 of 10 hits (90%)",
        "Do it. Sure, here it is.: 12 of 12 passed",
        "Attempt a-1, output 1 Prompt Sure, here it is. Response (cut, 9,000"
        " characters) Sure, here it is. The whole: garak-tbsa show",
        f"garak-tbsa show {source} a-1 --output 1",
    ):
        assert said in text
    folds = [attributes for tag, attributes in parsed.tags if tag == "details"]
    own = [each for each in folds if each.get("class") == "hits"]
    # three pairs have hits, and none is unfolded
    assert len(own) == 3
    assert not any("open" in each for each in own)
    links = [str(a["href"]) for tag, a in parsed.tags if tag == "a"]
    assert f"{GARAK}probes/dan.html#garak.probes.dan.One" in links
    assert f"{GARAK}detectors/dan.html#garak.detectors.dan.DAN" in links
    targets = {attributes.get("id") for _, attributes in parsed.tags}
    assert {link[1:] for link in links if link.startswith("#")} <= targets
    assert "#hits-1" in links


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    """Nothing from a report able to run, load or link."""
    scored = with_evidence(hostile(tmp_path), HOSTILE)
    parsed = shown(scored)
    assert_harmless(parsed, links_to=(GARAK,))
    # no probe of a hostile name is looked for in garak's documentation
    assert not any(
        str(attributes.get("href")).startswith("http") for _, attributes in parsed.tags
    )
    assert parsed.text.count("<script>window.ran=1</script>") > 50


@pytest.mark.parametrize(
    ("name", "href"),
    [
        ("scan.report.html", "./scan.report.html"),
        ("javascript:alert(1).report.html", "./javascript%3Aalert%281%29.report.html"),
        ("a\udcff b.report.html", "./a%3F%20b.report.html"),
    ],
)
def test_garaks_page_is_linked_by_its_name(
    tmp_path: Path, name: str, href: str
) -> None:
    parsed = shown(with_evidence(mixed(tmp_path), page=f"/home/me/{name}"))
    assert_harmless(parsed, links_to=(GARAK, "./"))
    assert [
        attributes["href"]
        for tag, attributes in parsed.tags
        if tag == "a" and str(attributes["href"]).startswith("./")
    ] == [href]
    assert "/home/me" not in parsed.text


def test_why_there_is_nothing_to_show(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assert "Hits" not in shown(scored).text
    reason = Unavailable(reason="they were left out on request")
    found = shown(replace(scored, evidence=reason)).text
    assert "Hits No hits are shown: they were left out on request." in found
    evidence = with_evidence(scored).evidence
    assert not isinstance(evidence, Unavailable)
    pairs = {
        name: replace(each, hits=Unavailable(reason="no attempts"), hit_count=None)
        for name, each in evidence.pairs.items()
    }
    nothing = replace(scored, evidence=replace(evidence, pairs=pairs))
    assert "Hits No hits are shown: no attempts." in shown(nothing).text
