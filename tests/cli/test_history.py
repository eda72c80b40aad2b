# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.api import arguments, history
from garak_tbsa.api.history import follow
from garak_tbsa.cli.main import main
from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.report import Report, load_report
from garak_tbsa.garak_files.source import ReadLimits
from tests.factories import (
    PairFacts,
    pairs_named,
    report_rows,
    to_bytes,
    write_report,
)


def rows_of(day: int, facts: list[PairFacts], **others: Any) -> list[dict[str, Any]]:
    target = others.pop("target", "Blank")
    rows = report_rows(facts, **others)
    rows[-1]["meta"] |= {
        "start_time": f"2026-05-{day:02d}T00:00:00",
        "run_uuid": f"run-{day}",
        "target_name": target,
    }
    return rows


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Three scans of one target, one below another folder, and three broken reports."""
    folder = tmp_path / "reports"
    (folder / "older").mkdir(parents=True)
    for day, passed, place in ((3, 20, "b"), (1, 95, "older/c"), (2, 94, "a")):
        facts = pairs_named((1, passed, 100), (2, 80, 100))
        write_report(folder / f"{place}.report.jsonl", rows_of(day, facts))
    (folder / "empty.report.jsonl").write_bytes(b"")
    (folder / "empty2.report.jsonl").write_bytes(b"")
    (folder / "page.report.jsonl").write_text("<html>\n<p>\n")
    (folder / "notes.txt").write_text("no report")
    return folder


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_reports_that_cannot_be_scored_are_one_line_for_each_reason(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One summary by reason (count and first examples) instead of a line each."""
    for number in range(9):
        (reports / f"x{number}.report.jsonl").write_text('{"entry_type": 3}\n')
    page = tmp_path / "h.html"
    assert main(["history", str(reports), "--html", str(page)]) == 0
    out, err = capsys.readouterr()
    assert "12 of 15 reports could not be scored" in out
    assert err.splitlines()[1:] == [
        "garak-tbsa: 2 of 15 not scored (empty.report.jsonl, empty2.report.jsonl):"
        " is empty; give a report that garak has written",
        "garak-tbsa: 1 of 15 not scored (page.report.jsonl): is a web page or XML,"
        " expected JSON Lines; give the .report.jsonl beside garak's .report.html",
    ]
    assert err.startswith(
        "garak-tbsa: 9 of 15 not scored (x0.report.jsonl, x1.report.jsonl,"
        " x2.report.jsonl and 6 more): "
    )
    assert "2 of 15 not scored" in page.read_text(encoding="utf-8")


