# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Thinning brings the verdicts of each label back to the scans' proportion."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tools.real_model.command import main
from tools.real_model.thin import SAID, thinned, weights_of

FLAGGED = {f"r{n}": n < 20 for n in range(40)}
WEIGHTS = {True: 2.0, False: 8.0}


def rows() -> list[dict[str, Any]]:
    """20 flagged rows, 16 of them hits; 20 unflagged ones, 4 of them hits."""
    hits = {*range(16), *range(20, 24)}
    return [
        {"id": f"r{n}", "label": "hit" if n in hits else "pass", "source": "a model"}
        for n in range(40)
    ]


def test_a_label_keeps_its_sensitivity_in_the_scans() -> None:
    """\"The verdict with the largest keeps all its rows, the other one
    weight / largest of them, rounded, within each label.\""""
    kept = thinned(rows(), FLAGGED, WEIGHTS, seed=1)
    counts = Counter((row["label"], FLAGGED[row["id"]]) for row in kept)
    # in the scans 32 flagged and 32 unflagged hits, 8 flagged and 128 unflagged passes
    assert counts == {
        ("hit", True): 4,
        ("hit", False): 4,
        ("pass", True): 1,
        ("pass", False): 16,
    }
    assert {row["source"] for row in kept} == {f"a model{SAID}"}


def test_a_seed_decides_which_rows_stay() -> None:
    first, again, other = (
        [row["id"] for row in thinned(rows(), FLAGGED, WEIGHTS, seed)]
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_weights_are_those_of_the_cells() -> None:
    cells = [
        {"flagged": True, "distinct": 6, "drawn": 3},
        {"flagged": True, "distinct": 4, "drawn": 2},
        {"flagged": False, "distinct": 40, "drawn": 5},
        {"flagged": False, "distinct": 3, "drawn": 0},
    ]
    assert weights_of(cells) == {True: 2.0, False: 8.6}
    assert weights_of(cells[:2]) == {True: 2.0}


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    path = tmp_path / "x.cells.json"
    sizes = [
        {"flagged": True, "distinct": 40, "drawn": 20},
        {"flagged": False, "distinct": 160, "drawn": 20},
    ]
    named = {name: {"flagged": verdict} for name, verdict in FLAGGED.items()}
    path.write_text(json.dumps({"cells": sizes, "rows": named}))
    return path


def test_the_command_writes_what_stays(cells: Path, tmp_path: Path) -> None:
    labelled, output = tmp_path / "labelled.jsonl", tmp_path / "thin.jsonl"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    assert main(["thin", str(labelled), str(cells), "--output", str(output)]) == 0
    written = [json.loads(line) for line in output.read_text().splitlines()]
    assert written == thinned(rows(), FLAGGED, WEIGHTS, seed=1)


@pytest.mark.parametrize(
    "changed", [{"label": None}, {"label": "maybe"}, {"id": "other"}, {"id": None}]
)
def test_rows_without_label_or_draw_are_named(
    changed: dict[str, Any],
    cells: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    labelled, output = tmp_path / "labelled.jsonl", tmp_path / "thin.jsonl"
    first, second, *_ = rows()
    lines = (first, {**second, **changed})
    labelled.write_text("".join(json.dumps(row) + "\n" for row in lines))
    assert main(["thin", str(labelled), str(cells), "--output", str(output)]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {labelled}:2: expected a row of x.cells.json with the label hit"
        " or pass; label it, or give the cells file of its draw\n"
    )
    assert not output.exists()


def test_other_files_are_no_cells(
    cells: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells.write_text('{"rows": {}}')
    assert main(["thin", str(cells), str(cells), "--output", str(cells) + "2"]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {cells}: expected the cells of a draw, found none (KeyError);"
        " give its DETECTOR.cells.json\n"
    )
