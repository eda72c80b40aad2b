# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from garak_tbsa.cli import history
from garak_tbsa.cli.main import main
from tests.factories import pairs_named, report_rows, write_report

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Three scans of one target, one below another folder, and a broken report."""
    folder = tmp_path / "reports"
    (folder / "older").mkdir(parents=True)
    for day, passed, place in ((3, 5, "b"), (1, 9, "older/c"), (2, 7, "a")):
        rows = report_rows(pairs_named((1, passed, 10), (2, 8, 10)))
        rows[-1]["meta"]["start_time"] = f"2026-05-0{day}T00:00:00"
        write_report(folder / f"{place}.report.jsonl", rows)
    (folder / "empty.report.jsonl").write_bytes(b"")
    (folder / "notes.txt").write_text("no report")
    return folder


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_report_below_a_folder_over_time(
    jobs: str,
    reports: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(history, "WORTH_WORKERS", 2)
    lines, page = str(tmp_path / "h.jsonl"), tmp_path / "h.html"
    options = ["--jsonl", lines, "--html", str(page), "--jobs", jobs]
    assert main(["history", str(reports), *options]) == 0
    out, err = capsys.readouterr()
    rows = [line.split() for line in out.splitlines() if ".report.jsonl" in line]
    assert [row[0] for row in rows] == ["2026-05-01", "2026-05-02", "2026-05-03"]
    assert out.splitlines()[0].startswith("Target test Blank, checksum ")
    assert "1 of 4 reports could not be scored" in out
    assert err.startswith(f"garak-tbsa: {reports}/empty.report.jsonl: ")
    assert err.count("\n") == 1
    with open(lines, encoding="utf-8") as handle:
        scans = [json.loads(line) for line in handle]
    assert [scan["start_time"][:10] for scan in scans] == [row[0] for row in rows]
    assert [f"{scan['tbsa']:.1f}" for scan in scans] == [row[2] for row in rows]
    assert page.read_text(encoding="utf-8").count("<circle") == 3


def test_garaks_own_formula_has_no_interval(
    gold_folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", gold_folder, "--formula", "garak"]) == 0
    rows = [li for li in capsys.readouterr().out.splitlines() if "garak-0.17.1" in li]
    assert "unknown" in rows[0]


def test_a_folder_in_which_nothing_can_be_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.report.jsonl").write_bytes(b"")
    assert main(["history", str(tmp_path)]) == 1
    assert "1 of 1 reports could not be scored" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{0}/none"], 1, "{0}/none: is not a folder; name a folder of reports"),
        (
            ["{0}"],
            1,
            "{0}: is a folder without a *.report.jsonl in it;"
            " name a folder of garak reports, or one report",
        ),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    filled = [argument.format(tmp_path) for argument in arguments]
    assert main(["history", *filled]) == code
    assert capsys.readouterr().err == f"garak-tbsa: {message.format(tmp_path)}\n"


def test_jobs_are_a_whole_number(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("0", "-1", "two"):
        with pytest.raises(SystemExit) as end:
            main(["history", ".", f"--jobs={wrong}"])
        assert end.value.code == 2
        expected = f"--jobs: expected a whole number of at least 1, found '{wrong}'"
        assert expected in capsys.readouterr().err
