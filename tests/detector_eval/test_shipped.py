# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The labelled data that comes with the package."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from garak_tbsa.detector_eval.data import served_by, shipped_folder
from garak_tbsa.garak_api.detectors import own_detectors
from tests.behaviour.labelled import evaluated, refused, write_lines
from tests.behaviour.product import rows_of


def test_a_mapping_stands_in_the_folder_or_beside_it(tmp_path: Path) -> None:
    """Rows that serve a second detector have none of its words."""
    rows = [{"output": "x", "label": "hit", "basis": "own_words"}]
    rows.append(rows[0] | {"output": "y", "model": "small"})
    folder = write_lines(tmp_path / "labelled" / "dan.DAN.jsonl", rows).parent
    saved = tmp_path / "saved"

    def bases() -> dict[str, list[str]]:
        """Of the rows of each detector."""
        shutil.rmtree(saved, ignore_errors=True)
        evaluated(tmp_path, "--data", folder, "--save-datasets", saved)
        return {
            path.stem: [row["basis"] for row in rows_of(path)]
            for path in sorted(saved.iterdir())
        }

    own = {"dan.DAN": ["own_words", "own_words"]}
    assert bases() == own
    inside = folder / "served_by.json"
    for path, other in (
        (tmp_path / "served_by.json", "dan.DUDE"),
        (inside, "dan.STAN"),
    ):
        path.write_text(json.dumps({other: "dan.DAN"}))
        assert bases() == own | {other: ["written", "real"]}
    for content in ("[]", '{"a": 1}', "{"):
        inside.write_text(content)
        assert refused("--data", folder) == (
            f"{inside}: expected an object of detector -> data file without its ending"
        )


def test_the_shipped_mapping_names_detectors_and_files_that_exist() -> None:
    assert not any(name.startswith("base.") for name in own_detectors())
    mapping = served_by(shipped_folder())
    assert json.dumps(mapping) == json.dumps(dict(sorted(mapping.items())))
    for detector, stem in mapping.items():
        assert detector in own_detectors()
        assert os.path.isfile(os.path.join(shipped_folder(), f"{stem}.jsonl"))
