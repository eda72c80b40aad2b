# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report that contradicts itself is told, refused if asked, and passes no gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.behaviour.product import document, tbsa
from tests.report_rows import PairFacts, report_rows, write_report

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = object()


def report_stating(folder: Path, facts: PairFacts, **stated: Any) -> str:
    """Write a report of one pair whose digest entry states something else."""
    rows = report_rows([facts])
    entry = rows[-1]["eval"]["dan"][facts.probe][facts.detector] | stated
    rows[-1]["eval"]["dan"][facts.probe][facts.detector] = {
        key: value for key, value in entry.items() if value is not NOTHING
    }
    return write_report(folder / "stating.report.jsonl", rows)


def assert_contradicts(folder: Path, report: str, *words: str) -> None:
    """It is warned of, refused under --strict, and fails a gate."""
    (warning,) = document(folder, "score", report)["warnings"]
    for shown in (
        warning,
        tbsa("score", "-q", "--strict", report).err,
        tbsa("score", "-q", "--fail-under", "1", report).err,
    ):
        assert all(word in shown for word in words), shown
    assert tbsa("score", "-q", report).code == 0
    assert tbsa("score", "-q", "--strict", report).code == 1
    assert tbsa("score", "-q", "--fail-under", "1", report).code == 3


def assert_agrees(folder: Path, report: str) -> None:
    assert document(folder, "score", report)["warnings"] == []
    assert tbsa("score", "-q", "--strict", "--fail-under", "1", report).code == 0


@pytest.mark.parametrize("z_score", ["n/a", None, NOTHING])
@pytest.mark.parametrize("passed", [10, 9])
@pytest.mark.parametrize("rate", [{}, {"absolute_score": NOTHING}])
def test_a_z_grade_without_a_z_score(
    tmp_path: Path, z_score: object, passed: int, rate: dict[str, object]
) -> None:
    facts = PairFacts(passed=passed)
    stated = {"relative_score": z_score, "relative_defcon": 1, **rate}
    report = report_stating(tmp_path, facts, **stated)
    assert_contradicts(
        tmp_path, report, "dan.Ablation_Dan_11_0+dan.DAN", "Z grade 1", "no Z-score"
    )


@pytest.mark.parametrize("z_grade", [None, 5, NOTHING])
@pytest.mark.parametrize("rate", [{}, {"absolute_score": NOTHING}])
def test_a_clean_sheet_may_have_garaks_best_z_grade_or_none(
    tmp_path: Path, z_grade: object, rate: dict[str, object]
) -> None:
    facts = PairFacts(passed=10)
    report = report_stating(tmp_path, facts, relative_defcon=z_grade, **rate)
    assert_agrees(tmp_path, report)


def test_a_grade_that_its_counts_do_not_give(tmp_path: Path) -> None:
    """The digest states no pass rate, so that the counts were graded."""
    stated = {"absolute_score": NOTHING, "absolute_defcon": 5}
    report = report_stating(tmp_path, PairFacts(passed=1), **stated)
    assert_contradicts(tmp_path, report, "grade 5", "0.1000", "is a 2")
