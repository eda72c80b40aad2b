# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa demo``: two real reports and labels, and no file of a user's lost."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tests.behaviour.product import rows_of, tbsa

REPORTS = {"before.report.jsonl", "after.report.jsonl"}
FILES = REPORTS | {"before.labels.jsonl", "before.all_labels.csv"}


def test_all_files_are_copied_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = tbsa("demo")
    assert (shown.code, shown.err) == (0, "")
    folder = tmp_path / "garak-tbsa-demo"
    assert {path.name for path in folder.iterdir()} == FILES
    for name in FILES:
        assert f"garak-tbsa-demo/{name}" in shown.out
    steps = shown.lines[shown.lines.index("Try, in garak-tbsa-demo:") + 1 :]
    assert len(steps) == 7
    assert all(step.startswith("  garak-tbsa ") for step in steps)
    for name, run in (("before", "27558041"), ("after", "")):
        rows = rows_of(folder / f"{name}.report.jsonl")
        kinds = Counter(row["entry_type"] for row in rows)
        assert (kinds["init"], kinds["digest"], kinds["eval"]) == (1, 1, 22)
        assert kinds["attempt"] > 100
        assert rows[-1]["meta"]["garak_version"] == "0.17.1"
        assert rows[-1]["meta"]["run_uuid"].startswith(run)
    with (folder / "before.all_labels.csv").open(newline="") as handle:
        sheet = list(csv.DictReader(handle))
    assert len(sheet) == 317
    assert {row["label"] for row in sheet} == {"hit", "pass"}
    names = ("attempt", "output_index", "detector", "label")
    truth = {tuple(row[name] for name in names) for row in sheet}
    kept = rows_of(folder / "before.labels.jsonl")
    assert len(kept) == 60
    assert {tuple(str(row[name]) for name in names) for row in kept} <= truth


def test_a_changed_file_is_kept_unless_that_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "demo"
    assert tbsa("demo", folder).code == 0
    whole = {name: (folder / name).read_bytes() for name in FILES}
    assert tbsa("demo", folder).code == 0
    labels = folder / "before.labels.jsonl"
    labels.write_bytes(whole[labels.name] + b"{}\n")
    (folder / "after.report.jsonl").unlink()
    shown = tbsa("demo", folder)
    assert (shown.code, shown.error) == (
        1,
        f"garak-tbsa: {labels}: already exists with other content; give another folder,"
        " or add --force to replace it",
    )
    assert not (folder / "after.report.jsonl").exists()
    assert labels.read_bytes() == whole[labels.name] + b"{}\n"
    assert tbsa("demo", folder, "--force").code == 0
    assert {name: (folder / name).read_bytes() for name in FILES} == whole
    (tmp_path / "file").touch()
    shown = tbsa("demo", tmp_path / "file" / "demo")
    assert shown.code == 1
    assert shown.error.startswith(f"garak-tbsa: {tmp_path / 'file'}")
