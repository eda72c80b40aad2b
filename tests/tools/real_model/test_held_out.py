# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out rows are read, and the page says what differs and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tools.real_model import populations_page, scanned_page
from tools.real_model.held_out import FLAGGED, UNFLAGGED, read_held_out

DETECTOR = "goodside.RileyIsnt"
SOURCES = {"model": "a model", "garak": "garak 1"}


def labelled(folder: Path, *, miss: bool) -> tuple[Path, Path]:
    """Write held-out rows that a detector gets right, or misses, and a summary."""
    rows = [{"verdict": FLAGGED, "label": "hit"}] * 11
    rows += [{"verdict": UNFLAGGED, "label": "hit" if miss else "pass"}] * 12
    first = {"detector": DETECTOR, "distinct": {FLAGGED: 11, UNFLAGGED: 28}}
    (folder / f"{DETECTOR}.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in (first, *rows))
    )
    summary = folder / "summary.json"
    counts = {"tp": 40, "fp": 1, "fn": 1, "tn": 40}
    summary.write_text(json.dumps({"results": {DETECTOR: {"counts": counts}}}))
    return folder, summary


SIZES = '{"detector": "x", "distinct": {"flagged": 1, "unflagged": 1}}\n'


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
    checks = scanned_page.checks(*labelled(tmp_path, miss=True))
    text = scanned_page.page_text(checks, {DETECTOR: "its rows are made so."}, SOURCES)
    assert f"| {DETECTOR} | 23, 23 | 0.28 | 0.98 [0.89, 1.00] | 0.28 [" in text
    assert "| 0.98 [0.89, 1.00] | - | sensitivity |" in text
    assert text.endswith(f"- **{DETECTOR}**: its rows are made so.\n")
    assert "leaves out 0: 1 of 1 do" in text
    unexplained = scanned_page.page_text(checks, {}, SOURCES)
    assert unexplained.endswith(f"- **{DETECTOR}**: not found out yet\n")


def test_the_page_says_where_none_differs(tmp_path: Path) -> None:
    checks = scanned_page.checks(*labelled(tmp_path, miss=False))
    assert scanned_page.page_text(checks, {}, SOURCES).endswith("differ\n\nNone.\n")


def test_a_reason_without_rows_is_refused(tmp_path: Path) -> None:
    folder, _ = labelled(tmp_path, miss=False)
    scanned_page.require_rows({DETECTOR: "its rows are made so."}, folder)
    with pytest.raises(DatasetError, match=r"dan\.DAN has no held-out rows"):
        scanned_page.require_rows({"dan.DAN": "?"}, folder)


def test_long_prompts_are_a_population_of_their_own(tmp_path: Path) -> None:
    right, missing = tmp_path / "right", tmp_path / "missing"
    for folder in (right, missing):
        folder.mkdir()
    scans = scanned_page.checks(*labelled(right, miss=False))
    long_prompts = scanned_page.checks(*labelled(missing, miss=True))
    compared = {populations_page.SCANS: scans}
    assert populations_page.page_text(compared, {}) == ""
    compared[populations_page.LONG_PROMPTS] = long_prompts
    text = populations_page.page_text(compared, {})
    assert text.startswith(f"### {DETECTOR}\n")
    for population, shares in (
        (populations_page.OURS, "- | 0.98 ["),
        (populations_page.SCANS, "11, 12 | 1.00 ["),
        (populations_page.LONG_PROMPTS, "23, 0 | 0.28 ["),
    ):
        assert f"| {population} | our rules, two raters | {shares}" in text
    assert "- sensitivity: 0.28 to 1.00 in 3 populations" in text
