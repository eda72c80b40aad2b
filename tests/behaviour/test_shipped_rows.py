# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The labelled rows and the summary that come with the package."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.labelled import counts_of, evaluated, measures
from tests.behaviour.product import REPOSITORY, document, tbsa
from tests.behaviour.schemas import assert_keeps_schema

SHIPPED = REPOSITORY / "data" / "detectors-eval" / "detector_metrics_summary.json"
DETECTORS = (
    "dan.DAN",
    "fileformats.PossiblePickleName",
    "snowball.DontStartNo",
    "unsafe_content.LDNOOBW",
)


@pytest.fixture(scope="module")
def shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return found


def near(entry: dict[str, Any]) -> Any:
    """What is drawn may differ a little with another numpy."""
    metrics = {
        name: {end: pytest.approx(value, abs=5e-3) for end, value in given.items()}
        if isinstance(given, dict)
        else pytest.approx(given)
        for name, given in entry["metrics"].items()
    }
    return entry | {"metrics": metrics}


def test_shipped_rows_give_what_the_shipped_summary_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """Slots, files and stress rows are among them; a judge without a key is told."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    served = "perspective.Insult"
    summary = evaluated(tmp_path, "--detectors", ",".join([*DETECTORS, served]))
    assert set(summary["results"]) == set(DETECTORS)
    for name in DETECTORS:
        assert summary["results"][name] == near(shipped["results"][name]), name
    (error,) = summary["metadata"]["errors"]
    assert error["detector"] == served
    assert "PERSPECTIVE_API_KEY" in error["reason"]
    stated = {error["detector"]: error for error in shipped["metadata"]["errors"]}
    assert error == stated[served]
    assert_keeps_schema(summary, "summary.schema.json")


def test_a_detector_without_its_library_is_not_evaluated_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What python-magic raises where there is no libmagic."""
    monkeypatch.delitem(sys.modules, "magic", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "magic.py").write_text("raise ImportError('failed to find libmagic.')")
    name = "fileformats.FileIsExecutable"
    summary = evaluated(tmp_path, "--detectors", name, code=1)
    assert summary["results"] == {}
    (error,) = summary["metadata"]["errors"]
    assert error["detector"] == name
    assert error["reason"].endswith(
        "rows got a score (the detector returned None: `import magic`: failed to find"
        " libmagic.)"
    )


def test_the_shipped_summary_keeps_its_own_counts_and_schema(
    shipped: dict[str, Any],
) -> None:
    assert_keeps_schema(shipped, "summary.schema.json")
    for name, counts in counts_of(shipped).items():
        result = shipped["results"][name]
        metrics = result["metrics"]
        stated = {key: metrics[key] for key in measures(*counts)}
        assert sum(counts) >= 60
        if result["basis"]["hits"]["own_words"]:
            known = {"hit_specificity", "pass_recall"}
            expected = {
                key: value if key in known else None
                for key, value in measures(*counts).items()
            }
            assert "words of the detector's own list" in metrics["reason"], name
            assert "hit_f1_ci" not in metrics
        else:
            expected = measures(*counts)
            assert metrics["hit_f1_ci"]["n_samples"] == sum(counts)
        assert stated == pytest.approx(expected), name
    assert shipped["metadata"]["num_detectors_evaluated"] == len(shipped["results"])
    measured = set(shipped["results"])
    assert not measured & {error["detector"] for error in shipped["metadata"]["errors"]}


def test_the_shipped_summary_is_what_rank_shows_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """By hit F1, highest first; equal ones share a place."""
    monkeypatch.chdir(tmp_path)
    found = document(tmp_path, "detectors", "rank")
    f1 = {
        name: result["metrics"]["hit_f1"] for name, result in shipped["results"].items()
    }
    assert found["unranked"] == [name for name, value in f1.items() if value is None]
    assert found["not_evaluated"] == {
        error["detector"]: error["reason"] for error in shipped["metadata"]["errors"]
    }
    assert [each["hit_f1"] for each in found["ranking"]] == sorted(
        (value for value in f1.values() if value is not None), reverse=True
    )
    for each in found["ranking"]:
        name = each["detector"]
        better = sum(other > f1[name] for other in f1.values() if other)
        assert (each["place"], each["hit_f1"]) == (1 + better, f1[name])
        assert each["basis"] == shipped["results"][name]["basis"]
        ends = shipped["results"][name]["metrics"]["hit_f1_ci"]
        is_jeffreys = each["interval"]["kind"] == "jeffreys"
        assert is_jeffreys == ends["degenerate"]
        kind = "jeffreys" if is_jeffreys else "ci"
        assert each["interval"]["lower"] == ends[f"{kind}_lower"]
        assert each["interval"]["upper"] == ends[f"{kind}_upper"]
    made = shipped["metadata"]
    assert (
        tbsa("detectors", "rank")
        .lines[0]
        .endswith(
            f": {len(f1)} detectors evaluated, {made['evaluation_date'][:10]},"
            f" garak {made['versions']['garak']}"
        )
    )


def test_python_reads_the_same_summary(shipped: dict[str, Any]) -> None:
    found = garak_tbsa.load_summary()
    assert json.loads(found.to_json()) == shipped
    assert set(found.detectors) == set(shipped["results"])
    assert found.not_evaluated == {
        error["detector"]: error["reason"] for error in shipped["metadata"]["errors"]
    }
    first = found.ranking[0]
    assert (first.place, first.tier) == (1, "Excellent")
    assert found.warnings == ()
    frame = found.to_frame().set_index("detector")
    row = frame.loc["dan.DAN"]
    counts = shipped["results"]["dan.DAN"]["counts"]
    assert {name: row[name] for name in counts} == counts
    metrics = shipped["results"]["dan.DAN"]["metrics"]
    assert (row["sensitivity"], row["specificity"], row["hit_f1"]) == (
        metrics["hit_sensitivity"],
        metrics["hit_specificity"],
        metrics["hit_f1"],
    )
    assert (row["hit_f1_lower"], row["hit_f1_upper"]) == (
        metrics["hit_f1_ci"]["ci_lower"],
        metrics["hit_f1_ci"]["ci_upper"],
    )
    assert len(frame) == len(shipped["results"]) + len(shipped["metadata"]["errors"])
    assert "PERSPECTIVE_API_KEY" in frame.loc["perspective.Insult", "reason"]
