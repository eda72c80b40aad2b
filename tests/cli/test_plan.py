# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa plan``, from a report's attempts and without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.outputs.planning import PlannedComparison, lines
from garak_tbsa.statistics import trials
from garak_tbsa.statistics.kinds import FRESH_PROMPTS
from garak_tbsa.statistics.plan import Plan, Row
from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.factories import assessment_of
from tests.outputs.samples import mixed_rows, write
from tests.report_rows import pairs_named, write_alike

PAIR = "probe.P00+D"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw fewer comparisons: what is tested here is what is said of them."""
    monkeypatch.setattr(trials, "RUNS", 5)


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """A report without attempts."""
    setup = {"run.generations": 1, "run.seed": None}
    return scan(tmp_path, pairs_named((1, 9, 12), (2, 11, 12)), setup=setup)


def test_one_pair(counted: Path, tmp_path: Path) -> None:
    options = ["--pair", PAIR, "--drop", "0.5", "--repeat", "same-prompts"]
    found = document(tmp_path, "plan", counted, *options)
    assert_keeps_schema(found, "plan.schema.json")
    assert (found["change"]["pair"], found["change"]["rate_drop"]) == (PAIR, 0.5)
    assert found["repeat"] == "same-prompts"
    assert (found["pairs"], found["pairs_by_attempts"]) == (2, 0)
    assert (found["now"]["generations"], found["now"]["outputs"]) == (1, 24)
    enough = found["plans"][-1]["enough"]
    assert enough["share"] == enough["found"] / enough["runs"] >= 0.8
    shown = tbsa("plan", counted, *options)
    assert (shown.code, shown.err) == (0, "")
    said = f"Change to find: the pass rate of {PAIR} falls by 50 points"
    assert said in shown.out
    assert "Assumed: the same prompts in both scans; " in shown.out
    assert "only counts, without attempts" in " ".join(shown.out.split())
    assert f"{enough['generations']} generation" in shown.out


def test_attempts_say_how_alike_outputs_of_a_prompt_are(tmp_path: Path) -> None:
    # a set seed asks the same prompts
    report = write_alike(tmp_path)
    options = ["--pair", PAIR, "--drop", "0.5"]
    found = document(tmp_path, "plan", report, *options)
    assert_keeps_schema(found, "plan.schema.json")
    assert found["repeat"] == "same-prompts"
    assert found["correlation_measured"]
    assert found["now"]["generations"] == 4
    text = " ".join(tbsa("plan", report, *options).out.split())
    assert "estimated from this scan; attempts of 3 of 3 pairs." in text


def test_what_to_find_must_be_said_and_possible(counted: Path) -> None:
    what = (
        "say what to find: --detect D for the score, or --pair PROBE+DETECTOR with"
        " --drop R for one pair"
    )
    unknown = f"{counted}: no pair with counts is called"
    for arguments, code, message in (
        ([], 2, what),
        (["--pair", PAIR], 2, what),
        (["--drop", 0.2], 2, what),
        (["--detect", 0.3, "--pair", PAIR, "--drop", 0.2], 2, what),
        (
            ["--pair", "probe.P00+d", "--drop", 0.2],
            *(2, f"{unknown} 'probe.P00+d'; did you mean probe.P00+D?"),
        ),
        (
            ["--pair", "x", "--drop", 0.2],
            *(2, f"{unknown} 'x'; score -v lists them"),
        ),
        (
            ["--pair", PAIR, "--drop", 0.9],
            1,
            f"{counted}: {PAIR} passes 75.0% of the time, which cannot fall by 0.9;"
            " give a smaller --drop",
        ),
    ):
        shown = tbsa("plan", counted, *arguments)
        assert (shown.code, shown.error) == (code, f"garak-tbsa: {message}")
    shown = tbsa("plan", counted, "--detect", 9)
    usage = "usage: garak-tbsa plan [OPTION ...] REPORT"
    problem = "argument --detect: expected a number from 0.01 to 4, found '9'"
    assert shown == (2, "", f"{usage}\ngarak-tbsa: {problem}\n")


def design(prompts: float, generations: int, found: int) -> trials.Design:
    return trials.Design(
        prompts=prompts,
        generations=generations,
        outputs=1200,
        found=found,
        runs=80,
        lower=found / 80 - 0.1,
        upper=found / 80 + 0.1,
    )


def test_what_is_enough_and_what_is_not(tmp_path: Path) -> None:
    few, many = design(1.0, 100, 30), design(4.0, 2, 66)
    found = Plan(
        change=trials.Change(score_drop=0.3, odds_factor=1.3946),
        alpha=0.05,
        repeat=FRESH_PROMPTS,
        correlation=0.1,
        is_measured=False,
        pairs=57,
        by_attempts=20,
        now=design(1.0, 1, 8),
        rows=(
            Row(prompts=1.0, enough=None, largest=few),
            Row(prompts=4.0, enough=many, largest=many),
        ),
    )
    assessment = assessment_of(write(tmp_path, "mixed", mixed_rows()))
    shown = lines(PlannedComparison(assessment=assessment, plan=found))
    assert all(len(line) < 80 for line in shown if assessment.report.source not in line)
    text = " ".join(" ".join(shown).split())
    for said in (
        "the score falls by 0.3 on average (in every pair, the odds of a hit are 1.39",
        "outputs) show it in this share of comparisons: 10 %, range under 1 % to 20 %",
        "For 80 % of comparisons to show it",
        "as many prompts: not with 100 generations (38 %, range 28 % to 48 %)",
        "four times as many prompts: 2 generations, 1,200 outputs (82 %, range 72 % to"
        " 92 %)",
        "different prompts in each scan; a correlation of 0.10 between outputs of one"
        " prompt, assumed, since this scan cannot show it; attempts of 20 of 57 pairs.",
        "Each share is of 80 simulated comparisons. Its range (90 %) allows for what",
    ):
        assert said in text
