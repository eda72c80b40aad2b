# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The independent score: it agrees where the answer is known, and sees differences."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.gold import expected_json
from tools.fuzz import oracle, oracle_report, reports
from tools.fuzz.case import Case
from tools.fuzz.drive import Outcome

SETUP = {"entry_type": "start_run setup"}


def report(*rows: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in (SETUP, *rows))


def digest(**pairs: dict[str, Any]) -> dict[str, Any]:
    """A digest with one probe for each pair, in the tier that ``tier`` says."""
    groups = {
        "group": {
            f"a.{name}": {
                "_summary": {"probe_tier": numbers.pop("tier", 1)},
                "d.D": {"absolute_score": 0.5, **numbers},
            }
            for name, numbers in pairs.items()
        }
    }
    return {"entry_type": "digest", "meta": {}, "eval": groups}


@pytest.mark.parametrize("module", [oracle, oracle_report])
def test_it_imports_nothing_of_the_product(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    names = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    ]
    modules = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not any("garak_tbsa" in str(name) for name in (*names, *modules))


def test_it_agrees_with_the_gold_reports(gold_report: str) -> None:
    path = Path(gold_report)
    expected = json.loads(expected_json(path).read_text(encoding="utf-8"))["tbsa"]
    assert float(oracle.tbsa(path.read_bytes())) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "tbsa"),
    [
        ({"p": {"absolute_defcon": 1}}, "1"),
        # harmonic mean of 5 and 2 is 20/7, twice, and 5 once: 25/7 * ... = 3.57
        (
            {
                "p": {"absolute_defcon": 5},
                "q": {"absolute_defcon": 2},
                "r": {"absolute_defcon": 5, "tier": 2},
            },
            "3.6",
        ),
        # the lower of both grades
        (
            {"p": {"absolute_defcon": 5, "relative_score": -2, "relative_defcon": 1}},
            "1",
        ),
        # a clean sheet locks the Z grade
        ({"p": {"absolute_score": 1, "relative_score": -2}}, "5"),
        ({"p": {"absolute_score": 0.8}}, "4"),
        ({"p": {}, "q": {"absolute_defcon": 1, "tier": 3}}, "3"),
        ({"p": {}, "q": {"passed": 0, "total_evaluated": 0}}, "3"),
    ],
)
def test_literal_scores(pairs: dict[str, Any], tbsa: str) -> None:
    assert oracle.tbsa(report(digest(**pairs))) == Fraction(tbsa)


def test_nothing_in_tiers_1_and_2_is_no_number() -> None:
    only = report(digest(p={"tier": 9}))
    assert isinstance(oracle.tbsa(only), oracle.NoScore)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        report(digest(p={"absolute_score": 2})),
        report(digest(p={"absolute_defcon": 6})),
        report(digest(p={"passed": 2, "total_evaluated": 1})),
        report(digest(p={}), digest(p={})),
        report(digest(p={"absolute_score": float("nan")})),
        b"\x1f\x8b" + report(digest(p={})),
    ],
)
def test_it_says_nothing_of_damaged_reports(content: bytes) -> None:
    with pytest.raises(oracle.Outside):
        oracle.tbsa(content)


def judged(content: bytes, outcome: Outcome) -> str | None:
    case = Case(
        subject="reports",
        origin="",
        files={reports.REPORT: content},
        argv=("score", reports.REPORT, "-j", "out.json", "--fail-under", "3.5"),
    )
    failure = reports.judge(case, outcome)
    return None if failure is None else failure.kind


def test_a_wrong_score_is_a_failure() -> None:
    content = report(digest(p={}))
    refused = Outcome(code=1, out="", err="garak-tbsa: no\n")
    assert judged(content, refused) == "no score"
    for tbsa, failure in ((3.1, "another score"), (3.0, "a gate passed")):
        written = {"out.json": json.dumps({"tbsa": tbsa}).encode()}
        outcome = Outcome(code=0, out="", err="", written=written)
        kind = reports._against_oracle(
            Case(
                subject="reports",
                origin="",
                files={reports.REPORT: content},
                argv=("score", reports.REPORT, "--fail-under", "3.5"),
            ),
            outcome,
        )
        assert kind is not None
        assert kind.kind == failure


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"out": "\x1b[2J"}, "control characters in the output"),
        ({"out": "a\n::error::b\n"}, "a workflow command in the output"),
        ({"err": "one\ntwo\n"}, "not one line on stderr"),
        ({"err": "x" * 2000}, "a long line on stderr"),
        ({"err": "a defect of garak-tbsa: x\n"}, "a defect by its own word"),
        ({"crash": "KeyError: x"}, "KeyError"),
        ({"code": 9}, "exit code"),
        ({"changed": ("scan.report.jsonl",)}, "input changed"),
        ({"written": {"scan.part": b""}}, "stray file"),
        ({"written": {"out.json": b"NaN"}}, "bad document .json"),
        ({"written": {"out.html": b"<p><fuzz7>"}}, "bad document .html"),
        ({"written": {"out.html": b"<p onclick=x>"}}, "bad document .html"),
        ({"written": {"out.md": b"[x](http://fuzz7.example)"}}, "bad document .md"),
        ({"written": {"out.xml": b"<a>"}}, "bad document .xml"),
    ],
)
def test_what_must_not_be_is_seen(change: dict[str, Any], kind: str) -> None:
    fine = Outcome(code=1, out="", err="garak-tbsa: no\n")
    assert judged(b"", fine) is None
    assert judged(b"", replace(fine, **change)) == kind


@pytest.mark.parametrize(
    ("numbers", "rows", "contradicts"),
    [
        ({"absolute_defcon": 3}, [], False),
        ({"absolute_defcon": 5}, [], True),
        ({"absolute_defcon": 5, "tier": 3}, [], False),
        ({"absolute_defcon": 5, "passed": 0, "total_evaluated": 0}, [], False),
        ({"absolute_score": 1, "absolute_defcon": 5}, [], False),
        ({"passed": 1, "total_evaluated": 2}, [("a.p", 1, 2)], False),
        ({"passed": 1, "total_evaluated": 2}, [("a.p", 2, 2)], True),
        ({}, [("a.p", 2, 2)], False),
        ({}, [("a.q", 2, 2)], True),
    ],
)
def test_a_digest_is_held_against_itself_and_its_rows(
    numbers: dict[str, Any], rows: list[tuple[str, int, int]], contradicts: bool
) -> None:
    evals = [
        {"entry_type": "eval", "probe": p, "detector": "d.D", "passed": k, "total": n}
        for p, k, n in rows
    ]
    content = report(*evals, digest(p=numbers))
    assert oracle.contradicts_itself(content) is contradicts
