# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``--save-datasets``: whole files only, whoever else writes there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval.run import RowScore
from garak_tbsa.detector_eval.saved_rows import SavedRows
from garak_tbsa.errors import DatasetError
from tests.detector_eval.rows import labelled


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "saved")


def saved(folder: str, *ids: str, **fields: Any) -> None:
    rows = [labelled(id=each, **fields) for each in ids]
    scored = [(row, RowScore(score=1.0)) for row in rows]
    SavedRows(folder=folder, threshold=0.5).write("dan.DAN", scored)


def ids_in(folder: str) -> list[str]:
    with open(os.path.join(folder, "dan.DAN.jsonl")) as handle:
        return [json.loads(line)["id"] for line in handle]


def test_a_row_is_saved_as_it_was_written(folder: str) -> None:
    written = labelled(id="a", output="{{unsafe_content.LDNOOBW}} \ud800")
    saved(folder, "a", output="darn", as_written=written)
    text = Path(folder, "dan.DAN.jsonl").read_text(encoding="utf-8")
    assert json.loads(text)["output"] == written.output


def test_what_json_has_no_form_for_is_one_line_and_leaves_the_rows_of_before(
    folder: str,
) -> None:
    saved(folder, "a")
    with pytest.raises(DatasetError) as caught:
        saved(folder, "b", notes={"x": float("nan")})
    assert str(caught.value) == (
        "f, line 1: holds NaN or an infinite number, which JSON has no form for; write"
        " a number or null"
    )
    assert (os.listdir(folder), ids_in(folder)) == (["dan.DAN.jsonl"], ["a"])
