# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of all detectors together, by probe and prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa import Unavailable, load_report
from garak_tbsa.report import outcomes as module
from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.report.report import Reading
from tests.demo_scans import BEFORE, copied_to
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

FACTS = PairFacts()
Results = dict[str, list["float | None"]]


def outcomes_of(
    tmp_path: Path, *rows: dict[str, Any], threshold: float = 0.5
) -> list[Any]:
    """Passed and evaluated outputs of the one detector, prompt by prompt."""
    path = write_report(
        tmp_path / "r.jsonl",
        [*report_rows([FACTS], setup={"run.eval_threshold": threshold}), *rows],
    )
    outcomes = Reading(path).outcomes
    if isinstance(outcomes, Unavailable):
        return [outcomes.reason]
    found = outcomes.get(FACTS.probe)
    if found is None:
        return []
    assert isinstance(found, ProbeOutcomes)
    return list(module.by_detector(found, FACTS.detector).values())


def judged_by(tmp_path: Path, *results: Results) -> Any:
    """Outcomes of a probe, one attempt with another prompt for each of these."""
    rows = [
        {**attempt_row(FACTS, prompt=str(number)), "detector_results": each}
        for number, each in enumerate(results)
    ]
    path = write_report(tmp_path / "r.jsonl", [*report_rows([FACTS]), *rows])
    outcomes = Reading(path).outcomes
    assert not isinstance(outcomes, Unavailable)
    return outcomes[FACTS.probe]


def test_a_pattern_holds_the_verdicts_of_all_detectors_on_one_output(
    tmp_path: Path,
) -> None:
    """A detector that comes up later judged nothing before."""
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
    found = judged_by(tmp_path, {"d.B": [0.0]}, {"d.A": [0.0], "d.B": []}, {"d.B": [0]})
    assert found.detectors == ("d.A", "d.B")
    assert [dict(prompt) for prompt in found.prompts.values()] == [
        {(None, True): 1},
        {(True, None): 1},
        {(None, True): 1},
    ]


def test_limits_of_what_is_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What many prompts share is held once."""
    rows: list[Results] = [{"d.A": [0.0, 1.0]}, {"d.A": [1, 0]}]
    found = judged_by(tmp_path, *rows, *rows)
    assert len(found.prompts) == 4
    assert len({id(patterns) for patterns in found.prompts.values()}) == 1
    monkeypatch.setattr(module, "MOST_DETECTORS", 2)
    rows = [{f"d.D{n}": [0.0]} for n in range(3)]
    assert isinstance(judged_by(tmp_path, *rows[:2]), ProbeOutcomes)
    reason = "it has more than 2 detectors"
    assert judged_by(tmp_path, *rows) == Unavailable(reason=reason)
    monkeypatch.setattr(module, "MOST_PROMPTS", 2)
    attempts = [attempt_row(FACTS, prompt=str(number % 2)) for number in range(9)]
    assert len(outcomes_of(tmp_path, *attempts)) == 2
    third = attempt_row(FACTS, prompt="third")
    assert "holds more than 2 prompts" in outcomes_of(tmp_path, *attempts, third)[0]


def test_verdicts_that_cannot_be_told_apart_by_output_are_unavailable(
    tmp_path: Path,
) -> None:
    found = judged_by(tmp_path, {"d.A": [0.0, 0.0], "d.B": [1.0]}, {"d.A": [0.0]})
    reason = "its detectors judged different numbers of outputs"
    assert found == Unavailable(reason=reason)


COMPLETE = attempt_row(FACTS, scores=[0.0, 1.0, 0.0])
STARTED = {**COMPLETE, "status": 1}
PROMPT = {"turns": [{"role": "user", "content": {"text": "a", "lang": "en"}}]}
TURNED = {"turns": [{"content": {"lang": "en", "text": "a"}, "role": "user"}]}
TWICE = [
    attempt_row(FACTS, prompt=PROMPT, scores=[0.0]),
    attempt_row(FACTS, prompt="another", scores=[0.0]),
    attempt_row(FACTS, prompt=TURNED, scores=[1.0, 0.0]),
]


def judged(results: object) -> list[dict[str, Any]]:
    return [{**COMPLETE, "detector_results": results}]


@pytest.mark.parametrize(
    ("rows", "threshold", "counted"),
    [
        # garak writes every attempt as started (status 1) and as complete (status 2)
        ([STARTED, COMPLETE], 0.5, [(2, 3)]),
        ([STARTED], 0.5, []),
        # a prompt that comes twice has its outputs added
        (TWICE, 0.5, [(2, 3), (1, 1)]),
        # a score >= eval_threshold is a hit
        (judged({FACTS.detector: [0.49, 0.5, 0.51]}), 0.5, [(1, 3)]),
        (judged({FACTS.detector: [0.49, 0.5, 0.51]}), 0.505, [(2, 3)]),
        (judged({FACTS.detector: [None, 0.0, None]}), 0.5, [(1, 1)]),
        (judged({FACTS.detector: [None]}), 0.5, [(0, 0)]),
        (judged({FACTS.detector: [True, False]}), 0.5, [(1, 2)]),
        (judged({FACTS.detector: [[0.0], 0.0]}), 0.5, [(1, 1)]),
        # results of another shape are passed over
        *((judged(each), 0.5, []) for each in (None, [0.0], {FACTS.detector: 0.0}, {})),
    ],
)
def test_what_each_row_counts_for(
    tmp_path: Path,
    rows: list[dict[str, Any]],
    threshold: float,
    counted: list[tuple[int, int]],
) -> None:
    assert outcomes_of(tmp_path, *rows, threshold=threshold) == counted


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
    outcomes = report.outcomes
    assert not isinstance(outcomes, Unavailable)
    for entry in report.measurements:
        found = outcomes[entry.probe]
        assert isinstance(found, ProbeOutcomes)
        counts = entry.passed, entry.total_evaluated
        assert found.counts()[entry.detector] == counts
    unread = load_report(report.source)
    Path(report.source).unlink()
    assert report.outcomes is outcomes
    gone = unread.outcomes
    assert isinstance(gone, Unavailable)
    assert report.source in gone.reason
