# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which files are reports, what lies beside one, and what a checkout of garak is."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.places import (
    find_reports,
    folder_of,
    holds_labels,
    is_checkout,
    is_report,
    labels_path,
    metrics_file_of,
)

PROJECT = (
    '[build-system]\nrequires = ["x"]\n\n[project]\nversion = "1"\nname = "garak"\n'
)


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
    assert is_report(name) is is_one


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
    assert folder_of(paths) == folder


def test_a_store_that_nobody_knows_is_one_line() -> None:
    with pytest.raises(ReportError, match=r"^nosuch://runs: cannot be listed \(.*\);"):
        find_reports(["nosuch://runs"])


@pytest.mark.parametrize(
    ("report", "labels"),
    [
        ("runs/x.report.jsonl", "runs/x.labels.jsonl"),
        ("x.report.jsonl.gz", "x.labels.jsonl"),
        ("x.jsonl", "x.labels.jsonl"),
        ("x", "x.labels.jsonl"),
    ],
)
def test_where_labels_are_kept(report: str, labels: str) -> None:
    assert labels_path(report) == labels


@pytest.mark.parametrize(
    ("name", "content", "holds"),
    [
        ("x.labels.jsonl", "{}", True),
        ("x.labels.jsonl", "", False),
        ("x.labels.html", "{}", False),
    ],
)
def test_a_file_of_labels_is_known_by_its_name(
    tmp_path: Path, name: str, content: str, holds: bool
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert holds_labels(str(path)) is holds
    assert not holds_labels(str(tmp_path / "none.labels.jsonl"))


def checkout(folder: Path, project: str = PROJECT) -> Path:
    (folder / "garak" / "data").mkdir(parents=True)
    (folder / "garak" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text(project)
    return folder


@pytest.mark.parametrize(
    "missing", ["garak/__init__.py", "garak/data", "pyproject.toml"]
)
def test_a_checkout_has_each_of_these(tmp_path: Path, missing: str) -> None:
    path = checkout(tmp_path) / missing
    assert is_checkout(str(tmp_path))
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
def test_where_a_checkout_keeps_its_metrics(tmp_path: Path, folder: str) -> None:
    place = checkout(tmp_path) / "garak" / "data" / folder
    place.mkdir()
    found = metrics_file_of(str(tmp_path))
    assert found == str(place / "detector_metrics_summary.json")