def test_without_intervals_no_attempt_is_read_and_no_report_twice(
    reports: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    def counted(path: str, limits: ReadLimits) -> Report:
        read.append(path)
        return load_report(path, limits)

    read: list[str] = []
    monkeypatch.setattr(history, "outcomes_of_report", never)
    monkeypatch.setattr(arguments, "load_report", counted)
    assert main(["history", str(reports), "--no-interval"]) == 0
    assert len(read) == len(set(read)) == 6
    out = capsys.readouterr().out
    assert " to " not in out.splitlines()[2]
    assert "-" in out.splitlines()[4]
    assert "verdict" not in out


def test_a_report_that_goes_in_between_is_a_reason(
    reports: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def deleted(*arguments: Any) -> Any:
        (reports / "a.report.jsonl").unlink()
        return follow(*arguments)

    monkeypatch.setattr(history, "follow", deleted)
    output = tmp_path / "h.jsonl"
    assert main(["history", str(reports), "--jsonl", str(output)]) == 0
    reasons = [each["change_missing_because"] for each in told(output)]
    assert reasons[0] is None
    assert all("cannot be opened" in reason for reason in reasons[1:])
    assert "not compared" in capsys.readouterr().out


def test_a_scan_in_parts_is_one_scan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = pairs_named((1, 9, 10), (1, 8, 10), (2, 10, 10))
    folder = tmp_path / "runs"
    folder.mkdir()
    for day in (1, 8):
        for number, part in enumerate((facts[:1], facts[1:])):
            rows = rows_of(day + number, part)
            write_report(folder / f"{day}-{number}.report.jsonl", rows)
    other = rows_of(20, facts[:1], setup={"run.generations": 9})
    write_report(folder / "other.report.jsonl", other)
    (folder / "empty.report.jsonl").write_bytes(b"")
    whole = write_report(tmp_path / "whole.report.jsonl", rows_of(1, facts))
    scored, output = tmp_path / "s.json", tmp_path / "h.jsonl"
    assert main(["score", "-q", whole, "-j", str(scored)]) == 0
    capsys.readouterr()
    assert main(["history", str(folder)]) == 0
    proposed = f"garak-tbsa score --merge {folder}/1-0.report.jsonl {folder}/1-1.report"
    assert proposed in capsys.readouterr().out.replace("\n", "")
    assert main(["history", "--merge", str(folder), "--jsonl", str(output)]) == 0
    out, err = capsys.readouterr()
    assert "--merge: 5 reports hold 3 scans" in out
    assert "not joined: run.generations differs (5 and 9)" in out
    assert "1-0.report.jsonl and 1 more" in out
    assert err.count("\n") == 1
    scans = told(output)
    expected = json.loads(scored.read_text(encoding="utf-8"))
    for scan in scans[:2]:
        assert (scan["tbsa"], scan["checksum"]) == (
            expected["tbsa"],
            expected["checksum"],
        )
        assert len(scan["merged_from"]) == 2
    assert scans[1]["change"]["verdict"] == "no evidence of a difference"
    assert scans[2]["merged_from"] == []


def test_parts_that_go_in_between_are_not_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = pairs_named((1, 9, 10), (1, 8, 10))
    for day, part in enumerate((facts[:1], facts[1:]), start=1):
        write_report(tmp_path / f"{day}.report.jsonl", rows_of(day, part))

    def gone(paths: tuple[str, ...], _: object) -> None:
        raise ReportError(paths[0], "went in between", "scan again")

    monkeypatch.setattr(history, "_part", gone)
    assert main(["history", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "2 scans" in out
    assert "--merge" not in out
    assert err == ""


@pytest.fixture
def mixed(reports: Path) -> Path:
    """Reports of two releases, one of them compressed."""
    packed = reports / "old-report.1.jsonl.gz"
    facts = pairs_named((1, 60, 100), (2, 80, 100))
    packed.write_bytes(gzip.compress(to_bytes(rows_of(9, facts, version="0.16.0"))))
    return reports


def written(folder: str, tmp_path: Path, name: str, *options: str) -> tuple[bytes, ...]:
    paths = [tmp_path / f"{name}.{ending}" for ending in ("jsonl", "html")]
    outputs = ["--jsonl", str(paths[0]), "--html", str(paths[1])]
    assert main(["history", folder, *outputs, *options]) == 0
    return tuple(path.read_bytes() for path in paths)


@pytest.mark.parametrize(
    ("backend", "more"),
    [("loky", []), ("loky", ["--no-interval", "--merge"]), ("dask", [])],
)
def test_the_same_bytes_whatever_the_backend(
    backend: str, more: list[str], mixed: Path, tmp_path: Path
) -> None:
    here = written(str(mixed), tmp_path, "here", "--backend", "in-process", *more)
    there = ["--backend", backend, "--jobs", "2", *more]
    assert written(str(mixed), tmp_path, "there", *there) == here
    assert len(here[0].splitlines()) == 4


def test_a_folder_in_which_nothing_can_be_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.report.jsonl").write_bytes(b"")
    assert main(["history", str(tmp_path)]) == 1
    assert "1 of 1 reports could not be scored" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["{0}/none"],
            1,
            "{0}/none: does not exist; name a folder of reports, or reports",
        ),
        (
            ["{0}"],
            1,
            "{0}: is a folder without a garak report in it (*.report.jsonl, or"
            " *report*.jsonl); name a folder of reports, or a report by its own name",
        ),
        (
            ["{0}", "--cluster", "tcp://x:1"],
            2,
            "--cluster tcp://x:1: an address of Ray or Dask; say which with"
            " --backend ray or --backend dask",
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
    if code == 2:
        write_report(tmp_path / "a.report.jsonl", report_rows(pairs_named((1, 9, 10))))
    filled = [argument.format(tmp_path) for argument in arguments]
    assert main(["history", *filled]) == code
    assert capsys.readouterr().err == f"garak-tbsa: {message.format(tmp_path)}\n"
