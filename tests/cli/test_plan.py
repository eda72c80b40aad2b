# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa plan``, from a report's attempts and without them."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from garak_tbsa.cli.main import main
from garak_tbsa.statistics import trials
from tests.factories import (
    PairFacts,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)

if TYPE_CHECKING:
    from pathlib import Path

PAIR = "probe.P00+D"
FILE = files("garak_tbsa") / "schemas" / "plan.schema.json"
SCHEMA = json.loads(FILE.read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_knows_every_key() -> None:
    """A schema that lists no key would find no fault."""
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw fewer comparisons: what is tested here is what is said of them."""
    monkeypatch.setattr(trials, "RUNS", 5)


@pytest.fixture
def counted(tmp_path: Path) -> str:
    """A report without attempts."""
    pairs = pairs_named((1, 9, 12), (2, 11, 12))
    rows = report_rows(pairs, setup={"run.generations": 1, "run.seed": None})
    return write_report(tmp_path / "counted.report.jsonl", rows)


def with_attempts(folder: Path, **setup: object) -> str:
    hits = [(0, 0), (0, 1), (1, 1), (0, 0), (0, 1), (0, 0)]
    facts = PairFacts(probe="p.P", detector="d.D", passed=8, total=12)
    rows = report_rows([facts], setup={"run.generations": 2, **setup})
    rows[2:2] = [
        attempt_row(facts, prompt=f"prompt {number}", scores=list(map(float, scores)))
        for number, scores in enumerate(hits)
    ]
    return write_report(folder / "attempts.report.jsonl", rows)


def test_one_pair(
    counted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    options = ["--pair", PAIR, "--drop", "0.5", "--repeat", "same-prompts"]
    assert main(["plan", counted, *options, "-j", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"Change to find: the pass rate of {PAIR} falls by 50 points" in out
    assert "Assumed: the same prompts in both scans; " in out
    assert "only counts, without attempts" in " ".join(out.split())
    document = json.loads(path.read_text(encoding="utf-8"))
    assert list(VALIDATOR.iter_errors(document)) == []
    assert document["change"]["pair"] == PAIR
    assert document["change"]["rate_drop"] == 0.5
    assert document["repeat"] == "same-prompts"
    assert (document["pairs"], document["pairs_by_attempts"]) == (2, 0)
    assert document["now"]["generations"] == 1
    assert document["now"]["outputs"] == 24
    enough = document["plans"][-1]["enough"]
    assert enough["share"] == enough["found"] / enough["runs"] >= 0.8
    assert f"{enough['generations']} generation" in out


def test_attempts_say_how_alike_outputs_of_a_prompt_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    report = with_attempts(tmp_path, **{"run.seed": 7})
    options = ["--pair", "p.P+d.D", "--drop", "0.5", "-j", str(path)]
    assert main(["plan", report, *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "estimated from this scan; attempts of 1 of 1 pair." in out
    document = json.loads(path.read_text(encoding="utf-8"))
    assert list(VALIDATOR.iter_errors(document)) == []
    # a set seed asks the same prompts
    assert document["repeat"] == "same-prompts"
    assert document["correlation_measured"]
    assert document["now"]["generations"] == 2


WHAT = (
    "say what to find: --detect D for the score, or --pair PROBE+DETECTOR with --drop R"
    " for one pair"
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), WHAT),
        (("--pair", PAIR), WHAT),
        (("--drop", "0.2"), WHAT),
        (("--detect", "0.3", "--pair", PAIR, "--drop", "0.2"), WHAT),
        (
            ("--pair", "probe.P00+d", "--drop", "0.2"),
            "no pair with counts is called 'probe.P00+d'; did you mean probe.P00+D?",
        ),
        (
            ("--pair", "x", "--drop", "0.2"),
            "no pair with counts is called 'x'; score -v lists them",
        ),
    ],
)
def test_what_to_find_must_be_said(
    arguments: tuple[str, ...],
    message: str,
    counted: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["plan", counted, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_a_change_that_cannot_be(
    counted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", counted, "--pair", PAIR, "--drop", "0.9"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"garak-tbsa: {counted}: {PAIR} passes 75.0% of the time, which cannot fall by"
        " 0.9; give a smaller --drop\n"
    )
