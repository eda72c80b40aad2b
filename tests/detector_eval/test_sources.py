# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What `--data` names -> files -> numbered raw records."""

from __future__ import annotations

import csv
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from garak_tbsa.detector_eval.sources import read_records, sha256_of
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


def write_csv(path: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", newline="", encoding=encoding) as handle:
        writer = csv.DictWriter(handle, ["output", "label"], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(ROWS)
    return path


def test_csv_cells_may_be_huge(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    huge = "x" * 10_000_000
    path.write_text(f"output,label\n{huge},hit\n")
    assert read(path) == [(2, {"output": huge, "label": "hit"})]


def test_parquet_in_several_batches(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pyarrow.Table.from_pylist(ROWS * 1000)
    pyarrow.parquet.write_table(table, path, row_group_size=300)
    records = read(path)
    assert [number for number, _ in records] == list(range(1, 2001))
    assert records[-1][1] == ROWS[1]


def test_a_data_set_on_the_hub_without_network_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    with pytest.raises(DatasetError) as caught:
        list(read_records("hf://nobody/nothing@test"))
    text = str(caught.value)
    assert text.startswith("hf://nobody/nothing@test: could not be loaded (")
    assert text.endswith("check the name, the split and the network")


def test_json_that_is_nested_too_deeply_is_one_line(tmp_path: Path) -> None:
    """Other unreadable files are in tests/behaviour/test_bad_rows.py."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"[" * 100_000)
    assert error_of(path) == (
        "rows.jsonl, line 1: nested too deeply; expected one JSON object a line"
    )


def test_no_parquet_inside(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR0")
    message = error_of(tmp_path / "rows.parquet")
    assert message.startswith("rows.parquet, after row 0: not readable as Parquet (")
    assert "); write it again" in message


def test_a_csv_header_may_hold_a_line_break(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('"their\nnotes",output,label\n,x,hit\n')
    assert read(path) == [(2, {"their\nnotes": "", "output": "x", "label": "hit"})]


@pytest.mark.parametrize("name", ["none.jsonl", "none"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    assert error_of(tmp_path / name) == (
        f"{name}: cannot be read (no such file or directory);"
        " give an existing file or folder"
    )


def test_an_unknown_encoding_and_one_that_reads_nothing(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "rows.csv")
    assert error_of(path, encoding="klingon") == (
        "rows.csv: no encoding is called 'klingon'; try utf-8 or cp1252"
    )
    assert error_of(path, encoding="undefined").startswith(
        "rows.csv, after row 1: not undefined; "
    )


def test_parquet_with_a_date_that_python_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    days = pyarrow.array([2**31 - 1], pyarrow.int32()).cast(pyarrow.date32())
    pyarrow.parquet.write_table(pyarrow.table({"output": ["x"], "day": days}), path)
    message = error_of(path)
    assert message.startswith("rows.parquet, after row 0: not readable as Parquet (")
    assert message.endswith("); write it again, dates and times as text")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_a_pipe_is_refused_and_does_not_hang(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert error_of(tmp_path / name) == (
        f"{name}: a pipe or device, and rows are read more than once; copy it into a"
        " file, or give - for standard input"
    )


def test_the_sha256_of_an_address_is_that_of_its_lines() -> None:
    import fsspec

    with fsspec.open("memory://rows.jsonl", "wb") as handle:
        handle.write(b"abc")
    assert sha256_of("memory://rows.jsonl").startswith("ba7816bf8f01cfea414140de5d")


OBJECTS = [{"output": "a"}, {"output": "b"}]


def content_of(path: Path, content: bytes) -> list[dict[str, Any]]:
    path.write_bytes(content)
    return [record for _, record in read(path)]


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
    assert content_of(tmp_path / "rows.json", content.encode()) == OBJECTS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"[{},\n",
            "not JSON (expecting value); expected a list of objects, or one JSON"
            " object a line",
        ),
        (b"[1, 2]", "JSON, but no list of objects; expected one object a row"),
        (b'[\n{"a": "\xff"}]', "not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_damaged_document_is_one_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "rows.json"
    with pytest.raises(DatasetError) as caught:
        content_of(path, content)
    assert str(caught.value) == f"{path}: {message}"


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
    with pytest.raises(DatasetError, match="hf://: expected hf://owner/name"):
        list(read_records("hf://"))
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DatasetError, match="needs datasets; run `pip install datase"):
        list(read_records("hf://owner/name"))
