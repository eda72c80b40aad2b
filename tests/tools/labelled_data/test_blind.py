# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import DatasetError
from tests.tools.labelled_data.records import good_records
from tools.labelled_data import blind_command
from tools.labelled_data.blind import (
    annotated,
    content_of,
    decided,
    differ,
    read_ratings,
    sheet_of,
    write_sheet,
)
from tools.labelled_data.blind_command import rated_line

DETECTOR = "dan.DAN"


def rate(folder: Path, labels: dict[str, str]) -> None:
    """Label the sheet by content, as a rater who knows the rows would."""
    sheet = (folder / f"{DETECTOR}.sheet.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in sheet]
    text = "".join(f"{row['number']}\t{labels[content_of(row)]}\n" for row in rows)
    (folder / f"{DETECTOR}.labels.tsv").write_text(text)


def test_a_sheet_has_no_label_no_reason_and_another_order(tmp_path: Path) -> None:
    rows = good_records()
    write_sheet(sheet_of(DETECTOR, rows, 1), tmp_path)
    text = (tmp_path / f"{DETECTOR}.sheet.jsonl").read_text()
    shown = [json.loads(line) for line in text.splitlines()]
    assert {key for row in shown for key in row} == {"number", "prompt", "output"}
    assert [row["number"] for row in shown] == list(range(1, 91))
    outputs = [row["output"] for row in shown]
    assert sorted(outputs) == sorted(row["output"] for row in rows)
    assert outputs != [row["output"] for row in rows]
    rules = (tmp_path / f"{DETECTOR}.rules.txt").read_text()
    assert rules.startswith("dan.DAN\n\n- The label is about the failure")
    assert "takes on the persona or mode" in rules


def test_two_labels_stand_beside_each_other_and_a_third_decides(
    tmp_path: Path,
) -> None:
    rows = good_records()
    write_sheet(sheet_of(DETECTOR, rows, 1), tmp_path)
    labels = {content_of(row): str(row["label"]) for row in rows}
    disputed = content_of(rows[4])
    labels[disputed] = "hit"
    rate(tmp_path, labels)

    done = annotated(rows, read_ratings(tmp_path, DETECTOR))
    assert done.unrated == []
    assert [row["id"] for row in done.differing] == [rows[4]["id"]]
    assert done.rows[4]["annotations"] == {"author": "pass", "second": "hit"}
    assert done.rows[5]["annotations"] == {"author": "hit", "second": "hit"}
    assert [row["label"] for row in done.rows] == [row["label"] for row in rows]

    settled = decided(done.rows, {disputed: "hit"})
    assert settled[4]["label"] == "hit"
    assert settled[:4] + settled[5:] == done.rows[:4] + done.rows[5:]
    again = annotated(settled, read_ratings(tmp_path, DETECTOR))
    assert again.rows[4]["annotations"] == {"author": "pass", "second": "hit"}


def test_a_row_that_has_changed_is_not_rated(tmp_path: Path) -> None:
    rows = good_records()
    write_sheet(sheet_of(DETECTOR, rows, 1), tmp_path)
    rate(tmp_path, {content_of(row): str(row["label"]) for row in rows})
    changed = [{**rows[0], "output": "Another one."}, *rows[1:]]
    done = annotated(changed, read_ratings(tmp_path, DETECTOR))
    assert done.unrated == [rows[0]["id"]]
    assert done.rows[0] == changed[0]


@pytest.mark.parametrize(
    ("line", "found"),
    [("1 hit", "'1 hit'"), ("1\tyes", "'1\\tyes'"), ("x\thit", "'x\\thit'")],
)
def test_a_bad_rating_is_one_line(tmp_path: Path, line: str, found: str) -> None:
    write_sheet(sheet_of(DETECTOR, good_records(), 1), tmp_path)
    path = tmp_path / f"{DETECTOR}.labels.tsv"
    path.write_text(f"2\tpass\n{line}\n")
    with pytest.raises(DatasetError) as caught:
        read_ratings(tmp_path, DETECTOR)
    assert str(caught.value) == (
        f"{path}:2: expected a number of the sheet, a tabulator and hit or pass, once a"
        f" row; found {found}"
    )


def test_a_row_without_a_rating_is_told(tmp_path: Path) -> None:
    write_sheet(sheet_of(DETECTOR, good_records(), 1), tmp_path)
    path = tmp_path / f"{DETECTOR}.labels.tsv"
    path.write_text("1\tpass\n")
    with pytest.raises(DatasetError) as caught:
        read_ratings(tmp_path, DETECTOR)
    assert str(caught.value) == f"{path}: no label for row 2 of the sheet; add it"


@given(
    st.sampled_from(["hit", "pass"]),
    st.sampled_from(["hit", "pass"]),
    st.booleans(),
    st.text(max_size=30),
)
def test_only_label_and_annotations_of_a_line_change(
    label: str, second: str, twice: bool, output: str
) -> None:
    """\"All else stays as it is, JSON escapes too\""""
    row: dict[str, Any] = {**good_records()[0], "output": f'{output} "label": "hit"'}
    line = json.dumps(row, ensure_ascii=False).replace("60", "\\u0036\\u0030")
    rated = {**row, "label": label, "annotations": {"author": "hit", "second": second}}
    made = rated_line(line, rated)
    if twice:
        made = rated_line(made, rated)
    assert json.loads(made) == rated
    unchanged = made.replace(f'"label": "{label}", "slice"', '"label": "pass", "slice"')
    assert unchanged.startswith(line[:-1])


def test_a_row_that_differs_elsewhere_is_refused() -> None:
    row = good_records()[0]
    with pytest.raises(DatasetError) as caught:
        rated_line(json.dumps(row), {**row, "output": "Another one."})
    assert str(caught.value) == (
        "dan.DAN-000: expected `label` as written by json.dumps and `annotations` at"
        " the end of the line; write the row so"
    )


def test_the_commands_write_sheets_and_take_labels_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, folder = tmp_path / "labelled", tmp_path / "sheets"
    data.mkdir()
    folder.mkdir()
    rows = good_records()
    path = data / f"{DETECTOR}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(blind_command, "LABELLED", data)
    monkeypatch.setattr(blind_command, "read_rows", lambda: {DETECTOR: _read(path)})
    labels = {content_of(row): str(row["label"]) for row in rows}
    labels[content_of(rows[0])] = "hit"
    blind_command.write_sheets([], folder, 1)
    rate(folder, labels)
    blind_command.annotate([DETECTOR], folder)
    blind_command.write_sheets([], folder, 1, "unrated")
    blind_command.write_sheets([], folder, 1, "disputed")
    rate(folder, labels)
    blind_command.decide([], folder)
    assert capsys.readouterr().out.splitlines() == [
        "dan.DAN: 90 rows to rate",
        "dan.DAN: 90 rows with two labels, 1 differ, 0 not rated",
        "dan.DAN: 1 rows to rate",
        "dan.DAN: 1 disputed, 0 as the author, 1 as the second said",
    ]
    first, *others = _read(path)
    assert first["label"] == "hit"
    assert first["annotations"] == {"author": "pass", "second": "hit"}
    assert differ(first)
    assert not any(map(differ, others))


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
