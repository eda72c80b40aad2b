# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa history``: what is read how often, and reports that go in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.api import arguments, history
from garak_tbsa.report.report import Report, load_report
from tests.behaviour.product import tbsa
from tests.report_rows import pairs_named, report_rows, write_report


def scan_of(folder: Path, name: str, day: int, *pairs: tuple[int, int, int]) -> None:
    rows = report_rows(pairs_named(*pairs))
    rows[-1]["meta"]["start_time"] = f"2026-05-{day:02d}T00:00:00"
    write_report(folder / f"{name}.report.jsonl", rows)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Three scans of one target, one below another folder, and a broken report."""
    folder = tmp_path / "reports"
    (folder / "older").mkdir(parents=True)
    for day, passed, name in ((3, 20, "b"), (1, 95, "older/c"), (2, 94, "a")):
        scan_of(folder, name, day, (1, passed, 100), (2, 80, 100))
    (folder / "empty.report.jsonl").touch()
    return folder


def test_without_intervals_no_attempt_is_read_and_no_report_twice(
    reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(path: str, *others: Any) -> Any:
        read.append(path)
        return load_report(path, *others)

    monkeypatch.setattr(Report, "outcomes", property(pytest.fail))
    monkeypatch.setattr(arguments, "load_report", counted)
    shown = tbsa("history", reports, "--no-interval")
    assert (shown.code, len(read), len({*read})) == (0, 4, 4)
    assert "repeat" not in shown.lines[3]
    assert "-" in shown.lines[6]
    assert "verdict" not in shown.out


def test_a_report_that_goes_in_between_is_a_reason(
    reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is read again for a change."""
    follow = history.follow

    def deleted(*arguments: Any) -> Any:
        (reports / "a.report.jsonl").unlink()
        return follow(*arguments)

    monkeypatch.setattr(history, "follow", deleted)
    output = tmp_path / "h.jsonl"
    shown = tbsa("history", reports, "--jsonl", output)
    assert (shown.code, "not compared" in shown.out) == (0, True)
    lines = output.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    names = [Path(row["source"]).name[0] for row in rows]
    assert names == ["c", "a", "b"]
    reasons = [row["change_missing_because"] for row in rows]
    assert reasons[0] is None
    assert all("cannot be opened" in reason for reason in reasons[1:])
