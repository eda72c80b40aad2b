# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The independent score: it agrees where the answer is known, and sees differences.

That it knows what is no report shows in the fuzz, which holds it against the product.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.fuzz.case import Case, Outcome
from tests.fuzz.promises import assert_kept
from tests.fuzz.subjects import REPORT, SCORE
from tests.fuzz.test_fuzz import assert_documented_score
from tests.gold import expected_json
from tools.fuzz import oracle, oracle_report

SETUP = {"entry_type": "start_run setup"}


def report(*rows: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in (SETUP, *rows))


def digest(*, tier: int = 1, **numbers: Any) -> dict[str, Any]:
    """A digest with one probe."""
    entry = {"absolute_score": 0.5, **numbers}
    probe = {"_summary": {"probe_tier": tier}, "d.D": entry}
    return {"entry_type": "digest", "meta": {}, "eval": {"group": {"a.p": probe}}}


@pytest.mark.parametrize("module", [oracle, oracle_report])
def test_it_imports_nothing_of_the_product(module: ModuleType) -> None:
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    assert not re.search(r"^\s*(from|import) garak_tbsa", text, re.MULTILINE)


def test_it_agrees_with_the_gold_reports(gold_report: str) -> None:
    path = Path(gold_report)
    expected = json.loads(expected_json(path).read_text(encoding="utf-8"))["tbsa"]
    assert float(oracle.tbsa(path.read_bytes())) == expected  # type: ignore[arg-type]


def outcome(**changed: Any) -> Outcome:
    fine = Outcome(code=1, out="", err="garak-tbsa: no\n", written={})
    return replace(fine, **changed)


def test_a_wrong_score_is_a_failure() -> None:
    case = Case(argv=(*SCORE, "--fail-under", "3.5"), files={REPORT: report(digest())})
    for tbsa, code in ((None, 1), (3.1, 3), (3.0, 0)):
        written = {} if tbsa is None else {"out.json": f'{{"tbsa": {tbsa}}}'.encode()}
        with pytest.raises(AssertionError):
            assert_documented_score(case, outcome(code=code, written=written))
    right = outcome(code=3, written={"out.json": b'{"tbsa": 3.0}'})
    assert_documented_score(case, right)


@pytest.mark.parametrize(
    "change",
    [
        {"out": "\x1b[2J"},
        {"out": "a\n::error::b\n"},
        {"err": "one\ntwo\n"},
        {"err": "x" * 2000},
        {"err": "a defect of garak-tbsa: x\n"},
        {"code": 9},
        {"changed": ("scan.report.jsonl",)},
        {"written": {"scan.part": b""}},
        {"written": {"out.json": b"NaN"}},
        {"written": {"out.html": b"<p><fuzz7>"}},
        {"written": {"out.html": b"<p onclick=x>"}},
        {"written": {"out.md": b"[x](http://fuzz7.example)"}},
        {"written": {"out.xml": b"<a>"}},
    ],
)
def test_a_broken_promise_is_seen(change: dict[str, Any]) -> None:
    assert_kept(outcome())
    with pytest.raises((AssertionError, ValueError, ElementTree.ParseError)):
        assert_kept(outcome(**change))


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
    content = report(*evals, digest(**numbers))
    assert oracle.contradicts_itself(content) is contradicts
