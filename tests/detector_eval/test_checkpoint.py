# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Finished detectors beside the summary, of one evaluation or of several at once."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from garak_tbsa.detector_eval.checkpoint import Journal
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult


@pytest.fixture
def output(tmp_path: Path) -> str:
    return str(tmp_path / "summary.json")


def result(detector: str) -> DetectorResult:
    return DetectorResult(detector=detector, counts=ConfusionCounts(tp=3, tn=2))


def journal(output: str) -> closing[Journal]:
    return closing(Journal(output, start_over=False))


def test_two_evaluations_share_it_and_the_last_removes_it(output: str) -> None:
    with journal(output) as first, journal(output) as second:
        first.add("a", result("A"))
        second.add("b", result("B"))
        first.remove()
        assert os.path.exists(f"{output}.unfinished")
        second.add("c", result("C"))
        with journal(output) as later:
            known = {key: later.result(key) for key in "abc"}
        assert known == {"a": result("A"), "b": result("B"), "c": result("C")}
        second.remove()
    assert not os.path.exists(f"{output}.unfinished")


def test_an_evaluation_that_has_nothing_to_add_leaves_it_to_another(
    output: str,
) -> None:
    with journal(output) as first, journal(output) as second:
        first.add("a", result("A"))
        second.remove()
        assert os.path.exists(f"{output}.unfinished")


def test_what_a_dead_evaluation_left_is_removed(output: str) -> None:
    with journal(output) as dead:
        dead.add("a", result("A"))
    with journal(output) as next_run:
        assert next_run.result("a") == result("A")
        next_run.remove()
    assert os.listdir(os.path.dirname(output)) == []


def test_a_result_counts_only_with_the_rows_that_it_saved(output: str) -> None:
    with journal(output) as before:
        before.add("a", result("A"), "1234")
    with journal(output) as after:
        assert after.result("a", "1234") == result("A")
        assert after.result("a", "5678") is None
        assert after.result("a") is None


def test_a_line_that_a_kill_cut_short_costs_that_detector_alone(output: str) -> None:
    with journal(output) as before:
        before.add("a", result("A"))
        before.add("b", result("B"))
    path = f"{output}.unfinished"
    os.truncate(path, os.path.getsize(path) - 5)
    with journal(output) as after:
        after.add("c", result("C"))
    with journal(output) as last:
        assert last.result("a") == result("A")
        assert last.result("b") is None
        assert last.result("c") == result("C")


def test_no_journal_beside_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for output in ("-", "/dev/stdout", "/dev/null"):
        with journal(output) as kept:
            kept.add("a", result("A"))
        assert not os.path.exists(f"{output}.unfinished")
