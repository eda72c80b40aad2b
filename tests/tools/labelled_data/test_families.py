# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""families.json: one family a detector, and what to write where there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import DatasetError
from tools.labelled_data.families import Family, families, family_of, table
from tools.labelled_data.tables import read_rows


def family(name: str, *detectors: str) -> Family:
    return Family(name=name, detectors=detectors, rules=())


def test_each_file_is_in_one_family_and_each_family_has_files() -> None:
    known = families()
    homes = {family_of(detector, known).name for detector in read_rows()}
    assert homes == {family.name for family in known}


def test_no_family_and_several() -> None:
    known = (family("A", "x.Y", "z.*"), family("B", "z.Z"))
    assert family_of("x.Y", known).name == "A"
    with pytest.raises(DatasetError) as caught:
        family_of("new.Detector", known)
    assert str(caught.value) == (
        'families.json: new.Detector is in no family; add "new.Detector" to'
        " `detectors` of the family whose labelling rules it follows, or add a family"
        " with `name`, `detectors`, `rules`"
    )
    with pytest.raises(DatasetError) as caught:
        family_of("z.Z", known)
    assert str(caught.value) == (
        "families.json: z.Z is in 2 families (A, B); name it in one of them only"
    )


GOOD = {"name": "A", "detectors": ["x.Y"], "rules": ["r"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "Input data was truncated"),
        ("{}", "Expected `array`, got `object`"),
        ([1], "Expected `object`, got `int` - at `$[0]`"),
        ([GOOD, GOOD | {"rules": "r"}], "got `str` - at `$[1].rules`"),
    ],
)
def test_what_is_no_family(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "families.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(DatasetError) as caught:
        families(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: expected a JSON list of families; ")
    assert message in said


def test_numbers_go_to_the_right() -> None:
    assert table(("name", "n"), [("a", "1"), ("b", "-")]).splitlines()[1] == (
        "| --- | ---: |"
    )
