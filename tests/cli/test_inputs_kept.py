# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""No command writes an output in the place of what it reads, or of another output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.scoring import installed_calibration
from tests.factories import pairs_named, report_rows, write_report

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a.report.jsonl", "b.report.jsonl", "calibration.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two reports and a calibration, in the working folder."""
    monkeypatch.chdir(tmp_path)
    rows = report_rows(pairs_named((1, 9, 10), (2, 8, 10)))
    for name in NAMES[:2]:
        write_report(tmp_path / name, rows)
    with open(installed_calibration().source, "rb") as handle:
        (tmp_path / NAMES[2]).write_bytes(handle.read())
    return tmp_path


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("score a.report.jsonl -j a.report.jsonl", "-j a.report.jsonl"),
        ("score -r a.report.jsonl --html ./a.report.jsonl", "--html ./a.report.jsonl"),
        ("score a.report.jsonl --junit x --sarif x", "--sarif x"),
        (
            "score a.report.jsonl --baseline b.report.jsonl --markdown b.report.jsonl",
            "--markdown b.report.jsonl",
        ),
        (
            "score a.report.jsonl --calibration calibration.json -j calibration.json",
            "-j calibration.json",
        ),
        (
            "score a.report.jsonl --tiers calibration.json -j calibration.json",
            "-j calibration.json",
        ),
        (
            "history . --tiers calibration.json --jsonl calibration.json",
            "--jsonl calibration.json",
        ),
        ("score . -j b.report.jsonl", "-j b.report.jsonl"),
        (
            "compare a.report.jsonl b.report.jsonl -j b.report.jsonl",
            "-j b.report.jsonl",
        ),
        ("explain a.report.jsonl -j a.report.jsonl", "-j a.report.jsonl"),
        ("history . --jsonl a.report.jsonl", "--jsonl a.report.jsonl"),
        ("history . --html h --jsonl h", "--html h"),
    ],
)
def test_it_is_a_usage_error(
    folder: Path, command: str, refused: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {name: (folder / name).read_bytes() for name in NAMES}
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"garak-tbsa: {refused}: would overwrite ")
    assert err.endswith("; give each output a path of its own\n")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
