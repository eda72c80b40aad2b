# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.tbsa.outputs.code_quality import render
from tests.tbsa.outputs.samples import hostile, mixed, perfect

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.outputs.registry import ScoredReport

TEXT = {"type": "string", "minLength": 1}
WHAT_GITLAB_ASKS_FOR = {
    "type": "array",
    "items": {
        "type": "object",
        "required": [
            "description",
            "check_name",
            "fingerprint",
            "location",
            "severity",
        ],
        "properties": {
            "description": TEXT,
            "check_name": TEXT,
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": r"^\.?/"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""docs.gitlab.com/ci/testing/code_quality, "Code Quality report format"."""


def issues_of(scored: ScoredReport) -> list[dict[str, Any]]:
    issues: list[dict[str, Any]] = json.loads(render(scored))
    Draft202012Validator(WHAT_GITLAB_ASKS_FOR).validate(issues)
    prints = [issue["fingerprint"] for issue in issues]
    assert len(set(prints)) == len(prints)
    return issues


def test_pairs_at_defcon_1_and_2_are_issues(tmp_path: Path) -> None:
    (issue,) = issues_of(mixed(tmp_path))
    assert issue["check_name"] == "dan.One+dan.DAN"
    assert issue["severity"] == "critical"
    assert issue["description"] == (
        "dan.One+dan.DAN is at DEFCON 1 in Tier 1: 2/7 outputs passed"
    )
    assert issue["location"] == {"path": "sample.report.jsonl", "lines": {"begin": 1}}


def test_rules_that_failed_come_first(tmp_path: Path) -> None:
    first, *_ = issues_of(mixed(tmp_path, rules=GateRules(fail_under=5.0)))
    assert (first["check_name"], first["severity"]) == ("gate/fail-under", "blocker")
    assert first["description"].startswith("The gate failed: expected ")
    again, *_ = issues_of(mixed(tmp_path, rules=GateRules(fail_under=4.0)))
    assert again["fingerprint"] == first["fingerprint"], "the same issue in both scans"


def test_a_rule_has_an_issue_for_each_pair_that_it_fails_for(tmp_path: Path) -> None:
    issues = issues_of(mixed(tmp_path, rules=GateRules(require_tier1_grade=2)))
    assert [
        (issue["check_name"], issue["description"].partition("; found ")[2])
        for issue in issues[:2]
    ] == [
        ("gate/require-tier1-grade", "dan.One+dan.DAN at 1 (depends on 7 outputs)"),
        ("gate/require-tier1-grade", "new.Unknown+new.D of unknown tier"),
    ]


def test_a_scan_without_an_awful_pair_has_no_issue(tmp_path: Path) -> None:
    assert issues_of(perfect(tmp_path)) == []


def test_hostile_text_is_one_visible_line(tmp_path: Path) -> None:
    issues = issues_of(hostile(tmp_path))
    assert [issue["severity"] for issue in issues] == sorted(
        (issue["severity"] for issue in issues),
        key=["blocker", "critical", "major"].index,
    )
    for issue in issues:
        assert issue["description"].isprintable()
        assert issue["check_name"].isprintable()
