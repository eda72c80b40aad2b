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
from garak_tbsa.garak_api.detectors import own_detectors


def test_a_mapping_stands_in_the_folder_or_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "labelled"
    folder.mkdir()
    assert served_by(str(folder)) == {}
    beside, inside = tmp_path / "served_by.json", folder / "served_by.json"
    for path, whose in ((beside, "dan.DAN"), (inside, "dan.DUDE")):
        path.write_text(f'{{"judge.Refusal": "{whose}"}}')
        assert served_by(str(folder)) == {"judge.Refusal": whose}
    for content in ("[]", '{"a": 1}', "{"):
        inside.write_text(content)
        with pytest.raises(DatasetError) as caught:
            served_by(str(folder))
        assert str(caught.value) == (
            f"{inside}: expected an object of detector -> data file without its ending"
        )


def test_the_shipped_mapping_names_detectors_and_files_that_exist() -> None:
    assert not any(name.startswith("base.") for name in own_detectors())
    mapping = served_by(shipped_folder())
    assert json.dumps(mapping) == json.dumps(dict(sorted(mapping.items())))
    for detector, stem in mapping.items():
        assert detector in own_detectors()
        assert os.path.isfile(os.path.join(shipped_folder(), f"{stem}.jsonl"))
