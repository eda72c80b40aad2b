# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A .json file: JSON Lines, a list, lists by group, or one object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from garak_tbsa.detector_eval.formats import ReadOptions, read_records
from garak_tbsa.errors import DatasetError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"output": "a"}, {"output": "b"}]


def read(path: Path, content: bytes) -> list[dict[str, Any]]:
    path.write_bytes(content)
    return [record for _, record in read_records(str(path), ReadOptions())]


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, ROWS)),
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        "\ufeff\n" + json.dumps(ROWS, indent=1),
        json.dumps({"one": ROWS[:1], "two": ROWS[1:]}),
        json.dumps({"one": ROWS}, indent=4),
    ],
)
def test_every_way_to_write_the_same_rows(tmp_path: Path, content: str) -> None:
    assert read(tmp_path / "rows.json", content.encode()) == ROWS


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_is_one_row(tmp_path: Path, indent: int | None) -> None:
    content = json.dumps(ROWS[0], indent=indent).encode()
    assert read(tmp_path / "0.json", content) == ROWS[:1]


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
        read(path, content)
    assert str(caught.value) == f"{path}: {message}"


def test_a_damaged_line_keeps_its_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    with pytest.raises(DatasetError) as caught:
        read(path, b'{"output": "a"}\n{"output": \n')
    assert str(caught.value) == (
        f"{path}, line 2: not JSON (expecting value); expected one JSON object a line"
    )
