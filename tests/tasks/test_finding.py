# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which files of a folder are reports, here and in stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.tasks.finding import find_reports, is_report, may_be_report


@pytest.mark.parametrize(
    ("name", "is_one", "may_be_one"),
    [
        ("garak.1.report.jsonl", True, True),
        ("garak.1.report.jsonl.gz", True, True),
        ("garak.1.report.jsonl.zst", True, True),
        ("quack.report.2373da0.jsonl", False, True),
        ("report-of-monday.jsonl.zst", False, True),
        ("report.1.hitlog.jsonl", False, False),
        ("report.1.labels.jsonl", False, False),
        ("garak.1.report.html", False, False),
        ("scan.jsonl", False, False),
        ("report.json", False, False),
    ],
)
def test_reports_are_known_by_their_names(
    name: str, is_one: bool, may_be_one: bool
) -> None:
    """Finds *.report.jsonl, *report*.jsonl and compressed ones."""
    assert is_report(name) is is_one
    assert may_be_report(name) is may_be_one


@pytest.fixture
def memory() -> Iterator[str]:
    store = fsspec.filesystem("memory")
    for name in ("a.report.jsonl", "deeper/b.report.1.jsonl.gz", "notes.txt"):
        store.pipe(f"/history-runs/{name}", b"{}")
    yield "memory://history-runs"
    store.rm("/history-runs", recursive=True)


def test_a_folder_of_a_store_is_searched(memory: str) -> None:
    found = find_reports([memory], may_be_report)
    assert [name.rpartition("history-runs/")[2] for name in found] == [
        "a.report.jsonl",
        "deeper/b.report.1.jsonl.gz",
    ]
    assert all(fsspec.open(name).open().read() for name in found)
    assert len(find_reports([memory])) == 1


def test_an_address_of_a_report_is_itself(memory: str) -> None:
    for name in (f"{memory}/a.report.jsonl", f"{memory}/notes.txt"):
        assert find_reports([name]) == [name]


def test_a_local_folder_by_its_address(tmp_path: Path) -> None:
    (tmp_path / "x.report.jsonl").write_text("{}")
    assert find_reports([f"file://{tmp_path}"]) == [f"file://{tmp_path}/x.report.jsonl"]


def test_a_store_without_reports_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"is a folder without a \*\.report\.jsonl"):
        find_reports([f"file://{tmp_path}"])


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
