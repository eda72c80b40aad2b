# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as text, JSON, Markdown and a page; all that each has to say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from garak_tbsa.safe_text import printable
from tests.behaviour.judged import write_scan
from tests.behaviour.labelled import write_lines
from tests.behaviour.schemas import assert_keeps_schema
from tests.browser import Browser
from tests.github_links import harmless_tokens, links_in
from tests.html_pages import CONTRASTS, TOO_WIDE, Page, assert_harmless
from tests.labels.samples import (
    ONE,
    Audited,
    answers,
    audited,
    changed,
    hostile,
    mixed,
    settled,
)
from tests.outputs.samples import HOSTILE
from tests.report_rows import PairFacts

SCORE = r"\d\.\d by detectors; \d\.\d \(\d\.\d to \d\.\d\)"
LABELLED = (
    "31 of 90 outputs are labelled; skip or unsure: 1; of pairs that do not count or"
    " were not audited: 1; could not be used: 1"
)
RATERS = "3 raters on 3 common outputs: Krippendorff's alpha 0.50"
PICKED = (
    "2 labels are of outputs that a person picked rather than drew at random; the"
    " ranges assume a choice without sight of the verdicts"
)
NOT_AUDITED = "1 of 5 pairs cannot be audited, its grade stays the detector's"
NOTHING_CHANGED = "The range of each pair's grade by labels has the detector's grade."
NOTHING_NEXT = "Every output of the audited pairs is labelled."


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Audited]:
    """Each sample, audited once."""
    return {
        sample.__name__: sample(tmp_path_factory.mktemp(sample.__name__))
        for sample in (mixed, settled, hostile)
    }


def test_all_there_is_to_say(audits: dict[str, Audited]) -> None:
    """Text, Markdown and page say the same of score, labels, raters and pairs."""
    found = audits["mixed"]
    for shown in (found.text, found.markdown, Page(found.page.read_text()).text):
        assert re.search(rf"TBSA {SCORE} by 31 labels", shown)
        assert re.search(f"ass-rate grades alone: {SCORE} by labels; the calibr", shown)
        for said in (
            *(LABELLED, RATERS, PICKED, NOT_AUDITED),
            "web.Gone+web.D: the report has 0 of its 10 outputs",
            "No label yet: enc.D",
            "TBSA sums a scan up; it does not replace reading the report.",
        ):
            assert said in shown, said


def test_the_score_if_every_label_is_right(audits: dict[str, Audited]) -> None:
    """It is exact where all is labelled; each form says what the JSON has."""
    shown = audits["settled"].shown.lines
    assert "   if every label is right: 3.0 (3.0 to 3.0)" in shown
    found = audits["mixed"]
    right = found.document["audited"]["if_labels_right"]
    said = (
        "f every label is right:"
        f" {right['tbsa']:.1f} ({right['lower']:.1f} to {right['upper']:.1f})"
    )
    assert right["lower"] < right["tbsa"] < right["upper"]
    for text in (found.text, found.markdown, Page(found.page.read_text()).text):
        assert said in text


def test_what_the_text_lays_out(audits: dict[str, Audited]) -> None:
    """Lines of 80 characters, and nothing that tells who labels a verdict."""
    folder, shown = str(audits["mixed"].folder), audits["mixed"].shown.lines
    share = r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)"
    assert re.search(rf"precision {share}, NPV {share}", audits["mixed"].text)
    assert "dan.DAN: 6 of 8 flagged and 14 of 32 unflagged outputs labelled" in shown
    names = ("grade", "by labels", "flagged", "hits", "labels", "if right", "pair")
    assert any(re.fullmatch(" +".join(names), line) for line in shown)
    changed, _ = (line.split() for line in shown if line.endswith("dan.Two+dan.DAN"))
    assert " ".join(changed).startswith("5 3 (2 to 5) 0/20 ")
    start, end = (
        next(n for n, line in enumerate(shown) if said in line)
        for said in ("What to label next", "The range is")
    )
    # the answer comes first and the gate's line last, and these are not folded
    assert all(len(line) <= 80 for line in shown[1 : end + 2] if folder not in line)
    # no verdict is told by what is to be labelled next, each pair is there once
    assert "flagged" not in "".join(shown[start:])
    rows = [line.split() for line in shown[start + 2 : end]]
    assert len(rows) == len({row[-1] for row in rows}) > 1
    labels = [int(row[0]) for row in rows]
    assert labels == sorted(labels, reverse=True)
    assert len(set(labels)) > 1


