# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator

from garak_tbsa.tbsa.outputs.registry import ScoredReport
from garak_tbsa.tbsa.outputs.sarif import render
from tests.tbsa.outputs.samples import hostile, mixed, perfect

if TYPE_CHECKING:
    from pathlib import Path


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
            "required": ["id", "shortDescription", "fullDescription", "help"],
            "properties": {
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
    assert rules == [result["ruleId"] for result in run["results"]]
    assert len(set(rules)) == len(rules)
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


def test_a_scan_without_an_awful_pair_has_no_result(tmp_path: Path) -> None:
    assert run_of(perfect(tmp_path))["results"] == []


def test_hostile_text_is_visible_and_worst_comes_first(tmp_path: Path) -> None:
    results = run_of(hostile(tmp_path))["results"]
    levels = [result["level"] for result in results]
    assert levels == sorted(levels) == ["error"] * 6 + ["warning"]
    text = json.dumps(results, ensure_ascii=False)
    assert text.isprintable()
    uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "sample.report.jsonl"
