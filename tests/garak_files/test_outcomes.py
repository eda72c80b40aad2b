# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of all detectors together, by probe and prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files import outcomes as module
from garak_tbsa.garak_files.outcomes import (
    ProbeOutcomes,
    by_detector,
    outcomes_of_report,
    read_outcomes,
)
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.unavailable import Unavailable
from tests.demo_scans import BEFORE, copied_to
from tests.factories import PairFacts, attempt_row, report_rows, write_report

FACTS = PairFacts()


def outcomes_of(
    tmp_path: Path, *rows: dict[str, Any], threshold: float = 0.5
) -> list[Any]:
    """Passed and evaluated outputs of the one detector, prompt by prompt."""
    path = write_report(tmp_path / "r.jsonl", [*report_rows([FACTS]), *rows])
    found = read_outcomes(path, threshold).get(FACTS.probe)
    if found is None:
        return []
    assert isinstance(found, ProbeOutcomes)
    return list(by_detector(found, FACTS.detector).values())


def judged_by(tmp_path: Path, *results: dict[str, list[float | None]]) -> Any:
    """Outcomes of a probe, one attempt with another prompt for each of these."""
    rows = [
        {**attempt_row(FACTS, prompt=str(number)), "detector_results": each}
        for number, each in enumerate(results)
    ]
    path = write_report(tmp_path / "r.jsonl", [*report_rows([FACTS]), *rows])
    return read_outcomes(path)[FACTS.probe]


def test_a_pattern_holds_the_verdicts_of_all_detectors_on_one_output(
    tmp_path: Path,
) -> None:
    found = judged_by(
        tmp_path,
        {"d.B": [0.0, 1.0, 0.0], "d.A": [1.0, 1.0, 1.0]},
        {"d.B": [0.0, None, 1.0], "d.A": [None, None, 1.0]},
    )
    assert found.detectors == ("d.A", "d.B")
    assert [dict(prompt) for prompt in found.prompts.values()] == [
        {(False, True): 2, (False, False): 1},
        {(None, True): 1, (None, None): 1, (False, False): 1},
    ]
    assert found.counts() == {"d.A": (0, 4), "d.B": (3, 5)}


def test_a_detector_that_comes_up_later_judged_nothing_before(tmp_path: Path) -> None:
    found = judged_by(tmp_path, {"d.B": [0.0]}, {"d.A": [0.0], "d.B": []}, {"d.B": [0]})
    assert found.detectors == ("d.A", "d.B")
    assert [dict(prompt) for prompt in found.prompts.values()] == [
        {(None, True): 1},
        {(True, None): 1},
        {(None, True): 1},
    ]


def test_what_many_prompts_share_is_held_once_and_large_attempts_not_remembered(
    tmp_path: Path,
) -> None:
    """Long scans have many prompts and few outcomes."""
    rows: list[dict[str, list[float | None]]] = [{"d.A": [0.0, 1.0]}, {"d.A": [1, 0]}]
    found = judged_by(tmp_path, *rows, *rows)
    assert len(found.prompts) == 4
    assert len({id(patterns) for patterns in found.prompts.values()}) == 1
    many = module.MOST_CACHED
    module._counted.cache_clear()
    found = judged_by(tmp_path, {"d.A": [0.0, 1.0] * many, "d.B": [1.0, 1.0] * many})
    (patterns,) = found.prompts.values()
    assert patterns == {(True, False): many, (False, False): many}
    assert module._counted.cache_info().currsize == 0


def test_verdicts_that_cannot_be_told_apart_by_output_are_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = judged_by(tmp_path, {"d.A": [0.0, 0.0], "d.B": [1.0]}, {"d.A": [0.0]})
    reason = "its detectors judged different numbers of outputs"
    assert found == Unavailable(reason=reason)
    monkeypatch.setattr(module, "MOST_DETECTORS", 2)
    rows: list[dict[str, list[float | None]]] = [{f"d.D{n}": [0.0]} for n in range(3)]
    assert isinstance(judged_by(tmp_path, *rows[:2]), ProbeOutcomes)
    reason = "it has more than 2 detectors"
    assert judged_by(tmp_path, *rows) == Unavailable(reason=reason)


