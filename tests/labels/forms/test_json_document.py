# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from garak_tbsa.labels.forms.audited_report import AuditedReport
from garak_tbsa.labels.forms.json_document import render
from tests.labels.forms.samples import hostile, mixed, settled

SCHEMA: dict[str, Any] = json.loads(
    (files("garak_tbsa") / "schemas" / "audit.schema.json").read_text("utf-8")
)


def read(audited: AuditedReport) -> dict[str, Any]:
    """The document as a reader gets it, held against the shipped schema."""
    document: dict[str, Any] = json.loads(render(audited))
    Draft202012Validator(SCHEMA).validate(document)
    return document


def test_the_schema_itself_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("sample", [mixed, settled, hostile])
def test_every_kind_of_audit_follows_the_schema(
    sample: Callable[[Path], AuditedReport], tmp_path: Path
) -> None:
    audited = sample(tmp_path)
    document = read(audited)
    assert set(document) == set(SCHEMA["properties"]) == set(SCHEMA["required"])
    assert render(audited) == render(audited)


def test_the_schema_notices_what_is_missing(tmp_path: Path) -> None:
    document = read(settled(tmp_path))
    del document["audited"]["lower"]
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate(document)


def test_what_it_says(tmp_path: Path) -> None:
    """\"JSON: `audited` {`tbsa`, `lower`, `upper`, `level`, `labels`, ...}\""""
    sample = mixed(tmp_path)
    document, audit = read(sample), sample.audit
    audited = document["audited"]
    assert document["tbsa"] == 4.1
    assert audited["tbsa"] == audit.score.by_labels.tenths / 10
    assert audited["lower"] <= audited["tbsa"] <= audited["upper"]
    assert (audited["level"], audited["labels"], audited["outputs"]) == (0.95, 31, 80)
    assert set(audited["if_labels_right"]) == {"tbsa", "lower", "upper"}
    assert {each["detector"] for each in document["labels"]["disputed"]} == {"dan.DAN"}
    assert set(audited["pass_rate_only"]) == {"by_detectors", "tbsa", "lower", "upper"}
    assert document["labels"] == {
        "files": list(sample.label_files),
        "used": 31,
        "of_other_pairs": 1,
        "ties": 0,
        "skipped": 1,
        "blank": 0,
        "picked": 2,
        "disputed": document["labels"]["disputed"],
        "warnings": [],
        "agreement": {"alpha": pytest.approx(0.5), "rows": 3, "raters": 3},
        "problems": [
            f"{sample.label_files[2]}, line 3: attempt uuid of web.Xss has no output 99"
            " in the report; give the report that the labels were made from"
        ],
    }
    assert document["not_audited"] == [
        {"pair": "web.Gone+web.D", "reason": "the report has 0 of its 10 outputs"}
    ]
    assert [each["probe"] for each in document["pairs"]] == [
        *("dan.One", "dan.Two", "enc.B64", "web.Xss")
    ]
    assert document["pairs"][1]["changed"]
    assert sum(each["labels"] for each in document["next"]) == 20
    assert not document["gate"]["passed"]


def test_shares_without_labels_say_why(tmp_path: Path) -> None:
    (enc,) = (e for e in read(mixed(tmp_path))["detectors"] if e["detector"] == "enc.D")
    assert enc["specificity"] == {
        "value": None,
        "lower": None,
        "upper": None,
        "missing_because": "too few labels: needs 5 more unflagged",
    }
