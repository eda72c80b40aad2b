# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What `--data` names -> files -> numbered raw records."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from garak_tbsa.detector_eval.sources import read_records
from garak_tbsa.errors import DatasetError


def read(path: Path) -> list[tuple[int, dict[str, Any]]]:
    return list(read_records(str(path)))


def error_of(path: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_a_csv_header_may_hold_a_line_break_and_a_cell_be_huge(tmp_path: Path) -> None:
    path, huge = tmp_path / "rows.csv", "x" * 1_000_000
    path.write_text(f'"their\nnotes",output,label\n,{huge},hit\n')
    assert read(path) == [(2, {"their\nnotes": "", "output": huge, "label": "hit"})]


def test_parquet_that_is_none_or_has_a_date_that_python_does_not_have(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.parquet"
    days = pyarrow.array([2**31 - 1], pyarrow.int32()).cast(pyarrow.date32())
    pyarrow.parquet.write_table(pyarrow.table({"output": ["x"], "day": days}), path)
    start, _, end = error_of(path).partition(" (")
    assert start == "rows.parquet, after row 0: not readable as Parquet"
    assert end.endswith("); write it again, dates and times as text")
    path.write_bytes(b"PAR0")
    start, _, end = error_of(path).partition(" (")
    assert start == "rows.parquet, after row 0: not readable as Parquet"
    assert "); write it again" in end


@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_is_utf_8_or_what_its_mark_says(tmp_path: Path, mark: str) -> None:
    """A cell may hold what stands between cells elsewhere."""
    path = tmp_path / "rows.csv"
    path.write_text("output;a,label\n naïve;\t,hit\n", encoding=mark)
    assert read(path) == [(2, {"output;a": " naïve;\t", "label": "hit"})]


def test_text_that_is_not_in_its_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(codecs.BOM_UTF16_LE + "output,label\n".encode("utf-16-le") + b"x")
    assert error_of(path) == "rows.csv, after row 1: not UTF-16; save it as UTF-8"
    path.write_text("output,label\nnaïve,hit\n", encoding="cp1252")
    assert error_of(path) == "rows.csv, after row 1: not UTF-8; save it as UTF-8"


OBJECTS = [{"output": "a"}, {"output": "b"}]


def test_a_published_file_is_one_object_or_groups_of_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    for value, expected in (
        (OBJECTS[0], OBJECTS[:1]),
        ({"one": OBJECTS[:1], "two": OBJECTS[1:]}, OBJECTS),
    ):
        for mark in ("", "\ufeff"):
            path.write_text(mark + json.dumps(value, indent=2), encoding="utf-8")
            assert [record for _, record in read(path)] == expected
    for other in (OBJECTS, {"one": ["a"]}, 1):
        path.write_text(json.dumps(other))
        assert error_of(path) == (
            "rows.json: JSON of another form; expected one object, or lists of objects"
            " by group"
        )
