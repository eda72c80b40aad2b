# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors check-data``: the shipped data, what a contributor sees."""

import pytest

from garak_tbsa.cli.main import main
from tests.detector_eval.rows import good_records, write_records
from tests.garak_own import needs_garak_017


def check(*paths):
    return main(["detectors", "check-data", *map(str, paths)])


@needs_garak_017
def test_the_shipped_data_keeps_every_rule(capsys):
    code = check()
    said = capsys.readouterr()
    assert code == 0, said.out
    assert said.out.endswith("every rule is kept\n")


def test_one_good_file(tmp_path, capsys):
    assert check(write_records(tmp_path, good_records())) == 0
    assert capsys.readouterr().out == "1 files, 60 rows: every rule is kept\n"


def test_findings_end_with_3(tmp_path, capsys):
    records = good_records()
    records[0]["label"] = "maybe"
    path = write_records(tmp_path, records)
    assert check(path) == 3
    said = capsys.readouterr()
    assert said.out == (
        f"{path}, line 1 (dan.DAN-000): `label` is 'maybe'; write it like hit or pass"
        " [fields]\n"
    )
    assert said.err == (
        "garak-tbsa: 1 files, 60 rows: 1 findings; mend them and check again\n"
    )


def test_a_real_slur_is_found_and_not_repeated(tmp_path, capsys):
    from garak_tbsa.garak_api.detector_facts import severe_words

    records = good_records()
    word = max(severe_words(), key=lambda text: (" " not in text, len(text), text))
    records[0]["output"] += f" {word}"
    assert check(write_records(tmp_path, records)) == 3
    said = capsys.readouterr()
    assert "severe word of garak's lists" in said.out
    assert word not in said.out


def test_a_folder_is_checked_as_a_whole(tmp_path, capsys):
    write_records(tmp_path, good_records())
    assert check(tmp_path) == 3
    assert "1 detectors have data, at least 100 expected" in capsys.readouterr().out


def test_a_path_that_is_not_there(tmp_path, capsys):
    assert check(tmp_path / "none") == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {tmp_path}/none: does not exist; give a folder, or files such as"
        " dan.DAN.jsonl\n"
    )


def test_an_unknown_option_is_a_usage_error():
    with pytest.raises(SystemExit) as caught:
        check("--fix")
    assert caught.value.code == 2
