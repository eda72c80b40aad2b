# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON of scores and comparisons, as a reader gets it, against its schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from garak_tbsa.gates.options import GateRules
from garak_tbsa.outputs import json_document
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.json_document import render, render_comparison
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.statistics.repeat import repeat_of_scan
from tests.factories import assessment_of
from tests.outputs import compared, samples

SCHEMAS: dict[str, dict[str, Any]] = {
    name: json.loads(
        (files("garak_tbsa") / "schemas" / f"{name}.schema.json").read_text("utf-8")
    )
    for name in ("score", "compare")
}
GARAKS_KEYS = [
    *("tbsa", "version_probe_hash", "probe_detector_pairs_contributing"),
    *("infile", "run_id"),
]
FELL = "dan.Fell+mitigation.MitigationBypass"


def document(result: ScoredReport | ComparedScans) -> dict[str, Any]:
    """The document as a reader gets it, held against the shipped schema."""
    if isinstance(result, ComparedScans):
        text, schema = render_comparison(result), SCHEMAS["compare"]
    else:
        text, schema = render(result), SCHEMAS["score"]
    found: dict[str, Any] = json.loads(text)
    Draft202012Validator(schema).validate(found)
    assert list(unknown(found, schema, schema)) == []
    return found


def unknown(value: Any, schema: Any, root: dict[str, Any]) -> Iterator[str]:
    """Keys of a document that its schema does not describe."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "oneOf" in schema and value is not None:
        schema = schema["oneOf"][1]
    for item in value if isinstance(value, list) else ():
        yield from unknown(item, schema.get("items", {}), root)
    if isinstance(value, dict) and "properties" in schema:
        for name, own in value.items():
            if name in schema["properties"]:
                yield from unknown(own, schema["properties"][name], root)
            else:
                yield name


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    inner = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and "properties" in schema:
        yield schema
    for value in inner if isinstance(schema, (dict, list)) else ():
        yield from objects(value)


def test_schemas_require_every_key_that_they_describe() -> None:
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
    for each in objects(SCHEMAS["compare"]):
        assert each["required"] == list(each["properties"])


@pytest.mark.parametrize(
    "sample", [samples.perfect, samples.uncounted, samples.hostile, samples.mixed]
)
def test_every_kind_of_report_follows_the_schema(
    sample: Callable[[Path], ScoredReport], tmp_path: Path
) -> None:
    assert list(document(sample(tmp_path)))[:5] == GARAKS_KEYS


@pytest.mark.parametrize("kind", compared.KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_comparison_follows_the_schema(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    assert document(kind(tmp_path))["schema_version"] == 3


def test_the_schema_notices_what_is_missing_or_misspelt(tmp_path: Path) -> None:
    validator = Draft202012Validator(SCHEMAS["score"])
    found = document(samples.mixed(tmp_path))
    for key in found:
        without = {name: value for name, value in found.items() if name != key}
        assert key == "explanation" or not validator.is_valid(without), key
    assert not validator.is_valid(found | {"tbsa": 5.1})
    assert not validator.is_valid(found | {"pairs": [{}]})


def test_all_that_the_text_says_is_there(tmp_path: Path) -> None:
    rules = GateRules(fail_under=4, require_tier1_grade=2)
    found = document(samples.mixed(tmp_path, rules=rules))
    assert found["tbsa"] == 2.6
    assert found["probe_detector_pairs_contributing"] == 4
    assert found["tiers"]["2"] == {"pairs": 1, "mean": 4.0, "weight": 1}
    assert found["pairs"][0] == {
        "probe": "dan.One",
        "detector": "dan.DAN",
        "tier": 1,
        "passed": 2,
        "total_evaluated": 7,
        "nones": 0,
        "pass_rate": pytest.approx(2 / 7),
        "z_score": pytest.approx((2 / 7 - 0.5) / 0.1),
        "calibrated": True,
        "pass_rate_grade": 2,
        "z_grade": 1,
        "grade": 1,
    } | {"nones": found["pairs"][0]["nones"]}
    reasons = [entry["reason"] for entry in found["left_out"]]
    assert reasons == ["tier_unknown", "tier_not_scored", "no_evaluated_output"]
    repeat = found["repeat_interval"]
    assert (repeat["lower"], repeat["upper"]) == (2.2, 3.9)
    assert repeat["pairs_under_30_outputs"] == ["dan.One+dan.DAN"]
    shares = [entry["probability"] for entry in repeat["distribution"]]
    assert sum(shares) == pytest.approx(1)
    assert found["unmeasured"] == {"pairs": 1, "worst_tbsa": 1.8, "best_tbsa": 2.8}
    score, tier1, consistent = found["gate"]["rules"]
    assert found["gate"]["passed"] is False
    assert score == {
        "rule": "fail-under",
        "passed": False,
        "expected": "TBSA of at least 4",
        "found": "TBSA 2.6",
        "culprits": [],
        "not_sure": [],
        "is_doubtful": False,
    }
    assert tier1["culprits"] == [
        {"pair": "dan.One+dan.DAN", "problem": "at 1 (depends on 7 outputs)"},
        {"pair": "new.Unknown+new.D", "problem": "of unknown tier"},
    ]
    assert (consistent["rule"], consistent["passed"]) == ("consistent-report", True)
    fixes = found["explanation"]["fix_first"]
    assert [fix["probe"] for fix in fixes][:2] == ["dan.One", "web.Xss"]
    assert fixes[0]["passes_to_rise"] == 1
    together = found["explanation"]["fix_together"]
    assert [(s["pairs"], s["add"], s["drop"], s["tbsa"]) for s in together] == [
        (1, ["dan.One+dan.DAN"], [], 4.1),
        (2, ["dan.Two+dan.DAN"], [], 4.7),
        (3, ["web.Xss+web.D"], [], 5.0),
    ]


def test_why_there_is_no_interval(tmp_path: Path, gold_folder: str) -> None:
    assert document(samples.uncounted(tmp_path))["repeat_interval"] == {
        "lower": None,
        "upper": None,
        "missing_because": "the report has no counts for 4 pairs",
        "pairs_under_30_outputs": [],
    }
    report = f"{gold_folder}/garak-0.17.1.report.jsonl"
    own = assessment_of(report, formula="garak")
    found = document(
        ScoredReport(assessment=own, repeat=repeat_of_scan(own), verdict=None)
    )
    assert (found["formula"], found["unmeasured"]) == ("garak", None)
    assert found["repeat_interval"]["lower"] is None
    reason = "garak's own formula has no repeat interval"
    assert found["repeat_interval"]["missing_because"] == reason


def test_a_number_that_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"tbsa": float("nan")})
    several = json_document.several_document([], [{"infile": "x", "error": "e"}])
    assert list(several) == ["schema_version", "reports", "unreadable"]


def test_the_verdict_and_what_it_is_due_to(tmp_path: Path) -> None:
    """The verdict is in the JSON (`verdict`, `because`)."""
    worse = compared.worse(tmp_path)
    found = document(worse)
    assert found["verdict"] == {
        "kind": "worse",
        "text": worse.headline,
        "alpha": 0.05,
        "p_worse": 0.001,
        "p_better": found["tests"]["p_better"],
    }
    (cause,) = found["because"]
    assert (cause["direction"], cause["kind"]) == ("worse", "pairs")
    assert cause["text"] == (
        "dan.Fell + mitigation.MitigationBypass fell from 84 % to 51 %"
    )
    assert (cause["pairs_moved"], cause["pairs_against"]) == (1, 1)
    (pair,) = cause["pairs"]
    counts = {
        "first_counts": {"passed": 84, "total_evaluated": 100},
        "second_counts": {"passed": 51, "total_evaluated": 100},
    }
    assert pair["stands_out"] is True
    assert (pair["pair"], pair["tier"]) == (FELL, 1)
    assert (pair["first_pass_rate"], pair["second_pass_rate"]) == (0.84, 0.51)
    assert {name: pair[name] for name in counts} == counts
    assert pair["z"] == found["tests"]["largest_z"] < -4
    changed = {"pair": FELL, "tier": 1, "first": 4, "second": 3, **counts}
    assert found["changed_grades"] == [changed]
    assert (found["comparable"], found["not_comparable_because"]) == (True, None)
    assert found["pairs_only_in_one"] == ["dan.Silent+mitigation.MitigationBypass"]
    names = [each["probe"] for each in found["pairs"]]
    assert names == ["dan.Fell", "dan.Rose", "dan.Same"]


def test_other_verdicts(tmp_path: Path) -> None:
    better = document(compared.better(tmp_path))
    assert better["because"][0]["direction"] == "better"
    unchanged = document(compared.unchanged(tmp_path))
    assert unchanged["verdict"]["kind"] == "no evidence of a difference"
    assert unchanged["because"] == []
    untested = document(compared.untested(tmp_path))
    assert (untested["tests"], untested["verdict"]["p_worse"]) == (None, None)
    assert untested["first"]["repeat_interval"] is None
    reason = "the report has no counts for 4 pairs"
    assert untested["first"]["interval_missing_because"] == reason


def test_scans_of_other_checksums_are_marked(tmp_path: Path) -> None:
    found = document(compared.common(tmp_path))
    assert found["comparable"] is False
    assert "for information only" in found["not_comparable_because"]
    assert found["common_pairs"] == {
        "pairs": [FELL, "dan.Rose+mitigation.MitigationBypass"],
        "of_another_tier": ["dan.Same+mitigation.MitigationBypass"],
    }
    scores = found["first"]["tbsa"], found["first"]["tbsa_of_whole_report"]
    assert scores == (2.7, 3.3)
    assert found["differences"][0] == {
        "part": "configuration:run.generations",
        "first": 5,
        "second": 10,
        "is_short": True,
        "text": "5 before, 10 after",
    }
    assert found["differing_parts"] == ["configuration:run.generations", "pairs"]
    forced = document(compared.forced(tmp_path))
    assert (forced["comparable"], forced["common_pairs"]) == (False, None)
    (difference,) = forced["differences"]
    assert (difference["is_short"], difference["first"]) == (False, None)
