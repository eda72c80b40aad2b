# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The labelled data that comes with the package."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from garak_tbsa.detector_eval.shipped import served_by, shipped_folder
from garak_tbsa.errors import DatasetError


def test_the_checkout_s_data_is_found() -> None:
    folder = shipped_folder()
    assert folder.endswith(os.path.join("data", "detectors-eval", "labelled"))
    assert os.path.isdir(folder)


def test_a_mapping_stands_in_the_folder_or_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "labelled"
    folder.mkdir()
    assert served_by(str(folder)) == {}
    (tmp_path / "served_by.json").write_text('{"judge.Refusal": "dan.DAN"}')
    assert served_by(str(folder)) == {"judge.Refusal": "dan.DAN"}
    (folder / "served_by.json").write_text('{"judge.Refusal": "dan.DUDE"}')
    assert served_by(str(folder)) == {"judge.Refusal": "dan.DUDE"}


@pytest.mark.parametrize("content", ["[]", '{"a": 1}', "{"])
def test_a_broken_mapping(tmp_path: Path, content: str) -> None:
    path = tmp_path / "served_by.json"
    path.write_text(content)
    with pytest.raises(DatasetError) as caught:
        served_by(str(tmp_path))
    assert str(caught.value) == (
        f"{path}: expected an object of detector -> data file without its ending"
    )


def test_the_shipped_mapping_names_detectors_and_files_that_exist() -> None:
    from garak_tbsa.garak_api.detectors import known_detectors

    mapping = served_by(shipped_folder())
    assert json.dumps(mapping) == json.dumps(dict(sorted(mapping.items())))
    for detector, stem in mapping.items():
        assert detector in known_detectors()
        assert os.path.isfile(os.path.join(shipped_folder(), f"{stem}.jsonl"))
