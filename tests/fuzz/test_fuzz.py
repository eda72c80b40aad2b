# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every reader against inputs that Hypothesis draws: a result, or one clear line.

``make fuzz EXAMPLES=20000`` draws more of them, and others each time.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from garak_tbsa.cli.main import guarded
from garak_tbsa.host.settings import read_settings
from tests.fuzz.case import Case, Outcome, kept_cases, run
from tests.fuzz.promises import assert_kept, strict_json
from tests.fuzz.subjects import (
    MISSPELT,
    REPORT,
    SCORE,
    SETTINGS,
    label_files,
    labelled_rows,
    reports,
    summaries,
)
from tools.fuzz import oracle

EXAMPLES = os.environ.get("FUZZ_EXAMPLES")
GATES = {"--fail-under", "--require-tier1-grade", "--min-coverage", "--strict"}


def attacked(share: float) -> settings:
    """Draw so many of the examples, each within 30 seconds."""
    return settings(
        max_examples=max(1, round(share * float(EXAMPLES or 300))),
        derandomize=EXAMPLES is None,
        deadline=timedelta(seconds=30),
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(autouse=True, scope="module")
def unforeseen() -> Any:
    """An exception that nobody foresaw comes out."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GARAK_TBSA_DEBUG", "1")
        yield


def judge(case: Case) -> Outcome:
    outcome = run(case)
    assert_kept(outcome)
    if case.argv[: len(SCORE)] == SCORE:
        assert_documented_score(case, outcome)
    if "out-rank.json" in outcome.written:
        ranking = strict_json(outcome.written["out-rank.json"].decode())["ranking"]
        values = [entry["hit_f1"] for entry in ranking]
        assert values == sorted(values, reverse=True)
        assert all(0 <= value <= 1 for value in values)
    if case.argv[1:2] == ("evaluate",) and "out.json" in outcome.written:
        summary = strict_json(outcome.written["out.json"].decode())
        for entry in summary["results"].values():
            assert sum(entry["counts"].values()) == entry["rows"]["scored"]
    return outcome


def assert_documented_score(case: Case, outcome: Outcome) -> None:
    """Raise unless score and gate are as the formula alone has them."""
    document = outcome.written.get("out.json")
    ours = None if document is None else strict_json(document.decode())["tbsa"]
    content = case.files[REPORT]
    try:
        expected = oracle.tbsa(content)
    except oracle.Outside:
        return
    if isinstance(expected, oracle.NoScore):
        assert ours is None, expected.reason
        return
    assert ours == float(expected)
    if GATES & set(case.argv) and outcome.code == 0:
        assert not oracle.contradicts_itself(content), "a gate passed"
        assert "3.5" not in case.argv or expected >= 3.5, "a gate passed"


@pytest.mark.filterwarnings("default")
@attacked(0.35)
@given(reports())
def test_reports(case: Case) -> None:
    judge(case)


@pytest.mark.filterwarnings("default")
@attacked(0.35)
@given(labelled_rows() | summaries() | label_files())
def test_other_files(case: Case) -> None:
    judge(case)


@attacked(0.3)
@given(SETTINGS)
def test_settings(raw: Any) -> None:
    read: list[object] = []

    def reading() -> int:
        read.append(read_settings(raw))
        return 0

    assert guarded(reading) == (0 if read else 2)
    if isinstance(raw, dict) and set(raw) & set(MISSPELT):
        assert not read, "an unknown setting was let through"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for name, case in kept_cases().items()]
)
def test_a_case_that_once_failed_holds(case: Case) -> None:
    judge(case)
