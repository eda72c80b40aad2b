# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from garak_tbsa.labels.gate import judge_range
from garak_tbsa.labels.score import ScoreRange
from garak_tbsa.tbsa.assessment import held_against_rows
from tests.factories import assessment_of, pairs_named, report_rows, write_report


def audit(*problems: str, warnings: tuple[str, ...] = ()) -> Any:
    """As much of an audit as a gate asks for."""
    found = ScoreRange(tenths=29, lower=25, upper=33)
    return SimpleNamespace(
        score=SimpleNamespace(by_labels=found),
        warnings=warnings,
        matched=SimpleNamespace(problems=problems, unusable=1200 * len(problems)),
    )


def test_a_report_that_contradicts_itself_passes_no_gate(tmp_path: Path) -> None:
    facts = pairs_named((1, 9, 10))
    rows = report_rows(facts)
    rows[3]["passed"] = 3
    rows[3]["fails"] = 7
    path = write_report(tmp_path / "a.report.jsonl", rows)
    assessment = held_against_rows(assessment_of(path, facts))
    verdict = judge_range(assessment, audit(), 1.0)
    assert [outcome.passed for outcome in verdict.outcomes] == [True, False]


def test_labels_that_could_not_be_used_leave_nothing_to_judge(tmp_path: Path) -> None:
    facts = pairs_named((1, 9, 10))
    path = write_report(tmp_path / "a.report.jsonl", report_rows(facts))
    assessment = held_against_rows(assessment_of(path, facts))
    rule, _ = judge_range(assessment, audit("x, line 3: cut off"), 1.0).outcomes
    assert not rule.passed
    assert rule.found == (
        "2.9 (2.5 to 3.3) by labels, not judged, since 1,200 of the labels could not be"
        " used, first x, line 3: cut off"
    )


def test_what_speaks_against_the_labels_fails_the_gate(tmp_path: Path) -> None:
    """\"Warnings, which fail `--fail-under`\""""
    facts = pairs_named((1, 9, 10))
    path = write_report(tmp_path / "a.report.jsonl", report_rows(facts))
    assessment = held_against_rows(assessment_of(path, facts))
    rule, _ = judge_range(assessment, audit(warnings=("all 30 are hit",)), 1.0).outcomes
    assert (rule.passed, rule.found) == (
        False,
        "2.9 (2.5 to 3.3) by labels, not judged, since all 30 are hit",
    )
