# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which files are reports, what lies beside one, and what a checkout of garak is."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa import GarakTbsaError
from garak_tbsa.report import places


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("garak.1.report.jsonl", True),
        ("garak.1.report.jsonl.zst", True),
        ("hitlog-of-may.report.jsonl", True),
        ("quack.report.2373da0.jsonl.gz", True),
        ("report.1.hitlog.jsonl", False),
        ("report.1.labels.jsonl", False),
        ("garak.1.report.html", False),
        ("scan.jsonl", False),
        ("report.json", False),
    ],
)
def test_reports_are_known_by_their_names(name: str, is_one: bool) -> None:
    """Finds *.report.jsonl, *report*.jsonl and compressed ones."""
    assert bool(places.OF_A_REPORT.fullmatch(name)) is is_one


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (["runs/a", "runs/deeper/b"], "runs"),
        (["a", "runs/b"], ""),
        (["/x/a", "b"], ""),
        (["s3://x/a", "s3://x/b"], ""),
        (["s3://x"], "s3://x"),
    ],
)
def test_the_folder_of_reports(paths: list[str], folder: str) -> None:
    """A store that nobody knows is one line."""
    assert places.folder_of(paths) == folder
    with pytest.raises(
        GarakTbsaError, match=r"^nosuch://runs: cannot be listed \(.*\);"
    ):
        places.find_reports(["nosuch://runs"])


def test_labels_are_kept_beside_their_report() -> None:
    for report, labels in {
        "runs/x.report.jsonl": "runs/x.labels.jsonl",
        "x.report.jsonl.gz": "x.labels.jsonl",
        "x.jsonl": "x.labels.jsonl",
        "x": "x.labels.jsonl",
    }.items():
        assert places.labels_path(report) == labels


PROJECT = (
    '[build-system]\nrequires = ["x"]\n\n[project]\nversion = "1"\nname = "garak"\n'
)


def test_a_checkout_is_a_project_of_garaks_name_with_its_parts(tmp_path: Path) -> None:
    data = tmp_path / "garak" / "data"
    data.mkdir(parents=True)
    (tmp_path / "garak" / "__init__.py").touch()
    project = tmp_path / "pyproject.toml"
    for text in (
        '[project]\nname = "garak-tbsa"\n',
        '[project]\nversion = "1"\n\n[tool.x]\nname = "garak"\n',
        'name = "garak"\n',
        "\x00\xff",
    ):
        project.write_text(text)
        assert places.metrics_file_of(str(tmp_path)) is None
    project.write_text(PROJECT)
    for missing in ("garak/__init__.py", "garak/data", "pyproject.toml"):
        assert places.metrics_file_of(str(tmp_path)) is not None
        elsewhere = (tmp_path / missing).rename(tmp_path / "elsewhere")
        assert places.metrics_file_of(str(tmp_path)) is None
        elsewhere.rename(tmp_path / missing)
    for folder in ("detectors_eval", "detectors-eval"):
        (data / folder).mkdir()
        expected = data / folder / "detector_metrics_summary.json"
        assert places.metrics_file_of(str(tmp_path)) == str(expected)
        (data / folder).rmdir()
