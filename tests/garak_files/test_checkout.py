# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Checkouts of garak, and folders that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.garak_files.checkout import is_checkout, metrics_file_of

PROJECT = """[build-system]
requires = ["flit_core"]

[project]
dynamic = ["description"]
name = "garak"
"""


def checkout(folder: Path, project: str = PROJECT) -> Path:
    (folder / "garak" / "data").mkdir(parents=True)
    (folder / "garak" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text(project)
    return folder


@pytest.mark.parametrize(
    "missing", ["garak/__init__.py", "garak/data", "pyproject.toml"]
)
def test_each_file_is_asked_for(tmp_path: Path, missing: str) -> None:
    path = checkout(tmp_path) / missing
    path.rename(tmp_path / "elsewhere")
    assert not is_checkout(str(tmp_path))


@pytest.mark.parametrize(
    "project",
    [
        '[project]\nname = "garak-tbsa"\n',
        '[project]\nversion = "1"\n\n[tool.x]\nname = "garak"\n',
        'name = "garak"\n',
        "\x00\xff",
    ],
)
def test_a_project_of_another_name(tmp_path: Path, project: str) -> None:
    assert not is_checkout(str(checkout(tmp_path, project)))


@pytest.mark.parametrize("folder", ["detectors-eval", "detectors_eval"])
def test_where_it_keeps_its_metrics(tmp_path: Path, folder: str) -> None:
    place = checkout(tmp_path) / "garak" / "data" / folder
    place.mkdir()
    assert metrics_file_of(str(tmp_path)) == str(
        place / "detector_metrics_summary.json"
    )
