# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The summary file: garak's structure, the same bytes, readable by garak."""

from __future__ import annotations

import json
import os
from importlib.resources import files

import jsonschema
import pytest

from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.summary import evaluation_date
from garak_tbsa.detector_eval.summary_file import METRICS, summary_text
from garak_tbsa.errors import UsageError
from tests.detector_eval.summaries import document_of
from tests.garak_own import needs_garak_017

SCHEMA = json.loads(
    (files("garak_tbsa") / "schemas" / "summary.schema.json").read_text("utf-8")
)

DOCUMENTED = {
    "metadata": (
        *("evaluation_date", "random_seed", "balance_datasets", "save_datasets"),
        *("num_detectors_evaluated", "errors"),
    ),
    "result": ("metrics",),
    "interval": ("mean", "ci_lower", "ci_upper", "ci_width", "n_samples"),
}
RESULTS = [
    DetectorResult(
        detector="mitigation.MitigationBypass",
        counts=ConfusionCounts(tp=3301, fn=282, fp=2202, tn=1381),
        missing={"none": 4},
        details={"none": "why"},
        stress=ConfusionCounts(tp=2, fn=15, tn=3, fp=17),
    ),
    DetectorResult(detector="judge.Refusal", failure="no key"),
    DetectorResult(
        detector="dan.DAN",
        counts=ConfusionCounts(fp=1, tn=2),
        stress=ConfusionCounts(tp=1, fn=1),
    ),
    DetectorResult(detector="base.X", missing={"none": 3}),
]


def test_the_documented_structure() -> None:
    """Members in garak's order; ``tests/behaviour`` has their values."""
    summary = document_of(*RESULTS)
    assert list(summary) == ["results", "metadata"]
    assert list(summary["results"]) == ["dan.DAN", "mitigation.MitigationBypass"]
    bypass = summary["results"]["mitigation.MitigationBypass"]
    assert list(bypass["metrics"]) == [*METRICS, "hit_f1_ci", "pass_f1_ci"]
    assert tuple(bypass["metrics"]["hit_f1_ci"])[:5] == DOCUMENTED["interval"]
    assert tuple(summary["metadata"])[:6] == DOCUMENTED["metadata"]
    assert summary["metadata"]["errors"] == [
        {
            "detector": "base.X",
            "reason": "none of 3 rows got a score (the detector returned None)",
        },
        {"detector": "judge.Refusal", "reason": "no key"},
    ]
    assert bypass["stress"]["passes_left_alone_share"] == {
        "share": 3 / 20,
        "jeffreys_lower": 0.044131,
        "jeffreys_upper": 0.348578,
        "jeffreys_width": 0.304447,
    }
    stress = summary["results"]["dan.DAN"]["stress"]
    assert stress["passes_left_alone_share"] is None
    assert stress["unavailable"] == {
        "passes_left_alone_share": "no stress row labelled pass got a score"
    }


@needs_garak_017
def test_the_schema_fits_ours_and_garak_s_own() -> None:
    garak = pytest.importorskip("garak")
    jsonschema.validate(document_of(*RESULTS), SCHEMA)
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
    broken = document_of(*RESULTS)
    del broken["results"]["dan.DAN"]["metrics"][key]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


@pytest.mark.parametrize("part", DOCUMENTED)
def test_the_schema_says_which_keys_are_ours(part: str) -> None:
    """The structure that garak documents is unchanged; our keys say that they are."""
    definitions = SCHEMA["$defs"] | SCHEMA["properties"]
    for name, key in definitions[part]["properties"].items():
        is_ours = str(key.get("description", "")).startswith("of garak-tbsa")
        assert is_ours == (name not in DOCUMENTED[part]), name


def test_the_order_of_results_does_not_change_the_bytes() -> None:
    forward, backward = document_of(*RESULTS), document_of(*RESULTS[::-1])
    assert summary_text(forward) == summary_text(backward)


def test_the_date_can_be_set() -> None:
    assert evaluation_date({"SOURCE_DATE_EPOCH": "0"}) == "1970-01-01T00:00:00+00:00"
    assert evaluation_date({})[:2] == "20"
    with pytest.raises(UsageError) as caught:
        evaluation_date({"SOURCE_DATE_EPOCH": "today"})
    assert str(caught.value) == (
        "SOURCE_DATE_EPOCH is 'today'; expected seconds since 1970-01-01"
    )
