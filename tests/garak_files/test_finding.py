# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which files of a folder are reports, here and in stores."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

import garak_tbsa
from garak_tbsa.cli.main import main
from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.finding import find_reports, folder_of, is_report
from tests.gold import FOLDER


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("garak.1.report.jsonl", True),
        ("garak.1.report.jsonl.gz", True),
        ("garak.1.report.jsonl.zst", True),
        ("hitlog-of-may.report.jsonl", True),
        ("quack.report.2373da0.jsonl", True),
        ("report-of-monday.jsonl.zst", True),
        ("report.1.hitlog.jsonl", False),
        ("report_hitlog.jsonl.gz", False),
        ("report.1.labels.jsonl", False),
        ("garak.1.report.html", False),
        ("scan.jsonl", False),
        ("report.json", False),
    ],
)
def test_reports_are_known_by_their_names(name: str, is_one: bool) -> None:
    """Finds *.report.jsonl, *report*.jsonl and compressed ones."""
    assert is_report(name) is is_one


def test_every_command_that_takes_a_folder_finds_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """``score DIR``, ``history DIR`` and ``tbsa.history(DIR)`` have one rule."""
    report = (FOLDER / "garak-0.17.1.report.jsonl").read_bytes()
    (tmp_path / "a.report.jsonl").write_bytes(report)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper/quack.report.2373da0.jsonl.gz").write_bytes(
        gzip.compress(report)
    )
    (tmp_path / "a.hitlog.jsonl").write_bytes(b"{}")
    (tmp_path / "a.report.labels.jsonl").write_bytes(b"{}")
    wanted = ["a.report.jsonl", "deeper/quack.report.2373da0.jsonl.gz"]
    output = tmp_path / "out"
    assert main(["score", str(tmp_path), "-j", str(output)]) == 0
    scored = [each["infile"] for each in json.loads(output.read_text())["reports"]]
    assert scored == [f"{tmp_path}/{name}" for name in wanted]
    assert main(["history", str(tmp_path), "--jsonl", str(output)]) == 0
    rows = map(json.loads, output.read_text().splitlines())
    assert sorted(row["source"] for row in rows) == scored
    shown = capsys.readouterr()
    assert shown.err == ""
    scans = garak_tbsa.history(tmp_path).to_dict()
    assert sorted(scan["source"] for scan in scans["scans"]) == scored
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.html"
    both = ["history", *wanted, "--jsonl", str(output), "--html", str(page)]
    assert main(both) == 0
    assert len(output.read_text().splitlines()) == 2
    assert "Reports below" not in page.read_text()
    assert "<title>TBSA over time</title>" in page.read_text()


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


@pytest.fixture
def memory() -> Iterator[str]:
    store = fsspec.filesystem("memory")
    for name in ("a.report.jsonl", "deeper/b.report.1.jsonl.gz", "notes.txt"):
        store.pipe(f"/history-runs/{name}", b"{}")
    yield "memory://history-runs"
    store.rm("/history-runs", recursive=True)


def test_a_folder_of_a_store_is_searched(memory: str) -> None:
    found = find_reports([memory])
    assert [name.rpartition("history-runs/")[2] for name in found] == [
        "a.report.jsonl",
        "deeper/b.report.1.jsonl.gz",
    ]
    assert all(fsspec.open(name).open().read() for name in found)


def test_a_store_that_nobody_knows_is_one_line() -> None:
    with pytest.raises(ReportError) as caught:
        find_reports(["nosuch://bucket/runs"])
    text = str(caught.value)
    assert text.startswith("nosuch://bucket/runs: cannot be listed (")
    assert text.endswith(
        "; check the address, its credentials, and that fsspec's"
        " package for it is installed"
    )
    assert "\n" not in text
