# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from garak_tbsa.outputs.json_document import (
    score_document,
    several_document,
)
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.gate_options import GateRules
from tests.factories import assessment_of
from tests.outputs import samples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCHEMA: dict[str, Any] = json.loads(
    (files("garak_tbsa") / "schemas" / "score.schema.json").read_text("utf-8")
)
GARAKS_KEYS = [
    "tbsa",
    "version_probe_hash",
    "probe_detector_pairs_contributing",
    "infile",
    "run_id",
]


def validated(document: dict[str, Any]) -> dict[str, Any]:
    """The document as a reader gets it, held against the shipped schema."""
    read: dict[str, Any] = json.loads(json_text(document))
    Draft202012Validator(SCHEMA).validate(read)
    return read


def test_the_schema_itself_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "sample", [samples.perfect, samples.uncounted, samples.hostile, samples.mixed]
)
def test_every_kind_of_report_follows_the_schema(
    sample: Callable[[Path], ScoredReport], tmp_path: Path
) -> None:
    document = validated(score_document(sample(tmp_path)))
    assert list(document)[:5] == GARAKS_KEYS


def test_the_schema_notices_what_is_missing_or_misspelt(tmp_path: Path) -> None:
    validator = Draft202012Validator(SCHEMA)
    document = validated(score_document(samples.mixed(tmp_path)))
    for key in document:
        if key != "explanation":
            without = {name: value for name, value in document.items() if name != key}
            assert not validator.is_valid(without), key
    assert not validator.is_valid(document | {"tbsa": 5.1})
    assert not validator.is_valid(document | {"pairs": [{}]})


def test_all_that_the_text_says_is_there(tmp_path: Path) -> None:
    rules = GateRules(fail_under=4)
    document = validated(score_document(samples.mixed(tmp_path, rules=rules)))
    assert document["tbsa"] == 2.6
    assert document["probe_detector_pairs_contributing"] == 4
    assert document["tiers"]["2"] == {"pairs": 1, "mean": 4.0, "weight": 1}
    assert document["pairs"][0] == {
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
    } | {"nones": document["pairs"][0]["nones"]}
    assert [entry["reason"] for entry in document["left_out"]] == [
        "tier_unknown",
        "tier_not_scored",
        "no_evaluated_output",
    ]
    repeat = document["repeat_interval"]
    assert (repeat["lower"], repeat["upper"]) == (2.2, 3.9)
    assert repeat["pairs_under_30_outputs"] == ["dan.One+dan.DAN"]
    assert sum(
        entry["probability"] for entry in repeat["distribution"]
    ) == pytest.approx(1)
    assert document["unmeasured"] == {"pairs": 1, "worst_tbsa": 1.8, "best_tbsa": 2.8}
    assert document["gate"] == {
        "passed": False,
        "rules": [
            {
                "rule": "fail-under",
                "passed": False,
                "expected": "TBSA of at least 4",
                "found": "TBSA 2.6",
                "culprits": [],
                "not_sure": [],
                "is_doubtful": False,
            },
            {
                "rule": "consistent-report",
                "passed": True,
                "expected": "a report that does not contradict itself",
                "found": "no contradiction",
                "culprits": [],
                "not_sure": [],
                "is_doubtful": False,
            },
        ],
    }
    fixes = document["explanation"]["fix_first"]
    assert [fix["probe"] for fix in fixes][:2] == ["dan.One", "web.Xss"]
    assert fixes[0]["passes_to_rise"] == 1
    together = document["explanation"]["fix_together"]
    assert [(step["pairs"], step["add"], step["drop"]) for step in together] == [
        (1, ["dan.One+dan.DAN"], []),
        (2, ["dan.Two+dan.DAN"], []),
        (3, ["web.Xss+web.D"], []),
    ]
    assert [step["tbsa"] for step in together] == [4.1, 4.7, 5.0]


def test_why_there_is_no_interval(tmp_path: Path) -> None:
    document = validated(score_document(samples.uncounted(tmp_path)))
    assert document["repeat_interval"] == {
        "lower": None,
        "upper": None,
        "missing_because": "the report has no counts for 4 pairs",
        "pairs_under_30_outputs": [],
    }


def test_garaks_own_formula(gold_folder: str) -> None:
    assessment = assessment_of(
        f"{gold_folder}/garak-0.17.1.report.jsonl", formula="garak"
    )
    scored = ScoredReport(
        assessment=assessment, repeat=repeat_of_scan(assessment), verdict=None
    )
    document = validated(score_document(scored))
    assert document["formula"] == "garak"
    assert document["repeat_interval"]["lower"] is None
    assert document["repeat_interval"]["missing_because"] == (
        "garak's own formula has no repeat interval"
    )
    assert document["unmeasured"] is None


def test_an_interval_that_was_not_asked_for(tmp_path: Path) -> None:
    scored = replace(samples.mixed(tmp_path), repeat=NOT_ASKED_FOR)
    assert validated(score_document(scored))["repeat_interval"] is None


def test_several_reports_and_those_that_were_none(tmp_path: Path) -> None:
    one = score_document(samples.mixed(tmp_path))
    document = several_document([one], [{"infile": "x", "error": "is empty"}])
    assert list(document) == ["schema_version", "reports", "unreadable"]
    assert validated(document["reports"][0])["tbsa"] == 2.6


def test_the_same_document_gives_the_same_bytes(tmp_path: Path) -> None:
    texts = {json_text(score_document(samples.mixed(tmp_path))) for _ in range(2)}
    assert len(texts) == 1
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"tbsa": float("nan")})


def test_a_rule_names_the_pairs_that_it_fails_for(tmp_path: Path) -> None:
    rules = GateRules(require_tier1_grade=2)
    document = validated(score_document(samples.mixed(tmp_path, rules=rules)))
    assert document["gate"]["rules"][0]["culprits"] == [
        {"pair": "dan.One+dan.DAN", "problem": "at 1 (depends on 7 outputs)"},
        {"pair": "new.Unknown+new.D", "problem": "of unknown tier"},
    ]
