# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often a command opens a report, and what it imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo_scans import AFTER, BEFORE, copied_to
from tests.gold import FOLDER

COUNTING = """
import sys
from collections import Counter
from garak_tbsa.cli.main import main

opened = Counter()
sys.addaudithook(lambda event, given: opened.update([given[0]] * (event == "open")))
main(sys.argv[1:])
print("opened", *(opened[each] for each in sys.argv if each.endswith(".jsonl")))
print("imported", *sys.modules)
"""


def counted(*command: str) -> tuple[list[int], set[str]]:
    """How often a command opens each report that it names, and what it imports."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, *command],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    *_, opened, imported = done.stdout.splitlines()
    return list(map(int, opened.split()[1:])), set(imported.split()[1:])


@pytest.mark.parametrize("release", ["0.11.0", "0.13.3", "0.17.1"])
def test_a_score_opens_its_report_at_most_twice(release: str, tmp_path: Path) -> None:
    """Once its end, and once all of it, whatever is asked."""
    report, page = str(FOLDER / f"garak-{release}.report.jsonl"), str(tmp_path / "p")
    opened, _ = counted("score", report, "--html", page, "--fail-under", "1")
    assert opened == [2]
    assert Path(page).is_file()


def test_a_gate_with_a_baseline_opens_each_report_at_most_twice(tmp_path: Path) -> None:
    before, after = (str(copied_to(tmp_path) / name) for name in (BEFORE, AFTER))
    page = str(tmp_path / "page")
    asked = ["--sure", ".9", "--fail-under", "1", "--strict", "--html", page]
    opened, _ = counted("score", after, "--baseline", before, *asked)
    assert opened == [2, 2]
    opened, _ = counted("compare", before, after)
    assert opened == [2, 2]
    # which outputs are shown is known when the scans were compared
    opened, _ = counted("compare", before, after, "--html", page)
    assert opened == [3, 3]


def test_a_quiet_score_opens_its_report_once_and_imports_no_labels_nor_metrics() -> (
    None
):
    report = str(FOLDER / "garak-0.17.1.report.jsonl")
    opened, imported = counted("score", "-q", report)
    assert opened == [1]
    ours = {each for each in imported if each.startswith("garak_tbsa.")}
    assert "garak_tbsa.report.report" in ours
    assert not {each for each in ours if "labels" in each or "detector_eval" in each}
