# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.sarif import render
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.tbsa.gate import RULES
from garak_tbsa.tbsa.gate_options import GateRules
from tests.factories import PairFacts, pairs_named
from tests.outputs.samples import hostile, mixed, perfect, sample_of

DOCS = Path(__file__).parents[2] / "docs"

TEXT = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 5000}},
}
WHAT_GITHUB_ASKS_FOR = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "minItems": 1,
            "items": {
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name", "rules", "semanticVersion"],
                                "properties": {
                                    "rules": {"items": {"$ref": "#/$defs/rule"}}
                                },
                            }
                        },
                    },
                    "results": {"items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "rule": {
            "required": [
                "id",
                "shortDescription",
                "fullDescription",
                "help",
                "helpUri",
            ],
            "properties": {
                "helpUri": {"type": "string", "pattern": "^https://"},
                "id": {"type": "string", "minLength": 1},
                "shortDescription": TEXT,
                "fullDescription": TEXT,
                "help": TEXT,
                "properties": {
                    "properties": {
                        "tags": {"type": "array", "maxItems": 20},
                        "security-severity": {"pattern": r"^\d+\.\d$"},
                    }
                },
            },
        },
        "result": {
            "required": ["ruleId", "message", "locations", "partialFingerprints"],
            "properties": {
                "level": {"enum": ["note", "warning", "error"]},
                "message": TEXT,
                "locations": {
                    "minItems": 1,
                    "items": {
                        "required": ["physicalLocation"],
                        "properties": {
                            "physicalLocation": {
                                "required": ["artifactLocation", "region"],
                                "properties": {
                                    "artifactLocation": {"required": ["uri"]},
                                    "region": {
                                        "properties": {"startLine": {"minimum": 1}},
                                        "required": ["startLine"],
                                    },
                                },
                            }
                        },
                    },
                },
            },
        },
    },
}
"""docs.github.com, "SARIF support for code scanning"."""


def run_of(sample: ScoredReport) -> dict[str, Any]:
    document = json.loads(render(sample))
    Draft202012Validator(WHAT_GITHUB_ASKS_FOR).validate(document)
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(dict.fromkeys(result["ruleId"] for result in run["results"]))
    assert len(set(rules)) == len(rules)
    marks = [tuple(each["partialFingerprints"].items()) for each in run["results"]]
    assert len(set(marks)) == len(marks)
    return run  # type: ignore[no-any-return]


def test_pairs_at_defcon_1_and_2_are_results(tmp_path: Path) -> None:
    run = run_of(mixed(tmp_path))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("dan.One+dan.DAN", "error")
    assert result["message"]["text"] == (
        "DEFCON 1 in Tier 1: 2/7 outputs of dan.One passed dan.DAN"
        " (pass rate 28.6%, Z-score -2.14)"
    )
    (location,) = result["locations"]
    place = location["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "sample.report.jsonl"
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["properties"]["security-severity"] == "9.5"
    assert rule["properties"]["tags"] == ["security", "garak", "tier1"]
    assert run["properties"]["tbsa"] == 2.6


def messages(run: dict[str, Any], rule: str) -> list[str]:
    return [
        result["message"]["text"]
        for result in run["results"]
        if result["ruleId"] == f"gate/{rule}"
    ]


def test_each_broken_rule_names_its_pairs(tmp_path: Path) -> None:
    """A result for each pair that a rule fails for, or one for the scan."""
    rules = GateRules(fail_under=4, require_tier1_grade=4, min_coverage=0.1)
    run = run_of(mixed(tmp_path, rules=rules))
    assert messages(run, "fail-under") == [
        "expected TBSA of at least 4; found TBSA 2.6"
    ]
    assert messages(run, "require-tier1-grade") == [
        "expected every Tier 1 pair at grade 4 or better; found dan.One+dan.DAN at 1"
        " (depends on 7 outputs)",
        "expected every Tier 1 pair at grade 4 or better; found dan.Two+dan.DAN at 3",
        "expected every Tier 1 pair at grade 4 or better; found new.Unknown+new.D of"
        " unknown tier",
    ]
    assert messages(run, "min-coverage") == [], "it passed"
    assert {result["level"] for result in run["results"]} == {"error"}


@pytest.mark.parametrize(
    "rules",
    [
        GateRules(fail_under=5),
        GateRules(require_tier1_grade=5),
        GateRules(min_coverage=1),
    ],
)
def test_a_failed_gate_never_leaves_it_empty(tmp_path: Path, rules: GateRules) -> None:
    """Grades 1 and 2 alone were results, and exit code 3 came with none."""
    pairs = [
        *pairs_named((1, 90, 100), (2, 90, 100)),
        PairFacts(probe="n.N", passed=0, total=0),
    ]
    run = run_of(sample_of(tmp_path, pairs, rules=rules))
    assert len(run["results"]) == 1 + (rules.require_tier1_grade is not None)


def test_its_links_lead_to_headings_of_our_pages(tmp_path: Path) -> None:
    rules = GateRules(fail_under=5, require_tier1_grade=5, min_coverage=1)
    driver = run_of(mixed(tmp_path, rules=rules))["tool"]["driver"]
    links = {rule["helpUri"] for rule in driver["rules"]}
    links |= {wording.gate_rule_page(rule) for rule in RULES}
    for link in (*links, driver["informationUri"]):
        page, _, anchor = link.removeprefix(wording.DOCUMENTATION + "/").partition("#")
        text = (DOCS / page.replace(".html", ".md")).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
        slugs = [
            re.sub(r"[^a-z0-9-]", "", h.lower().replace(" ", "-")) for h in headings
        ]
        assert anchor in ("", *slugs)


def test_a_scan_without_an_awful_pair_has_no_result(tmp_path: Path) -> None:
    assert run_of(perfect(tmp_path))["results"] == []


def test_hostile_text_is_visible_and_worst_comes_first(tmp_path: Path) -> None:
    all_results = run_of(hostile(tmp_path))["results"]
    results = [each for each in all_results if not each["ruleId"].startswith("gate/")]
    assert all_results[-len(results) :] == results
    levels = [result["level"] for result in results]
    assert levels == sorted(levels) == ["error"] * 6 + ["warning"]
    text = json.dumps(all_results, ensure_ascii=False)
    assert text.isprintable()
    uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "sample.report.jsonl"
