# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from garak_tbsa.labels.outputs import (
    Place,
    read_outputs,
    why_not_audited,
)
from tests.factories import PairFacts, attempt_row, graded_pair, write_report
from tests.labels.scans import attempt, outputs_of_attempts

PROBE = "dan.DanInTheWild"


def facts(passed: int, total: int) -> PairFacts:
    return PairFacts(probe=PROBE, detector="dan.DAN", passed=passed, total=total)


def test_outputs_are_sorted_by_pair_and_verdict() -> None:
    found = outputs_of_attempts(
        attempt("u1", {"dan.DAN": [1.0, 0.0], "a.B": [0.5, None]}),
        attempt(None, {"dan.DAN": [0.4]}, line=7),
    )
    pair = found.pairs[f"{PROBE}+dan.DAN"]
    assert pair.flagged == [Place("u1", 0)]
    assert pair.unflagged == [Place("u1", 1), Place("line 7", 0)]
    assert found.pairs[f"{PROBE}+a.B"].flagged == [Place("u1", 0)]
    assert found.unscored == {
        (Place("u1", 1), "a.B"),
        (Place("line 7", 1), "dan.DAN"),
    }
    assert len(found.lengths) == 4


def test_a_report_is_read_with_the_scan_s_threshold(tmp_path: Path) -> None:
    row = attempt_row(facts(1, 2), scores=[0.6, 0.8]) | {"uuid": "u1"}
    path = write_report(tmp_path / "x.report.jsonl", [row])
    pair = read_outputs(path, 0.7).pairs[f"{PROBE}+dan.DAN"]
    assert (pair.flagged, pair.unflagged) == ([Place("u1", 1)], [Place("u1", 0)])


def test_counts_that_contradict_the_grade_are_told() -> None:
    outputs = outputs_of_attempts(attempt("u1", {"dan.DAN": [1.0, 0.0]}))
    pair = replace(graded_pair(facts(1, 2)), grades=(5, None))
    assert why_not_audited(pair, outputs) == "its counts contradict its grade"


def test_pairs_without_counts_are_told() -> None:
    outputs = outputs_of_attempts(attempt("u1", {"dan.DAN": [1.0, 0.0]}))
    pair = replace(graded_pair(facts(1, 2)), passed=None)
    assert why_not_audited(pair, outputs) == "its counts are unknown"


def test_verdicts_that_are_not_those_of_the_counts_are_told() -> None:
    outputs = outputs_of_attempts(attempt("u1", {"dan.DAN": [1.0, 1.0]}))
    assert why_not_audited(graded_pair(facts(1, 2)), outputs) == (
        "2 of its outputs are flagged, 1 in the report's counts"
    )