def test_what_markdown_lays_out(audits: dict[str, Audited]) -> None:
    """Warnings, gate and tables."""
    shown = audits["mixed"].markdown
    for said in (
        f"\n- **Warning**: {PICKED}\n",
        "\n| fail-under | **failed** | a lower end of at least 4.5 |",
        "\n| detector | labels | sensitivity | specificity | precision | NPV |\n",
        "\n| dan.DAN | 6 + 14 | &#48;.",
        "\n\nNo label yet: enc.D\n",
        "\n| grade | by labels | flagged | hits | labels | if right | pair |\n",
        "\n| 5 | 3 (2 to 5) | 0/20 | ",
        "\n| label next: labels | unlabelled | pair |\n",
        "<summary>1 pair not audited</summary>\n\n- web.Gone+web.D: the report has 0",
    ):
        assert said in shown, said


def test_what_the_page_lays_out(audits: dict[str, Audited]) -> None:
    """Gate, labels without use, detectors, pairs, and links that lead somewhere."""
    parsed = Page(audits["mixed"].page.read_text())
    for said in (
        "TBSA of a garak scan, by labels test Blank ",
        "gate failed 1 of 1 rules failed",
        "fail-under : a lower end of at least 4.5 Found: ",
        "Labels that could not be used: 1",
        "uuid of web.Xss has no output 99 in the report",
        "Detector Labels Sensitivity Specificity Precision NPV dan.DAN 6 + 14 0.",
        "4 pairs, lowest grade by labels first",
    ):
        assert said in parsed.text, said
    assert re.search(r"\d+ of 12 dan\.Two\+dan\.DAN", parsed.text)
    drawings = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    (label,) = (str(d["aria-label"]) for d in drawings if d.get("role") == "img")
    scores = re.search(r"; (\S+) \((\S+) to (\S+)\) by 31", audits["mixed"].text)
    assert scores
    value, low, high = scores.groups()
    assert label == (
        f"TBSA {value} on a scale from 1.0 to 5.0 by labels, {low} to {high};"
        " 4.1 by detectors"
    )
    targets = {attributes.get("id") for _, attributes in parsed.tags}
    links = [str(a["href"])[1:] for tag, a in parsed.tags if tag == "a"]
    assert len(links) == 11
    assert set(links) <= targets


def test_nothing_changes_and_nothing_is_next(audits: dict[str, Audited]) -> None:
    """Sections without content say so, or are not there."""
    found = audits["settled"]
    shown = found.shown.lines
    assert shown[0] == "TBSA 3.0 by detectors; 3.0 (3.0 to 3.0) by 20 labels"
    assert {NOTHING_CHANGED, NOTHING_NEXT} <= set(shown)
    assert not [line for line in shown if "⚠️" in line or "raters" in line]
    assert f"\n\n{NOTHING_CHANGED}\n\n" in found.markdown.replace("&#39;", "'")
    assert f"\n\n{NOTHING_NEXT}\n\n" in found.markdown
    assert "| gate |" not in found.markdown
    assert "not audited" not in found.markdown
    page = Page(found.page.read_text()).text
    assert f"Pairs whose grade the labels change {NOTHING_CHANGED}" in page
    assert f"What to label next {NOTHING_NEXT}" in page
    assert "Gate" not in page
    assert "Not audited" not in page


def test_what_the_json_says_of_labels(audits: dict[str, Audited]) -> None:
    """Its schema holds for each; files, problems and agreement are in it."""
    for each in audits.values():
        assert_keeps_schema(each.document, "audit.schema.json")
    folder, document = audits["mixed"].folder, audits["mixed"].document
    value = re.search(r"(\d\.\d) \(", audits["mixed"].text)
    assert value is not None
    audited = document["audited"]
    assert audited["tbsa"] == float(value[1])
    assert (audited["level"], audited["labels"], audited["outputs"]) == (0.95, 31, 80)
    labels = document["labels"]
    assert {each["detector"] for each in labels.pop("disputed")} == {"dan.DAN"}
    files = [str(folder / f"{n}.jsonl") for n in ("anna.labels", "bob", "cy")]
    assert labels == {
        "files": files,
        "used": 31,
        "of_other_pairs": 1,
        "ties": 0,
        "skipped": 1,
        "blank": 0,
        "picked": 2,
        "warnings": [],
        "agreement": {"alpha": pytest.approx(0.5), "rows": 3, "raters": 3},
        "problems": [
            f"{files[2]}, line 3: attempt uuid of web.Xss has no output 99"
            " in the report; give the report that the labels were made from"
        ],
    }
    assert sum(each["labels"] for each in document["next"]) == 20
    (enc,) = (e for e in document["detectors"] if e["detector"] == "enc.D")
    assert enc["specificity"] == {
        "value": None,
        "lower": None,
        "upper": None,
        "missing_because": "too few labels: needs 5 more unflagged",
    }


