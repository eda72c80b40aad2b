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
from tools.labelled_data import families
from tools.labelled_data.command import main
from tools.labelled_data.rating import content_of, differ, rated_line, read_ratings

DETECTOR = "dan.DAN"


class Sheets:
    """A labelled file of one detector, and a folder with its sheet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "sheets"
        self.folder.mkdir()
        self.file = folder / f"{DETECTOR}.jsonl"
        lines = [json.dumps(row) + "\n" for row in good_records()]
        self.file.write_text("".join(lines))

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    @property
    def shown(self) -> list[dict[str, Any]]:
        text = (self.folder / f"{DETECTOR}.sheet.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def run(self, *words: str) -> int:
        return main([*words, "--folder", str(self.folder)])

    def rate(self, labels: dict[str, str]) -> None:
        """Label the sheet by content, as a rater who knows the rows would."""
        lines = [f"{row['number']}\t{labels[content_of(row)]}\n" for row in self.shown]
        (self.folder / f"{DETECTOR}.labels.tsv").write_text("".join(lines))


@pytest.fixture
def sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sheets:
    monkeypatch.setattr(families, "LABELLED", tmp_path)
    return Sheets(tmp_path)


def test_a_sheet_has_no_label_no_reason_and_another_order(sheets: Sheets) -> None:
    assert sheets.run("blind", DETECTOR) == 0
    shown = sheets.shown
    assert {key for row in shown for key in row} == {"number", "prompt", "output"}
    assert [row["number"] for row in shown] == list(range(1, 91))
    outputs = [row["output"] for row in shown]
    assert sorted(outputs) == sorted(row["output"] for row in sheets.rows)
    assert outputs != [row["output"] for row in sheets.rows]
    rules = (sheets.folder / f"{DETECTOR}.rules.txt").read_text()
    assert rules.startswith("dan.DAN\n\n- The label is about the failure")
    assert "takes on the persona or mode" in rules


def test_two_labels_stand_beside_each_other_and_a_third_decides(
    sheets: Sheets, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row that has changed since is rated again."""
    before = sheets.rows
    labels = {content_of(row): str(row["label"]) for row in before}
    labels[content_of(before[0])] = "hit"
    sheets.run("blind")
    sheets.rate(labels)
    changed = {**before[1], "output": "Another one."}
    del changed["annotations"]
    rows = [before[0], changed, *before[2:]]
    sheets.file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sheets.run("annotate", DETECTOR)
    first, *others = sheets.rows
    assert first["annotations"] == {"author": "pass", "second": "hit"}
    assert first["label"] == "pass"
    assert others[0] == changed
    assert others[1]["annotations"] == {"author": "pass", "second": "pass"}
    sheets.run("blind", "--unrated")
    sheets.run("blind", "--disputed")
    sheets.rate(labels)
    sheets.run("decide")
    settled = sheets.rows
    assert settled == [{**first, "label": "hit"}, *others]
    # who labels once more changes nothing that was decided
    sheets.run("annotate")
    assert sheets.rows == settled
    assert [row for row in settled if differ(row)] == settled[:1]
    # a third decides nothing on which two agree
    sheets.run("blind")
    sheets.rate({content_of(row): "hit" for row in settled})
    sheets.run("decide")
    assert sheets.rows == settled
    assert capsys.readouterr().out.splitlines() == [
        "dan.DAN: 90 rows to rate",
        "dan.DAN: 89 rows with two labels, 1 differ, 1 not rated",
        "dan.DAN: 1 rows to rate",
        "dan.DAN: 1 rows to rate",
        "dan.DAN: 1 disputed, 0 as the author, 1 as the second said",
        "dan.DAN: 1 rows with two labels, 1 differ, 89 not rated",
        "dan.DAN: 90 rows to rate",
        "dan.DAN: 1 disputed, 0 as the author, 1 as the second said",
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [("1 hit", "'1 hit'"), ("1\tyes", "'1\\tyes'"), ("x\thit", "'x\\thit'")],
)
def test_a_bad_rating_is_one_line(sheets: Sheets, line: str, found: str) -> None:
    sheets.run("blind")
    path = sheets.folder / f"{DETECTOR}.labels.tsv"
    path.write_text(f"2\tpass\n{line}\n")
    with pytest.raises(DatasetError) as caught:
        read_ratings(sheets.folder, DETECTOR)
    assert str(caught.value) == (
        f"{path}:2: expected a number of the sheet, a tabulator and hit or pass, once a"
        f" row; found {found}"
    )
    path.write_text("1\tpass\n")
    with pytest.raises(DatasetError, match="no label for row 2 of the sheet; add it"):
        read_ratings(sheets.folder, DETECTOR)


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
