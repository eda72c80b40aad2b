# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tests.tools.real_model.factories import response
from tests.tools.real_model.test_draw import many, sentence
from tools.real_model import scanned_page
from tools.real_model.held_out import (
    FLAGGED,
    UNFLAGGED,
    HeldOut,
    draw_held_out,
    read_held_out,
    write_held_out,
)

DETECTOR = "goodside.RileyIsnt"
PROBE = "goodside.WhoIsRiley"


def drawn(count: int = 10) -> HeldOut:
    return draw_held_out(DETECTOR, many(PROBE, 40, flagged=12), [sentence(0)], count, 2)


def test_half_of_each_verdict_is_drawn_and_no_labelled_row() -> None:
    made = drawn()
    assert made.distinct == {FLAGGED: 11, UNFLAGGED: 28}
    verdicts = [row["verdict"] for row in made.rows]
    assert (verdicts.count(FLAGGED), verdicts.count(UNFLAGGED)) == (5, 5)
    assert sentence(0) not in [row["output"] for row in made.rows]
    assert verdicts != sorted(verdicts)
    assert "label" not in made.rows[0]
    assert made == drawn()


def test_all_are_drawn_where_there_are_fewer() -> None:
    made = drawn(100)
    assert len(made.rows) == 39


def test_babble_is_not_drawn() -> None:
    responses = [response("and so on and on " * 20), *many(PROBE, 3)]
    assert draw_held_out(DETECTOR, responses, [], 10, 2).distinct[UNFLAGGED] == 3


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_held_out(drawn(), tmp_path)
    assert read_held_out(tmp_path / f"{DETECTOR}.jsonl") == drawn()


@pytest.mark.parametrize("text", ["", "{", "{}\n", '{"detector": "x"}\n{"verdict": 1}'])
def test_another_file_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(DatasetError) as caught:
        read_held_out(path)
    assert str(caught.value).startswith(f"{path}: expected held-out rows, found none (")


def labelled(folder: Path, *, miss: bool) -> tuple[Path, Path]:
    """Write held-out rows that a detector gets right, or misses, and a summary."""
    write_held_out(drawn(24), folder)
    path = folder / f"{DETECTOR}.jsonl"
    first, *rows = map(json.loads, path.read_text().splitlines())
    for row in rows:
        row["label"] = "hit" if row["verdict"] == FLAGGED or miss else "pass"
    path.write_text("".join(json.dumps(row) + "\n" for row in (first, *rows)))
    summary = folder / "summary.json"
    counts = {"tp": 40, "fp": 1, "fn": 1, "tn": 40}
    summary.write_text(json.dumps({"results": {DETECTOR: {"counts": counts}}}))
    return folder, summary


SOURCES = {"model": "a model", "garak": "garak 1"}


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


def test_a_reason_without_rows_is_told(tmp_path: Path) -> None:
    folder, _ = labelled(tmp_path, miss=False)
    scanned_page.require_rows({DETECTOR: "its rows are made so."}, folder)
    with pytest.raises(DatasetError) as caught:
        scanned_page.require_rows({"dan.DAN": "?"}, folder)
    assert str(caught.value) == (
        f"{scanned_page.REASONS}: dan.DAN has no held-out rows; take it out"
    )


def test_a_row_without_label_is_told(tmp_path: Path) -> None:
    folder, summary = labelled(tmp_path, miss=False)
    write_held_out(drawn(24), folder)
    with pytest.raises(DatasetError) as caught:
        scanned_page.checks(folder, summary)
    assert str(caught.value) == (
        f"{folder}/{DETECTOR}.jsonl: {DETECTOR}-h001 has no label; expected hit or pass"
    )