def test_an_attempt_stands_twice_and_counts_once(tmp_path: Path) -> None:
    """garak writes every attempt as started (status 1) and as complete (status 2)."""
    complete = attempt_row(FACTS, scores=[0.0, 1.0, 0.0])
    started = {**complete, "status": 1}
    assert outcomes_of(tmp_path, started, complete) == [(2, 3)]
    assert outcomes_of(tmp_path, started) == []


@pytest.mark.parametrize(
    ("scores", "threshold", "counted"),
    [
        # a score >= eval_threshold is a hit
        ([0.49, 0.5, 0.51], 0.5, (1, 3)),
        ([0.49, 0.5, 0.51], 0.505, (2, 3)),
        ([None, 0.0, None], 0.5, (1, 1)),
        ([None], 0.5, (0, 0)),
        ([True, False], 0.5, (1, 2)),
        ([[0.0], 0.0], 0.5, (1, 1)),
    ],
)
def test_what_each_score_counts_for(
    tmp_path: Path, scores: list[Any], threshold: float, counted: tuple[int, int]
) -> None:
    row = attempt_row(FACTS, scores=scores)
    assert outcomes_of(tmp_path, row, threshold=threshold) == [counted]


@pytest.mark.parametrize("results", [None, [0.0], {FACTS.detector: 0.0}, {}])
def test_results_of_another_shape_are_passed_over(
    tmp_path: Path, results: dict[str, Any] | list[float] | None
) -> None:
    row = {**attempt_row(FACTS), "detector_results": results}
    assert outcomes_of(tmp_path, row) == []


def test_a_prompt_that_comes_twice_has_its_outputs_added(tmp_path: Path) -> None:
    prompt = {"turns": [{"role": "user", "content": {"text": "a", "lang": "en"}}]}
    turned = {"turns": [{"content": {"lang": "en", "text": "a"}, "role": "user"}]}
    rows = [
        attempt_row(FACTS, prompt=prompt, scores=[0.0]),
        attempt_row(FACTS, prompt="another", scores=[0.0]),
        attempt_row(FACTS, prompt=turned, scores=[1.0, 0.0]),
    ]
    assert outcomes_of(tmp_path, *rows) == [(2, 3), (1, 1)]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=4),
        ),
        max_size=8,
    )
)
def test_outcomes_add_up_to_what_garak_counts(
    tmp_path_factory: pytest.TempPathFactory, attempts: list[Any]
) -> None:
    """Passed: scores under the threshold; evaluated: scores that are not None."""
    rows = [
        attempt_row(FACTS, prompt=f"prompt {number}", scores=scores)
        for number, scores in attempts
    ]
    found = outcomes_of(tmp_path_factory.mktemp("attempts"), *rows)
    scores = [s for _, each in attempts for s in each if s is not None]
    assert sum(total for _, total in found) == len(scores)
    assert sum(passed for passed, _ in found) == sum(s < 0.5 for s in scores)
    assert len(found) == len({number for number, _ in attempts})


def test_attempts_of_a_real_scan_account_for_all_its_counts(tmp_path: Path) -> None:
    report = load_report(str(copied_to(tmp_path) / BEFORE))
    outcomes = outcomes_of_report(report)
    assert not isinstance(outcomes, Unavailable)
    for entry in report.measurements:
        found = outcomes[entry.probe]
        assert isinstance(found, ProbeOutcomes)
        counts = entry.passed, entry.total_evaluated
        assert found.counts()[entry.detector] == counts
    Path(report.source).unlink()
    gone = outcomes_of_report(report)
    assert isinstance(gone, Unavailable)
    assert report.source in gone.reason


def test_more_prompts_than_memory_should_hold_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PROMPTS", 2)
    rows = [attempt_row(FACTS, prompt=str(number % 2)) for number in range(9)]
    assert len(outcomes_of(tmp_path, *rows)) == 2
    with pytest.raises(ReportError, match="holds more than 2 prompts"):
        outcomes_of(tmp_path, *rows, attempt_row(FACTS, prompt="third"))
