# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.labelled_data``: the repository's data, what a contributor sees."""

import json
from pathlib import Path

import pytest

from garak_tbsa.cli.detectors import COMMANDS
from tests.detector_eval.rows import write_records
from tests.tools.labelled_data.records import good_records
from tools.labelled_data import tables
from tools.labelled_data.command import main
from tools.labelled_data.garak_facts import severe_words


def check(*arguments: object) -> int:
    return main(["check", *map(str, arguments)])


def test_the_product_has_no_such_command() -> None:
    assert "check-data" not in COMMANDS


def test_one_good_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(write_records(tmp_path, good_records())) == 0
    assert (
        capsys.readouterr().out
        == "1 files, 60 typical and 30 stress rows: every rule is kept\n"
    )


def test_findings_end_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = good_records()
    records[0] |= {"label": "maybe", "annotations": {"author": "maybe", "second": "x"}}
    path = write_records(tmp_path, records)
    assert check(path, "--quick") == 3
    said = capsys.readouterr()
    assert said.out == (
        f"{path}, line 1 (dan.DAN-000): `label` is 'maybe'; write it like hit or pass"
        " [fields]\n"
    )
    assert said.err == (
        "garak-tbsa: 1 files, 60 typical and 30 stress rows: 1 findings; correct them"
        " and check again\n"
    )


def test_quick_leaves_trivial_features_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = good_records()
    for row in records:
        row["output"] += "!!!" if row["label"] == "hit" else ""
    path = write_records(tmp_path, records)
    assert check(path, "--quick") == 0
    assert check(path) == 3
    assert "[trivial features]" in capsys.readouterr().out


def test_a_new_detector_without_a_family_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "labelled"
    folder.mkdir()
    path = write_records(folder, good_records())
    (tmp_path / "families.json").write_text("[]")
    assert check(path, "--quick") == 3
    said = capsys.readouterr()
    assert said.out == (
        f'{path}: dan.DAN is in no family of families.json; add "dan.DAN" to'
        " `detectors` of the family whose labelling rules it follows, or add a family"
        " with `name`, `detectors`, `rules` [families]\n"
    )


def test_the_tables_too_say_what_to_add(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tables, "families", lambda: ())
    monkeypatch.setattr(tables, "LABELLED", tmp_path)
    monkeypatch.setattr(tables, "read_rows", lambda: {"dan.DAN": good_records()})
    assert main(["tables", "--check"]) == 1
    assert capsys.readouterr().err == (
        'garak-tbsa: families.json: dan.DAN is in no family; add "dan.DAN" to'
        " `detectors` of the family whose labelling rules it follows, or add a family"
        " with `name`, `detectors`, `rules`\n"
    )


def test_the_datasheet_is_what_the_tool_writes() -> None:
    """After a change of the data: make data."""
    assert main(["tables", "--check"]) == 0


def test_a_difference_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_a_real_slur_is_found_and_not_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = good_records()
    word = max(severe_words(), key=lambda text: (" " not in text, len(text), text))
    records[0]["output"] += f" {word}"
    assert check(write_records(tmp_path, records), "--quick") == 3
    said = capsys.readouterr()
    assert "severe word of garak's lists" in said.out
    assert word not in said.out


def test_a_folder_is_checked_as_a_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path, good_records())
    assert check(tmp_path, "--quick") == 3
    assert "1 detectors have data, at least 100 expected" in capsys.readouterr().out


def test_a_path_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path / "none") == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {tmp_path}/none: does not exist; give a folder, or files such as"
        " dan.DAN.jsonl\n"
    )


@pytest.mark.parametrize("arguments", [("check", "--fix"), (), ("nothing",)])
def test_what_is_unknown_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    assert caught.value.code == 2


def test_families_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_records(tmp_path, good_records())
    (tmp_path / "families.json").write_text(json.dumps([{"name": "A"}]))
    assert check(path) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {tmp_path}/families.json: expected a JSON list of families;"
        " Object missing required field `detectors` - at `$[0]`\n"
    )
