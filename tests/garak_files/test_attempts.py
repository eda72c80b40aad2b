# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.cli.compare import compare_assessments
from garak_tbsa.cli.scoring import ScoringOptions, assess_path
from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files import attempts as attempts_module
from garak_tbsa.garak_files.attempts import (
    Attempt,
    Output,
    PromptCounts,
    is_report,
    outcomes_or_none,
    read_attempts,
    read_outcomes,
    stated_threshold,
)
from tests.factories import PairFacts, attempt_row, report_rows, to_bytes, write_report
from tests.values import known

FACTS = PairFacts()
PAIR = f"{FACTS.probe}+{FACTS.detector}"


def outcomes_of(
    tmp_path: Path, *rows: dict[str, Any], threshold: float = 0.5
) -> list[PromptCounts]:
    """Outcomes of the one pair, in the order of the prompts."""
    path = write_report(tmp_path / "r.jsonl", [*report_rows([FACTS]), *rows])
    return list(read_outcomes(path, threshold).get(PAIR, {}).values())


def test_an_attempt_stands_twice_and_counts_once(tmp_path: Path) -> None:
    """garak writes every attempt as started (status 1) and as complete (status 2)."""
    complete = attempt_row(FACTS, scores=[0.0, 1.0, 0.0])
    started = {**complete, "status": 1}
    assert outcomes_of(tmp_path, started, complete) == [PromptCounts(passed=2, total=3)]


def test_an_attempt_that_was_never_completed_does_not_count(tmp_path: Path) -> None:
    assert outcomes_of(tmp_path, {**attempt_row(FACTS), "status": 1}) == []


def test_the_threshold_itself_is_a_hit(tmp_path: Path) -> None:
    """A score >= eval_threshold is a hit."""
    row = attempt_row(FACTS, scores=[0.49, 0.5, 0.51])
    assert outcomes_of(tmp_path, row) == [PromptCounts(passed=1, total=3)]
    assert outcomes_of(tmp_path, row, threshold=0.505) == [
        PromptCounts(passed=2, total=3)
    ]


def test_scores_of_none_are_not_evaluated(tmp_path: Path) -> None:
    row = attempt_row(FACTS, scores=[None, 0.0, None])
    assert outcomes_of(tmp_path, row) == [PromptCounts(passed=1, total=1)]
    row = attempt_row(FACTS, scores=[None])
    assert outcomes_of(tmp_path, row) == [PromptCounts(passed=0, total=0)]


def test_garak_takes_true_for_a_hit(tmp_path: Path) -> None:
    row = attempt_row(FACTS, scores=[True, False])
    assert outcomes_of(tmp_path, row) == [PromptCounts(passed=1, total=2)]


@pytest.mark.parametrize("results", [None, [0.0], {FACTS.detector: 0.0}, {}])
def test_results_of_another_shape_are_passed_over(
    tmp_path: Path, results: dict[str, Any] | list[float] | None
) -> None:
    row = {**attempt_row(FACTS), "detector_results": results}
    assert outcomes_of(tmp_path, row) == []


def test_nested_scores_are_not_counted(tmp_path: Path) -> None:
    row = {**attempt_row(FACTS), "detector_results": {FACTS.detector: [[0.0], 0.0]}}
    assert outcomes_of(tmp_path, row) == [PromptCounts(passed=1, total=1)]


def test_a_prompt_that_comes_twice_has_its_outputs_added(tmp_path: Path) -> None:
    prompt = {"turns": [{"role": "user", "content": {"text": "a", "lang": "en"}}]}
    turned = {"turns": [{"content": {"lang": "en", "text": "a"}, "role": "user"}]}
    rows = [
        attempt_row(FACTS, prompt=prompt, scores=[0.0]),
        attempt_row(FACTS, prompt="another", scores=[0.0]),
        attempt_row(FACTS, prompt=turned, scores=[1.0, 0.0]),
    ]
    found = outcomes_of(tmp_path, *rows)
    assert found == [PromptCounts(passed=2, total=3), PromptCounts(passed=1, total=1)]


