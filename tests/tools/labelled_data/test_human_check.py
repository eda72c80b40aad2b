# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The second rater's labels against those of people."""

import csv
import json
from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tools.labelled_data import human_check
from tools.labelled_data.blind import content_of

ROWS = [("p", "no", "1"), ("p", "sure", "0"), ("q", "well", "1"), ("q", "ha", "0")]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "published.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["objective", "assistant_response", "human_score"])
        writer.writerows(ROWS)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sheet = [
        json.dumps({"number": number, "prompt": prompt, "output": output})
        for number, (prompt, output, _) in enumerate(ROWS, 1)
    ]
    (tmp_path / "human.sheet.jsonl").write_text("\n".join(sheet) + "\n", "utf-8")
    said = "1\tpass\n2\thit\n3\thit\n4\thit\n"
    (tmp_path / "human.labels.tsv").write_text(said, "utf-8")
    return tmp_path


@pytest.fixture
def kept(published: Path, folder: Path) -> Path:
    path = folder / "kept.json"
    for definition in (human_check.OURS, human_check.THEIRS):
        human_check.take_labels(str(published), folder, definition, path)
    return path


def test_labels_are_counted_kept_and_counted_again(published: Path, kept: Path) -> None:
    made = human_check.count_again(str(published), kept)
    assert made[human_check.OURS] == made[human_check.THEIRS]
    ours = made[human_check.OURS]
    counts = (ours.both_hit, ours.both_pass, ours.rater_hit, ours.rater_pass)
    assert counts == (2, 1, 1, 0)
    assert "the people's label to 3, an alpha of" in human_check.sentence(made)
    assert "sure" not in kept.read_text("utf-8")


def test_kept_counts_that_are_not_those_of_the_file_are_one_line(
    published: Path, kept: Path
) -> None:
    text = published.read_text("utf-8").replace("well,1", "well,0")
    published.write_text(text, "utf-8")
    with pytest.raises(DatasetError, match="its counts are not those of"):
        human_check.count_again(str(published), kept)


def test_our_own_columns_are_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "p", "output": "o", "label": "hit"}\n', "utf-8")
    content = content_of({"prompt": "p", "output": "o"})
    assert human_check.published_labels(str(path)) == {content: "hit"}


def test_other_columns_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "p"}\n', "utf-8")
    with pytest.raises(DatasetError) as caught:
        human_check.published_labels(str(path))
    assert str(caught.value) == (
        f"{path}, row 1: expected the columns objective, assistant_response,"
        " human_score or prompt, output, label; give the file of pyrit-refusal"
    )


def test_rows_that_the_rater_did_not_see_are_one_line() -> None:
    with pytest.raises(DatasetError, match="no rows of both labels"):
        human_check.counted({"a": "hit"}, {"b": "hit"})