def test_what_next_labels_bring(tmp_path: Path) -> None:
    """They narrow the range, hardly do so, or are one; by what is left to label."""
    pairs = [PairFacts(passed=8, total=9)]
    report = write_scan(tmp_path / "x.report.jsonl", pairs)
    said = [
        audited(
            report, write_lines(tmp_path / "a.jsonl", answers(pairs[0], labels))
        ).text
        for labels in (["hit", *["pass"] * 4], ["hit", *["pass"] * 7])
    ]
    assert re.search(r"wide; with these 4 labels about \d\.\d\.", said[0])
    assert re.search(
        r"wide; (with this label about \d\.\d|this label would hardly narrow it)\.",
        said[1],
    )


def test_of_very_many_a_part_is_shown(tmp_path: Path) -> None:
    """The JSON has the others."""
    gone = [PairFacts(probe=f"p.P{n:02}", detector="d.D") for n in range(13)]
    report = write_scan(tmp_path / "x.report.jsonl", [ONE, *gone])
    changed(report, lambda row: not row.get("probe_classname", "").startswith("p."))
    unusable = answers(ONE, ["hit"] * 203, start=90)
    labels = write_lines(tmp_path / "a.jsonl", [*answers(ONE, ["hit"]), *unusable])
    found = audited(report, labels)
    shown = found.shown.lines
    reason = "the report has 0 of its 10 outputs"
    assert f"   not audited: p.P09+d.D: {reason}" in shown
    assert f"   not audited: p.P10+d.D: {reason}" not in shown
    assert "   … and 3 more (in the JSON)" in shown
    assert "13 of 14 pairs cannot be audited, their grades stay" in found.text
    assert len(found.document["not_audited"]) == 13
    assert " 3 more are in the JSON." in Page(found.page.read_text()).text


def test_hostile_text_is_text(audits: dict[str, Audited]) -> None:
    """No page runs, loads or leads away; Markdown keeps its tables and has no link."""
    for each in audits.values():
        assert_harmless(Page(each.page.read_text("utf-8")))
    document = (audits["hostile"].folder / "audit.md").read_text("utf-8")
    assert audits["hostile"].shown.out.startswith("TBSA ")
    tokens = harmless_tokens(document)
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == ["<details><summary>1 pair not audited</summary>", "</details>"]
    assert links_in(document) == []
    for row in (line for line in document.splitlines() if line.startswith("| d")):
        assert row.count("|") == 7


@pytest.mark.parametrize("name", ["mixed", "hostile"])
def test_a_page_in_a_browser(
    name: str, chromium: Browser, audits: dict[str, Audited]
) -> None:
    """Nothing runs, loads or overflows; texts are as written, and stand out."""
    page = audits[name].page
    for width, dark in ((390, False), (1280, True)):
        chromium.open(page, width=width, dark=dark)
        chromium.driver.execute_script(
            "document.querySelectorAll('details').forEach(e => { e.open = true; })"
        )
        assert chromium.ask("window.ran === undefined")
        assert chromium.messages() == []
        assert chromium.requests() == [page.as_uri()]
        assert chromium.ask("document.styleSheets[0].cssRules.length") > 30
        assert chromium.ask(
            "document.documentElement.scrollWidth"
            " <= document.documentElement.clientWidth"
        )
        assert chromium.ask(TOO_WIDE) == []
        if name == "mixed":
            # WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1
            assert chromium.ask(CONTRASTS) == []
    shown = " ".join(str(chromium.ask("document.body.innerText")).split())
    for each in HOSTILE if name == "hostile" else ():
        assert " ".join(printable(each).split()) in shown
