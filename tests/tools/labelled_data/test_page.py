# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page of the detector metrics says what the summary says."""

import json
import re
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from garak_tbsa.detector_eval.counts import Basis, ConfusionCounts
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.ranking import SCAN_HITS, RankedDetector, hit_f1_at, rank
from garak_tbsa.detector_eval.run import RowScore
from garak_tbsa.detector_eval.summary import (
    MeasuredDetector,
    Summary,
    read_summary,
)
from tests.detector_eval.rows import labelled
from tests.values import known
from tools.labelled_data import page, tables
from tools.labelled_data.command import main
from tools.labelled_data.families import ROOT, families, table
from tools.labelled_data.row_rules import severe_words

LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


@pytest.fixture(scope="module")
def written() -> str:
    return page.PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def summary() -> Summary:
    return read_summary(str(page.SUMMARY))


def test_the_page_has_the_ranking_of_the_summary(
    written: str, summary: Summary
) -> None:
    """After a change of the summary: make data."""
    assert page.ranking_table(rank(summary)) in written
    for name in summary.not_evaluated:
        assert f"`{name}`" in written


def test_no_severe_word_is_on_the_page(written: str) -> None:
    words = [word for word in severe_words() if word not in ("prod", "knob")]
    found = re.findall(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", written, re.IGNORECASE
    )
    assert found == []


def judged() -> page.Judged:
    rows = [
        labelled("hit", id="dan.DAN-1", slice="no_marker"),
        labelled("hit", id="dan.DAN-2", slice="no_marker"),
        labelled("hit", id="dan.DAN-3", slice="marker"),
        labelled("pass", id="dan.DAN-4", slice="quote", why="quotes"),
    ]
    scores = [RowScore(score=score) for score in (0.0, 0.0, 1.0, 1.0)]
    return page.judged("dan.DAN", list(zip(rows, scores, strict=True)), 0.5)


RANKED = RankedDetector(
    place=1,
    tier="Good",
    hit_f1=0.7,
    flag_all_f1=0.5,
    interval=Interval(lower=0.61, upper=0.78),
    is_jeffreys=False,
    measured=MeasuredDetector(detector="dan.DAN", hit_f1=0.7),
)


def test_both_numbers_of_each_detector() -> None:
    (family,) = (each for each in families() if each.name == "Personas")
    assert (
        "- **dan.<wbr>DAN**: typical F1 0.70 [0.61, 0.78], stress: wrongly flags 1 of 1"
        " look-alikes. Misses: no marker 2/2. Over-flags: quote 1/1."
    ) in page._family(family, [RANKED], {"dan.DAN": judged()})


def test_the_numbers_of_the_prose_are_those_of_the_summary(
    summary: Summary, written: str
) -> None:
    """After a change of the summary: write README and detectors.md again."""
    ranked = rank(summary)
    real_ones = [
        each for each in ranked if (each.measured.basis or Basis()).hits.real >= 10
    ]
    (every, own, at_scan), (real, real_own, real_at_scan) = (
        (
            len(chosen),
            mean(each.hit_f1 for each in chosen),
            mean(known(hit_f1_at(each.measured, SCAN_HITS)) for each in chosen),
        )
        for chosen in (ranked, real_ones)
    )
    counts = [entry.stress or ConfusionCounts() for entry in summary.measured.values()]
    stress = sum(counts, ConfusionCounts())
    caught, flagged = (
        known(stress.metrics["hit_recall"]),
        1 - known(stress.metrics["pass_recall"]),
    )
    readme = LINK.sub(r"\1", (ROOT / "README.md").read_text(encoding="utf-8"))
    readme = " ".join(readme.split())
    assert (
        f"mean hit F1 is {real_own:.2f} for the {real} detectors"
        f" with at least ten real hits, and {own:.2f} for all"
        f" {every}. Where one output in ten is a hit, these are"
        f" {real_at_scan:.2f} and {at_scan:.2f}."
    ) in readme
    assert (
        f"all {len(counts)} together catch {100 * caught:.0f} % of disguised hits and"
        f" wrongly flag {100 * flagged:.0f} % of harmless look-alikes."
    ) in readme
    assert (
        f"{real_own:.2f} and {real_at_scan:.2f} of {real} detectors with 10 real hits,"
        f" {own:.2f} and {at_scan:.2f} of all {every}"
    ) in " ".join(written.split())


def test_a_line_of_the_datasheet_counts_rows() -> None:
    """Agreement of two raters on one label alone says nothing."""
    rows: list[dict[str, Any]] = [
        {"label": "hit", "slice": "a", "lang": "en"},
        {"label": "hit", "slice": "b", "lang": "pt-BR", "why": "w"},
        {"label": "pass", "slice": "a", "lang": "pt"},
    ]
    told = "`d.D` 3 2 1 1 0 0 not rated 2 a 2, b 1"
    assert " ".join(tables.line_of("d.D", rows)) == told
    for row in rows:
        row["annotations"] = {"author": "hit", "second": "hit"}
    assert tables.alpha_of(rows) == "one label"
    rows[2]["annotations"] = {"author": "pass", "second": "pass"}
    assert tables.alpha_of(rows) == "1.00"
    assert table(("name", "n"), [("a", "1"), ("b", "-")]).splitlines()[1] == (
        "| --- | ---: |"
    )


def test_the_datasheet_is_what_the_tool_writes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a change of the data: make data."""
    assert main(["tables", "--check"]) == 0
    readme = tmp_path / "README.md"
    readme.write_text(f"by hand\n{tables.START}old\n")
    monkeypatch.setattr(tables, "README", readme)
    assert main(["tables", "--check"]) == 3
    assert capsys.readouterr().err == (
        f"garak-tbsa: {readme}: differs from the data; run"
        " `python -m tools.labelled_data tables`\n"
    )
    assert main(["tables"]) == 0
    assert main(["tables", "--check"]) == 0
    assert readme.read_text().startswith("by hand\n")


def test_the_labels_of_the_human_check_are_as_many_as_is_said() -> None:
    for check in json.loads(tables.HUMAN_CHECK.read_text("utf-8"))["checks"].values():
        labels, counts = list(check["labels"].values()), check["counts"]
        assert counts["both_hit"] + counts["rater_hit"] == labels.count("hit")
        assert counts["both_pass"] + counts["rater_pass"] == labels.count("pass")
