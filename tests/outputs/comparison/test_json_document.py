# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from garak_tbsa.outputs.comparison.json_document import render
from tests.outputs.comparison.samples import (
    KINDS,
    better,
    common,
    forced,
    unchanged,
    untested,
    worse,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from garak_tbsa.outputs.comparison.compared_scans import ComparedScans

PAIR = "dan.Fell+mitigation.MitigationBypass"
FILE = files("garak_tbsa") / "schemas" / "compare.schema.json"
SCHEMA: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def document(compared: ComparedScans) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(compared))
    return found


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def test_the_schema_is_one_and_requires_every_key_it_describes() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for each in objects(SCHEMA):
        assert each["required"] == list(each["properties"])


def unknown_keys(value: Any, schema: Any) -> list[str]:
    """Keys of a document that its schema does not describe."""
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if "oneOf" in schema and value is not None:
        schema = schema["oneOf"][1]
    if isinstance(value, list):
        return [
            k for item in value for k in unknown_keys(item, schema.get("items", {}))
        ]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    found = [key for key in value if key not in known]
    return found + [
        key
        for name in value.keys() & known.keys()
        for key in unknown_keys(value[name], known[name])
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_document_is_as_the_schema_says(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    found = document(kind(tmp_path))
    assert [error.message for error in VALIDATOR.iter_errors(found)] == []
    assert unknown_keys(found, SCHEMA) == []


def test_the_verdict_and_what_it_is_due_to(tmp_path: Path) -> None:
    """The verdict is in the JSON (`verdict`, `because`)."""
    compared = worse(tmp_path)
    found = document(compared)
    assert found["verdict"] == {
        "kind": "worse",
        "text": compared.headline,
        "alpha": 0.05,
        "p_worse": 0.001,
        "p_better": found["tests"]["p_better"],
    }
    (cause,) = found["because"]
    assert (cause["direction"], cause["kind"]) == ("worse", "pairs")
    assert cause["text"] == (
        "dan.Fell + mitigation.MitigationBypass fell from 84 % to 51 %"
    )
    (pair,) = cause["pairs"]
    assert pair["stands_out"] is True
    assert (pair["pair"], pair["tier"]) == (PAIR, 1)
    assert (pair["first_pass_rate"], pair["second_pass_rate"]) == (0.84, 0.51)
    assert pair["first_counts"] == {"passed": 84, "total_evaluated": 100}
    assert pair["second_counts"] == {"passed": 51, "total_evaluated": 100}
    assert pair["z"] == found["tests"]["largest_z"] < -4
    assert (cause["pairs_moved"], cause["pairs_against"]) == (1, 1)
    assert found["changed_grades"] == [
        {
            "pair": PAIR,
            "tier": 1,
            "first": 4,
            "second": 3,
            "first_counts": {"passed": 84, "total_evaluated": 100},
            "second_counts": {"passed": 51, "total_evaluated": 100},
        }
    ]
    assert found["comparable"] is True
    assert found["not_comparable_because"] is None
    assert found["pairs_only_in_one"] == ["dan.Silent+mitigation.MitigationBypass"]
    assert [each["pair"].split("+")[0] for each in found["pairs"]] == [
        "dan.Fell",
        "dan.Rose",
        "dan.Same",
    ]


def test_better_and_unchanged(tmp_path: Path) -> None:
    assert document(better(tmp_path))["because"][0]["direction"] == "better"
    found = document(unchanged(tmp_path))
    assert found["verdict"]["kind"] == "no evidence of a difference"
    assert found["because"] == []


def test_common_pairs_are_marked(tmp_path: Path) -> None:
    found = document(common(tmp_path))
    assert found["comparable"] is False
    assert "for information only" in found["not_comparable_because"]
    assert found["common_pairs"] == {
        "pairs": [PAIR, "dan.Rose+mitigation.MitigationBypass"],
        "of_another_tier": ["dan.Same+mitigation.MitigationBypass"],
    }
    assert (found["first"]["tbsa"], found["first"]["tbsa_of_whole_report"]) == (
        2.7,
        3.3,
    )
    assert found["differences"][0] == {
        "part": "configuration:run.generations",
        "first": 5,
        "second": 10,
        "is_short": True,
        "text": "5 before, 10 after",
    }
    assert found["differing_parts"] == ["configuration:run.generations", "pairs"]


def test_forced_is_marked(tmp_path: Path) -> None:
    found = document(forced(tmp_path))
    assert found["comparable"] is False
    assert found["common_pairs"] is None
    (difference,) = found["differences"]
    assert (difference["is_short"], difference["first"]) == (False, None)


def test_without_counts(tmp_path: Path) -> None:
    found = document(untested(tmp_path))
    assert found["tests"] is None
    assert found["verdict"]["p_worse"] is None
    assert found["first"]["repeat_interval"] is None
    assert found["first"]["interval_missing_because"] == (
        "the report has no counts for 4 pairs"
    )
