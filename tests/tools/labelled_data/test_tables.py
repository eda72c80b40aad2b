# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The datasheet's tables are those of the files."""

from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tests.detector_eval.rows import write_records
from tests.tools.labelled_data.records import good_records
from tools.labelled_data import tables


def test_a_line_counts_rows() -> None:
    rows = [
        {"label": "hit", "slice": "a", "lang": "en"},
        {"label": "hit", "slice": "b", "lang": "pt-BR", "why": "w"},
        {"label": "pass", "slice": "a", "lang": "pt"},
    ]
    assert tables.line_of("d.D", rows) == (
        "`d.D`",
        "3",
        "2",
        "1",
        "1",
        "0",
        "0",
        "not rated",
        "2",
        "a 2, b 1",
    )


def test_alpha_has_two_digits_or_a_reason() -> None:
    """Agreement of two raters on one label alone says nothing."""

    hit = {"annotations": {"author": "hit", "second": "hit"}}
    passed = {"annotations": {"author": "pass", "second": "pass"}}
    assert tables.alpha_of([hit, hit]) == "one label"
    assert tables.alpha_of([hit, passed]) == "1.00"
    assert tables.alpha_of([{}]) == "not rated"


def test_a_row_without_a_field_is_one_line(tmp_path: Path) -> None:
    records = good_records(count=3)
    del records[1]["slice"]
    path = write_records(tmp_path, records)
    with pytest.raises(DatasetError) as caught:
        tables.read_rows(tmp_path)
    assert str(caught.value) == (
        f"{path}, line 2: `slice` is missing or no string; add `slice` as a string"
    )
