# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies beside a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from garak_tbsa.garak_files.beside import holds_labels, labels_path

if TYPE_CHECKING:
    from pathlib import Path


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