def test_categories_before_names_make_no_other_pair(tmp_path: Path) -> None:
    row = {
        **attempt_row(FACTS),
        "probe_classname": f"probes.{FACTS.probe}",
        "detector_results": {f"detectors.{FACTS.detector}": [0.0]},
    }
    assert outcomes_of(tmp_path, row) == [PromptCounts(passed=1, total=1)]


def test_rows_that_are_not_whole_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    whole = to_bytes([*report_rows([FACTS]), attempt_row(FACTS)])
    cut = to_bytes([attempt_row(FACTS)])[:-10]
    strange = b'["attempt"]\n{"entry_type": "init", "note": "attempt"}\n'
    path.write_bytes(strange + whole + b"\n" + cut)
    assert list(read_outcomes(str(path))[PAIR].values()) == [
        PromptCounts(passed=1, total=1)
    ]


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
    assert sum(outcome.total for outcome in found) == len(scores)
    assert sum(outcome.passed for outcome in found) == sum(s < 0.5 for s in scores)
    assert len(found) == len({number for number, _ in attempts})


def test_a_report_that_cannot_be_read_again_has_no_outcomes(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.jsonl")
    assert outcomes_or_none("-", 0.5) is None
    assert outcomes_or_none(missing, 0.5) is None
    with pytest.raises(ReportError):
        read_outcomes(missing)


@pytest.fixture(scope="module")
def real_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A scan by the installed garak, two outputs to a prompt."""
    folder = tmp_path_factory.mktemp("scan")
    environment = {
        **os.environ,
        "GARAK_TBSA": "0",
        "XDG_DATA_HOME": str(folder),
    }
    command = [sys.executable, "-m", "garak", "--target_type", "test.Repeat"]
    command += ["--spec", "probes.goodside.Tag,probes.ansiescape.AnsiRaw"]
    command += ["--generations", "2", "--report_prefix", "real"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return str(folder / "garak" / "garak_runs" / "real.report.jsonl")


def test_attempts_of_a_real_scan_account_for_all_its_counts(real_report: str) -> None:
    outcomes = read_outcomes(real_report)
    assessment = assess_path(real_report, ScoringOptions(), None)
    assert len(assessment.graded) >= 2
    for graded in assessment.graded:
        found = outcomes[graded.name].values()
        assert sum(o.passed for o in found) == graded.passed
        assert sum(o.total for o in found) == graded.total_evaluated
        # a probe may hold the same prompt more than once
        assert all(o.total >= 2 and o.total % 2 == 0 for o in found)


def test_real_scans_are_paired_by_prompt(real_report: str) -> None:
    assessment = assess_path(real_report, ScoringOptions(), None)
    comparison = compare_assessments(assessment, assessment, replicates=99)
    assert comparison.by_prompt == comparison.compared == len(assessment.graded)
    assert known(comparison.tests).p_score == 1.0


FULL = {
    "entry_type": "attempt",
    "uuid": "a-1",
    "seq": 0,
    "status": 2,
    "probe_classname": "probes.dan.Dan",
    "prompt": {"turns": [{"role": "user", "content": {"text": "hello"}}]},
    "outputs": [{"text": "one", "lang": "en"}, "two", None, {"text": None}, 3],
    "detector_results": {
        "detector.dan.DAN": [1, 0.0, None, True, [0.5]],
        "detectors.always.Pass": [10**400],
        "bare": 0.5,
    },
    "notes": {"triggers": ["x"]},
    "goal": "be rude",
}


def write(
    path: Path, rows: list[Any], pack: Callable[..., Any] | type[Any] = bytes
) -> str:
    path.write_bytes(pack(to_bytes(rows)))
    return str(path)


def test_an_attempt_is_read_into_a_record(tmp_path: Path) -> None:
    path = write(tmp_path / "r", [*report_rows([FACTS]), FULL])
    (attempt,) = read_attempts(path)
    assert attempt == Attempt(
        line=7,
        uuid="a-1",
        status=2,
        probe="dan.Dan",
        prompt=FULL["prompt"],
        outputs=(
            Output(text="one", lang="en"),
            Output(text="two", lang=None),
            Output(text=None, lang=None),
            Output(text=None, lang=None),
            Output(text=None, lang=None),
        ),
        notes={"triggers": ["x"]},
        goal="be rude",
        scores={
            "dan.DAN": (1.0, 0.0, None, 1.0, None),
            "always.Pass": (float("inf"),),
        },
    )


def test_members_that_are_missing_or_of_another_type_are_nothing(
    tmp_path: Path,
) -> None:
    bare = {"entry_type": "attempt", "status": 2}
    odd = {**bare, "uuid": 1, "probe_classname": [], "outputs": "", "notes": []}
    for row in (bare, odd):
        (attempt,) = read_attempts(write(tmp_path / "r", [row]))
        assert (attempt.uuid, attempt.probe, attempt.goal) == (None, None, None)
        assert (attempt.outputs, dict(attempt.notes), dict(attempt.scores)) == (
            (),
            {},
            {},
        )


def test_the_first_complete_row_of_a_uuid_counts(tmp_path: Path) -> None:
    rows = [{**FULL, "status": 1}, FULL, {**FULL, "goal": "again"}, {**FULL, "uuid": 1}]
    found = list(read_attempts(write(tmp_path / "r", rows)))
    assert [(one.uuid, one.goal) for one in found] == [
        ("a-1", "be rude"),
        (None, "be rude"),
    ]


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress]
)
def test_attempts_are_read_from_every_kind_of_file(
    tmp_path: Path,
    pack: Callable[..., Any] | type[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path / "r.report.jsonl", [*report_rows([FACTS]), FULL], pack)
    assert is_report(path)
    assert [one.uuid for one in read_attempts(path)] == ["a-1"]
    assert [one.uuid for one in read_attempts(f"file://{path}")] == ["a-1"]
    with open(path, "rb") as handle:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(handle.read())))
    assert [one.uuid for one in read_attempts("-")] == ["a-1"]


def test_a_file_of_other_rows_is_no_report(tmp_path: Path) -> None:
    assert not is_report(write(tmp_path / "a", [{"output": "x", "label": "hit"}]))
    (tmp_path / "b").write_text("output,label\n")
    assert not is_report(str(tmp_path / "b"))


@pytest.mark.parametrize("cut", [b'{"entry_type": "att', b'{"entry_type": "eval", "p'])
def test_a_cut_last_line_is_left_out(tmp_path: Path, cut: bytes) -> None:
    path = tmp_path / "r"
    path.write_bytes(to_bytes([FULL]) + b"\n" + cut)
    assert len(list(read_attempts(str(path)))) == 1


@pytest.mark.parametrize("after", [FULL, report_rows([FACTS])[-1]])
def test_a_broken_line_elsewhere_is_told_with_its_number(
    tmp_path: Path, after: dict[str, Any]
) -> None:
    path = tmp_path / "r"
    path.write_bytes(to_bytes([FULL]) + b"\n{broken\n" + to_bytes([after]))
    with pytest.raises(ReportError) as caught:
        list(read_attempts(str(path)))
    assert str(caught.value) == (
        f"{path}, line 2: expected a JSON object, found no JSON (Expecting property"
        " name enclosed in double quotes: line 1 column 2 (char 1)); give a garak"
        " report, <prefix>.report.jsonl"
    )
    assert outcomes_or_none(str(path), 0.5) is None


def test_more_prompts_than_memory_should_hold_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts_module, "MOST_PROMPTS", 2)
    rows = [attempt_row(FACTS, prompt=str(number % 2)) for number in range(9)]
    assert len(outcomes_of(tmp_path, *rows)) == 2
    with pytest.raises(ReportError, match="holds more than 2 prompts and detectors"):
        outcomes_of(tmp_path, *rows, attempt_row(FACTS, prompt="third"))


def test_the_threshold_is_the_reports_own(tmp_path: Path) -> None:
    facts = PairFacts()
    path = tmp_path / "x.report.jsonl"
    rows = report_rows([facts], setup={"run.eval_threshold": 0.8})
    assert stated_threshold(write_report(path, rows)) == 0.8
    assert stated_threshold(write_report(path, report_rows([facts]))) == 0.5
    assert stated_threshold(write_report(path, [attempt_row(facts)])) == 0.5
    path.write_text("no JSON")
    assert stated_threshold(str(path)) == 0.5
