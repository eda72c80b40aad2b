# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa demo``: real reports to try things on, and no file of a user's lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.cli.main import main

"""Of a file on somebody's machine; not the path of an address."""


@pytest.fixture
def demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "demo"
    assert main(["demo", str(folder)]) == 0
    capsys.readouterr()
    return folder


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


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["demo", str(tmp_path / "file" / "demo")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
