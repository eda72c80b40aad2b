# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa demo``: real reports to try things on, and no file of a user's lost."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from garak_tbsa.cli import label as label_command
from garak_tbsa.cli.main import main
from garak_tbsa.cli.scan_to_label import read_scan
from garak_tbsa.demo import FILES, content_of
from garak_tbsa.label_audit.label_files import read_label_file
from garak_tbsa.label_audit.session import Session

ABSOLUTE_PATH = re.compile(r"(?<![\w./:<])/\w+/|\b[A-Za-z]:\\\\")
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
    assert "2.7 (2.7 to 2.7) by 317 labels" in capsys.readouterr().out


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


def test_the_labels_are_those_that_label_asks_for_first(demo: Path) -> None:
    """The first 60 that ``garak-tbsa label`` asks for, with the sheet's answers."""
    sheet = csv.DictReader(io.StringIO(content_of("before.all_labels.csv").decode()))
    truth = {
        (row["attempt"], int(row["output_index"]), row["detector"]): row["label"]
        for row in sheet
    }
    report = str(demo / "before.report.jsonl")
    options = label_command.build_parser().parse_args([report])
    scan = read_scan(report, options)
    session = Session(scan.task)
    known = read_label_file(str(demo / "before.labels.jsonl")).labels
    for label in known:
        asked = session.question("author", session.open_from("author"))
        assert asked is not None
        place = (asked.place.attempt, asked.place.output_index, asked.detector)
        assert place == (label.attempt, label.output_index, label.detector)
        assert label.answer == truth[place]
        session.accept(replace(label, rater="author"))
    assert session.labelled("author") == len(known) == 60
