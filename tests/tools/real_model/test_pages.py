# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out rows are read, and pages say what differs, why, and what follows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy
import pytest

from garak_tbsa.detector_eval.counts import ConfusionCounts
from garak_tbsa.detector_eval.published import presets
from garak_tbsa.detector_eval.summary import read_summary, too_few
from garak_tbsa.errors import DatasetError
from tools.labelled_data.families import ROOT
from tools.real_model import pages
from tools.real_model.shares import DetectorCheck, read_held_out

DETECTOR = "goodside.RileyIsnt"
SIZES = '{"detector": "x", "distinct": {"flagged": 1, "unflagged": 1}}\n'
COMMITTED = ROOT / "docs" / "how_to" / "garak_metrics_file.md"


def checks(folder: Path, *, miss: bool) -> list[DetectorCheck]:
    """Checks of held-out rows that a detector gets right, or misses."""
    rows = [{"verdict": "flagged", "label": "hit"}] * 11
    rows += [{"verdict": "unflagged", "label": "hit" if miss else "pass"}] * 12
    first = {"detector": DETECTOR, "distinct": {"flagged": 11, "unflagged": 28}}
    (folder / f"{DETECTOR}.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in (first, *rows))
    )
    summary = folder / "summary.json"
    counts = {"tp": 40, "fp": 1, "fn": 1, "tn": 40}
    summary.write_text(json.dumps({"results": {DETECTOR: {"counts": counts}}}))
    return pages.read_checks(folder, summary)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{}\n"),
        SIZES + '{"id": "x-1", "verdict": 1, "label": "hit"}',
        SIZES + '{"id": "x-1", "verdict": "flagged"}',
        SIZES + '{"id": "x-1", "verdict": "flagged", "label": "Hit"}',
    ],
)
def test_another_file_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(DatasetError) as caught:
        read_held_out(path)
    assert str(caught.value).startswith(f"{path}: expected sizes and labelled rows")


def test_the_page_names_what_differs_and_why(tmp_path: Path) -> None:
    found = checks(tmp_path, miss=True)
    text = pages.scanned_page(found, {DETECTOR: "its rows are made so."})
    assert f"| {DETECTOR} | 23, 23 | 0.28 | 0.98 [0.89, 1.00] | 0.28 [" in text
    assert "| 0.98 [0.89, 1.00] | - | sensitivity |" in text
    assert text.endswith(f"- **{DETECTOR}**: its rows are made so.\n")
    assert "leaves out 0: 1 of 1 do" in text
    unexplained = pages.scanned_page(found, {})
    assert unexplained.endswith(f"- **{DETECTOR}**: not found out yet\n")
    same = pages.scanned_page(checks(tmp_path, miss=False), {})
    assert same.endswith("differ\n\nNone.\n")


def test_a_reason_without_rows_is_refused(tmp_path: Path) -> None:
    reasons = tmp_path / "reasons.json"
    reasons.write_text('{"dan.DAN": "?"}')
    with pytest.raises(DatasetError, match=r"dan\.DAN has no held-out rows"):
        pages.read_reasons(reasons, tmp_path)


def test_long_prompts_are_a_population_of_their_own(tmp_path: Path) -> None:
    scans = checks(tmp_path, miss=False)
    long_prompts = checks(tmp_path, miss=True)
    assert pages.populations_page({pages.SCANS: scans}, {}) == ""
    compared = {pages.SCANS: scans, pages.LONG_PROMPTS: long_prompts}
    text = pages.populations_page(compared, {})
    assert text.startswith(f"### {DETECTOR}\n")
    for population, shares in (
        (pages.OURS, "- | 0.98 ["),
        (pages.SCANS, "11, 12 | 1.00 ["),
        (pages.LONG_PROMPTS, "23, 0 | 0.28 ["),
    ):
        assert f"| {population} | our rules, two raters | {shares}" in text
    assert "- sensitivity: 0.28 to 1.00 in 3 populations" in text


def test_published_counts_are_of_sets_that_presets_read() -> None:
    (sets,) = pages.published_sets().values()
    assert {each.preset for each in sets} <= set(presets())
    assert all(each.source.startswith("https://") for each in sets)


def tells_hits(counts: ConfusionCounts | None) -> bool:
    """Whether sensitivity + specificity - 1, by which garak divides, is above 0.2.

    By the lower end of its 95 % interval, from Beta(k + 1/2, n - k + 1/2) of both.
    """
    assert counts is not None
    generator = numpy.random.default_rng(1)
    found = generator.beta(counts.tp + 0.5, counts.fn + 0.5, 100_000)
    flagged = generator.beta(counts.fp + 0.5, counts.tn + 0.5, 100_000)
    is_enough = too_few(counts.hits, counts.passes) is None
    return is_enough and bool(numpy.quantile(found - flagged, 0.025) > 0.2)


def test_what_could_be_committed_to_garak_is_what_the_rules_let_through() -> None:
    alike = {check.detector for check in pages.read_checks() if not check.differing}
    expected = [
        name
        for name, measured in read_summary(str(pages.SUMMARY)).measured.items()
        if measured.basis is not None
        and measured.basis.hits.real >= 10
        and tells_hits(measured.counts)
        and name in alike
    ]
    text = COMMITTED.read_text(encoding="utf-8")
    said = re.search(r"an interval above 0\.2: (.*?)\. But", text, re.DOTALL)
    assert said is not None
    assert re.findall(r"`([^`]*)`", said[1]) == expected
    assert len(expected) == 5
