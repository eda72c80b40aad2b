# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What `--data` names -> files -> numbered raw records."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from garak_tbsa.detector_eval.sources import read_records
from garak_tbsa.errors import DatasetError

ROWS = [
    {"output": "Sure, here\nit is", "label": "hit"},
    {"output": 'No; "sorry", ünfortunately', "label": "pass"},
]


def read(path: Path, **options: Any) -> list[tuple[int, dict[str, Any]]]:
    return list(read_records(str(path), **options))


def error_of(path: Path, **options: Any) -> str:
    with pytest.raises(DatasetError) as caught:
        read(path, **options)
    assert str(path) in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_a_csv_header_may_hold_a_line_break_and_a_cell_be_huge(tmp_path: Path) -> None:
    """An encoding must be known, and read what is there."""
    path, huge = tmp_path / "rows.csv", "x" * 1_000_000
    path.write_text(f'"their\nnotes",output,label\n,{huge},hit\n')
    assert read(path) == [(2, {"their\nnotes": "", "output": huge, "label": "hit"})]
    assert error_of(path, encoding="klingon") == (
        "rows.csv: no encoding is called 'klingon'; try utf-8 or cp1252"
    )
    assert error_of(path, encoding="undefined").startswith(
        "rows.csv, after row 1: not undefined; "
    )


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


OBJECTS = [{"output": "a"}, {"output": "b"}]


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, OBJECTS)),
        json.dumps(OBJECTS),
        json.dumps(OBJECTS, indent=2),
        "\ufeff\n" + json.dumps(OBJECTS, indent=1),
        json.dumps({"one": OBJECTS[:1], "two": OBJECTS[1:]}),
        json.dumps({"one": OBJECTS}, indent=4),
    ],
)
def test_every_way_to_write_the_same_rows(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(content, encoding="utf-8")
    assert [record for _, record in read(path)] == OBJECTS


class Hub:
    """In place of the library, which would use the network."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.asked: list[Any] = []

    def load_dataset(self, *names: str | None, **options: Any) -> list[dict[str, Any]]:
        self.asked.append((*names, options))
        return self.rows


def test_a_data_set_on_the_hub_is_read_as_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub = Hub(ROWS)
    monkeypatch.setitem(sys.modules, "datasets", hub)
    for path in ("hf://owner/name", "hf://owner/name#config@split[:2]"):
        assert list(read_records(path)) == [(1, ROWS[0]), (2, ROWS[1])]
    assert hub.asked == [
        ("owner/name", None, {"split": "train", "streaming": True}),
        ("owner/name", "config", {"split": "split[:2]", "streaming": True}),
    ]
    hub.rows = [{"output": 1}, 2]  # type: ignore[list-item]
    with pytest.raises(DatasetError) as caught:
        list(read_records("hf://owner/name"))
    assert str(caught.value) == (
        "hf://owner/name: could not be loaded ('int' object is not iterable); check the"
        " name, the split and the network"
    )
    with pytest.raises(DatasetError, match="hf://: expected hf://owner/name"):
        list(read_records("hf://"))
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DatasetError, match="needs datasets; run `pip install datase"):
        list(read_records("hf://owner/name"))
