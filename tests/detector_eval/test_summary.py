# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The summary file: garak's structure, the same bytes, readable by garak."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.detector_eval.summary import (
    SummarySettings,
    evaluation_date,
    summary_document,
    summary_text,
)
from garak_tbsa.errors import UsageError
from tests.garak_own import needs_garak_017

SCHEMA = json.loads(
    (files("garak_tbsa") / "schemas" / "summary.schema.json").read_text("utf-8")
)

SETTINGS = SummarySettings(
    date="2026-01-30T14:28:03+00:00",
    versions={"garak": "0.17.1"},
    eval_threshold=0.5,
    balance_datasets=True,
    save_datasets=False,
    intervals=IntervalOptions(),
)
RESULTS = [
    DetectorResult(
        detector="mitigation.MitigationBypass",
        counts=ConfusionCounts(tp=3301, fn=282, fp=2202, tn=1381),
        missing={"none": 4},
        details={"none": "why"},
    ),
    DetectorResult(detector="judge.Refusal", failure="no key"),
    DetectorResult(detector="dan.DAN", counts=ConfusionCounts(fp=1, tn=2)),
    DetectorResult(detector="base.X", missing={"none": 3}),
]
FILES = {
    result.detector: [LabelledSource(path="f", sha256="0" * 64)] for result in RESULTS
}


def document(results: list[DetectorResult] = RESULTS) -> dict[str, Any]:
    return summary_document(results, FILES, SETTINGS)


def test_the_documented_structure() -> None:
    summary = document()
    assert list(summary) == ["results", "metadata"]
    assert list(summary["results"]) == ["dan.DAN", "mitigation.MitigationBypass"]
    metrics = summary["results"]["mitigation.MitigationBypass"]["metrics"]
    assert list(metrics) == [
        "accuracy",
        "hit_precision",
        "hit_recall",
        "hit_f1",
        "hit_sensitivity",
        "hit_specificity",
        "pass_precision",
        "pass_recall",
        "pass_f1",
        "hit_f1_ci",
        "pass_f1_ci",
    ]
    assert list(metrics["hit_f1_ci"])[:5] == [
        "mean",
        "ci_lower",
        "ci_upper",
        "ci_width",
        "n_samples",
    ]
    assert metrics["hit_f1_ci"]["n_samples"] == 7166
    metadata = summary["metadata"]
    assert list(metadata)[:6] == [
        "evaluation_date",
        "random_seed",
        "balance_datasets",
        "save_datasets",
        "num_detectors_evaluated",
        "errors",
    ]
    assert metadata["evaluation_date"] == "2026-01-30T14:28:03+00:00"
    assert metadata["random_seed"] == 42
    assert metadata["num_detectors_evaluated"] == 2
    assert metadata["errors"] == [
        {
            "detector": "base.X",
            "reason": "none of 3 rows got a score (the detector returned None)",
        },
        {"detector": "judge.Refusal", "reason": "no key"},
    ]


def test_below_fifty_samples_there_are_no_interval_keys() -> None:
    entry = document()["results"]["dan.DAN"]
    assert "hit_f1_ci" not in entry["metrics"]
    assert entry["metrics"]["hit_f1"] is None
    assert entry["counts"] == {"tp": 0, "fp": 1, "fn": 0, "tn": 2}


def test_what_is_beside_the_metrics() -> None:
    entry = document()["results"]["mitigation.MitigationBypass"]
    assert entry["rows"] == {
        "labelled": 7170,
        "scored": 7166,
        "missing": {"none": 4},
        "missing_details": {"none": "why"},
    }
    assert entry["data"] == [{"file": "f", "sha256": "0" * 64}]
    ci = entry["metrics"]["hit_f1_ci"]
    assert ci["jeffreys_lower"] < ci["mean"] < ci["jeffreys_upper"]
    assert ci["degenerate"] is False


@needs_garak_017
def test_the_schema_fits_ours_and_garak_s_own() -> None:
    garak = pytest.importorskip("garak")
    jsonschema.validate(document(), SCHEMA)
    shipped = os.path.join(
        os.path.dirname(garak.__file__),
        "data",
        "detectors_eval",
        "detector_metrics_summary.json",
    )
    with open(shipped) as handle:
        jsonschema.validate(json.load(handle), SCHEMA)


@pytest.mark.parametrize("key", ["hit_f1", "accuracy"])
def test_the_schema_asks_for_the_documented_keys(key: str) -> None:
    broken = document()
    del broken["results"]["dan.DAN"]["metrics"][key]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


DOCUMENTED = {
    "metadata": (
        "evaluation_date random_seed balance_datasets save_datasets"
        " num_detectors_evaluated errors"
    ),
    "result": "metrics",
    "interval": "mean ci_lower ci_upper ci_width n_samples",
}


@pytest.mark.parametrize("part", DOCUMENTED)
def test_the_schema_says_which_keys_are_ours(part: str) -> None:
    """The structure that garak documents is unchanged; our keys say that they are."""
    definitions = SCHEMA["$defs"] | SCHEMA["properties"]
    for name, key in definitions[part]["properties"].items():
        is_ours = str(key.get("description", "")).startswith("of garak-tbsa")
        assert is_ours == (name not in DOCUMENTED[part].split()), name


def test_the_order_of_results_does_not_change_the_bytes() -> None:
    forward, backward = document(), document(RESULTS[::-1])
    assert summary_text(forward) == summary_text(backward)


def test_the_date_can_be_set() -> None:
    assert evaluation_date({"SOURCE_DATE_EPOCH": "0"}) == "1970-01-01T00:00:00+00:00"
    assert evaluation_date({})[:2] == "20"
    with pytest.raises(UsageError) as caught:
        evaluation_date({"SOURCE_DATE_EPOCH": "today"})
    assert str(caught.value) == (
        "SOURCE_DATE_EPOCH is 'today'; expected seconds since 1970-01-01"
    )
