# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa demo``: real reports to try things on, and no file of a user's lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.demo import FILES, content_of

"""Of a file on somebody's machine; not the path of an address."""


@pytest.fixture
def demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "demo"
    assert main(["demo", str(folder)]) == 0
    capsys.readouterr()
    return folder


def test_all_files_are_copied_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", str(tmp_path / "new" / "folder")]) == 0
    said = capsys.readouterr().out
    for name in FILES:
        assert (tmp_path / "new/folder" / name).read_bytes() == content_of(name)
        assert name in said
    assert sum(len(content_of(name)) for name in FILES) < 2_000_000


def test_the_first_steps_work(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(demo)
    assert main(["score", "before.report.jsonl", "--html", "before.html"]) == 0
    assert "TBSA: 2.3" in capsys.readouterr().out
    assert main(["compare", "before.report.jsonl", "after.report.jsonl"]) == 0
    assert capsys.readouterr().out.startswith("worse (p = ")
    assert main(["audit", "before.report.jsonl"]) == 0
    assert "by 60 labels" in capsys.readouterr().out.splitlines()[0]
    labels = "before.all_labels.csv"
    assert main(["audit", "before.report.jsonl", "--labels", labels]) == 0
    assert "if every label is right: 2.7 (2.7 to 2.7)" in capsys.readouterr().out


def test_a_changed_file_is_kept(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(demo)]) == 0
    labels = demo / "before.labels.jsonl"
    labels.write_text(labels.read_text() + "{}\n")
    (demo / "after.report.jsonl").unlink()
    assert main(["demo", str(demo)]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {labels}: already exists with other content; give another"
        f" folder, or add --force to replace it\n"
    )
    assert not (demo / "after.report.jsonl").exists()
    assert main(["demo", str(demo), "--force"]) == 0
    assert labels.read_bytes() == content_of(labels.name)


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["demo", str(tmp_path / "file" / "demo")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
