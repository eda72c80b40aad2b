# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is labelled whole is what its labels say, whose they are, and who disagrees."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import garak_tbsa
from tests.behaviour.judged import PAIRS, answer, careful, write_scan
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import document, tbsa
from tests.html_pages import Page, assert_harmless

DAN, ENC, WEB, OLD = PAIRS
WHOSE = "60 labels of anna in anna.jsonl"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_scan(tmp_path / "scan.report.jsonl")


def forms(report: Path, labels: Path) -> dict[str, str]:
    """Return text, Markdown and page, each on one line without escapes."""
    given = ("audit", report, "--labels", labels)
    found = {"text": tbsa(*given).out}
    for option in ("--markdown", "--html"):
        path = report.with_name(f"form{option}")
        assert tbsa(*given, option, path).code == 0
        found[option] = html.unescape(path.read_text("utf-8"))
    return {
        name: " ".join(text.replace("\u200b", "").split())
        for name, text in found.items()
    }


def test_hits_are_those_of_the_labels_in_every_form(
    report: Path, tmp_path: Path
) -> None:
    """Five of enc.B64, which flagged none; the ranges still allow for wrong labels."""
    labels = write_lines(tmp_path / "anna.jsonl", careful())
    found = document(tmp_path, "audit", report, "--labels", labels)
    hits = {each["probe"]: each["audited_hits"] for each in found["pairs"]}
    assert hits == {
        probe: {"value": count, "lower": count, "upper": count}
        for probe, count in (("dan.One", 1), ("enc.B64", 5), ("web.Xss", 2))
    }
    audited = found["audited"]
    assert audited["lower"] < audited["upper"]
    frame = garak_tbsa.audit(report, labels=labels).to_frame("pairs")
    assert list(frame["audited_hits"]) == [1, 5, 2]
    for name, text in forms(report, labels).items():
        assert WHOSE in text, name
        assert "your label" not in text, name
        assert "still allow for wrong labels" in text, name
        row = r"3 (\| )?4 \(4 to 5\) (\| )?8/20 (\| )?1 (\| )?20"
        assert (re.search(row, text) is None) == (name == "--html"), name


def test_only_the_part_that_is_labelled_whole_is_certain(
    report: Path, tmp_path: Path
) -> None:
    """All flagged outputs of dan.One, two of them hits; a few of the others."""
    rows = [answer(DAN, n, "hit" if n < 2 else "pass") for n in range(12)]
    labels = write_lines(tmp_path / "anna.jsonl", rows)
    found = document(tmp_path, "audit", report, "--labels", labels)
    (hits,) = (x["audited_hits"] for x in found["pairs"] if x["probe"] == "dan.One")
    assert hits["lower"] == 2
    assert 2 < hits["upper"] <= 10


def test_a_grade_is_changed_where_its_range_excludes_the_detectors(
    report: Path, tmp_path: Path
) -> None:
    labels = write_lines(tmp_path / "anna.jsonl", careful()[::4])
    found = document(tmp_path, "audit", report, "--labels", labels)
    for pair in found["pairs"]:
        range_ = pair["audited_grade"]
        is_in = range_["lower"] <= pair["grade"] <= range_["upper"]
        assert pair["changed"] == (not is_in)
    names = {x["probe"] for x in found["pairs"] if x["changed"]}
    text = forms(report, labels)["text"]
    assert ("with another grade by labels" in text) == bool(names)


def test_what_a_few_wrong_labels_would_change_is_shown(real: tuple[Path, Path]) -> None:
    """Of the demo, all of whose outputs are labelled: 2.2, and 2.7 if all are right."""
    sheet = real[0].with_name("before.all_labels.csv")
    found = document(real[0].parent, "audit", real[0], "--labels", sheet)
    differing = {
        f"{x['probe']}+{x['detector']}"
        for x in found["pairs"]
        if x["grade_if_labels_right"]["value"] != x["audited_grade"]["value"]
    }
    assert "grandma.Substances+mitigation.MitigationBypass" in differing
    shown = tbsa("audit", real[0], "--labels", sheet).out
    start = shown.index("If every label is right, these grades are others:")
    table = shown[start : shown.index("─", start)]
    assert {line.split()[-1] for line in table.splitlines()[2:]} == differing


def test_disagreements_are_listed_with_their_texts(tmp_path: Path) -> None:
    """Ten in text, all elsewhere; whatever the texts are, they do no harm."""
    evil = "\x1b[2J<script>alert(1)</script> ::error::no\n##vso[x]y"
    report = write_scan(
        tmp_path / "scan.report.jsonl",
        text=lambda facts, n: f"{facts.probe} {n} {evil}",
    )
    labels = write_lines(tmp_path / "anna.jsonl", careful())
    found = document(tmp_path, "audit", report, "--labels", labels)["disagreements"]
    assert len(found) == 12
    assert {(x["probe"], x["flagged"], x["label"]) for x in found} == {
        ("dan.One", True, "pass"),
        ("enc.B64", False, "hit"),
    }
    told = "Labels and detectors disagree on 12 of 60 labelled outputs"
    for name, text in forms(report, labels).items():
        assert told in text, name
        assert text.count("labelled hit") >= (5 if name == "--html" else 3), name
        for index in range(5 if name == "--html" else 3):
            assert f"enc.B64 {index} " in text, (name, index)
        assert ("… and 2 more" in text) == (name != "--html")
        assert "\x1b" not in text, name
    assert "<script>alert" not in (tmp_path / "form--html").read_text("utf-8")
    assert_harmless(Page((tmp_path / "form--html").read_text("utf-8")))
    result = garak_tbsa.audit(report, labels=labels)
    assert [each.label for each in result.disagreements] == [x["label"] for x in found]
    assert list(result.to_frame("disagreements")["output_index"]) == [
        x["output_index"] for x in found
    ]


def test_evidence_says_whose_labels_judge_a_detector(report: Path) -> None:
    labels = report.with_name("scan.labels.jsonl")
    write_lines(labels, [*careful(), answer(DAN, 0, "hit", rater="ben")])
    shown = " ".join(tbsa("explain", report, "--hits", 1).out.split())
    assert "20 labels of anna and ben in scan.labels.jsonl" in shown
    assert "your label" not in shown
