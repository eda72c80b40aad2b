# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Summaries of ours and of garak's: ranked, compared, explained, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

import garak_tbsa
from tests.behaviour.labelled import (
    Counts,
    posterior,
    summary_of,
    write_summary,
)
from tests.behaviour.product import document, tbsa

# F1 = 2 TP / (2 TP + FP + FN); each tier's upper edge belongs to the tier below
EDGES: dict[str, Counts] = {
    "a.Perfect": (10, 0, 0, 10),
    "b.Excellent": (41, 10, 10, 41),
    "c.EightTenths": (8, 2, 2, 8),
    "d.Good": (31, 20, 20, 31),
    "e.SixTenths": (6, 4, 4, 6),
    "f.AlsoSix": (3, 2, 2, 3),
    "g.FourTenths": (4, 6, 6, 4),
    "h.TwoTenths": (2, 8, 8, 2),
    "i.Nothing": (0, 1, 5, 1),
    "j.NoHits": (0, 1, 0, 5),
}
TIERS = [
    (1, "a.Perfect", "Excellent"),
    (2, "b.Excellent", "Excellent"),
    (3, "c.EightTenths", "Good"),
    (4, "d.Good", "Good"),
    (5, "e.SixTenths", "Moderate"),
    (5, "f.AlsoSix", "Moderate"),
    (7, "g.FourTenths", "Poor"),
    (8, "h.TwoTenths", "Critical"),
    (9, "i.Nothing", "Critical"),
]


def test_detectors_are_ranked_by_hit_f1_and_the_rest_stands_apart(
    tmp_path: Path,
) -> None:
    errors = [{"detector": "judge.Refusal", "reason": "no key"}]
    path = write_summary(tmp_path / "s.json", summary_of(EDGES, errors=errors))
    found = document(tmp_path, "detectors", "rank", path)
    ranked = [(x["place"], x["detector"], x["tier"]) for x in found["ranking"]]
    assert ranked == TIERS
    assert found["unranked"] == ["j.NoHits"]
    assert found["unranked_because"] == {"j.NoHits": "no row is labelled hit"}
    assert found["not_evaluated"] == {"judge.Refusal": "no key"}
    lower, upper = numpy.quantile(posterior(EDGES["c.EightTenths"]), (0.025, 0.975))
    assert found["ranking"][2] == {
        "place": 3,
        "detector": "c.EightTenths",
        "tier": "Good",
        "hit_f1": 0.8,
        "interval": {
            "lower": pytest.approx(float(lower), abs=8e-3),
            "upper": pytest.approx(float(upper), abs=8e-3),
            "kind": "jeffreys",
        },
        "stress": None,
        "basis": None,
        "matches_strings": False,
    }
    shown = tbsa("detectors", "rank", path)
    assert (shown.code, shown.err, shown.lines[0]) == (
        0,
        "",
        f"{path}: 10 detectors evaluated, 2026-01-30, garak 0.17.1",
    )
    result = garak_tbsa.load_summary(path)
    assert [(x.place, x.measured.detector, x.tier) for x in result.ranking] == TIERS


def test_garaks_own_summary_is_ranked_too(tmp_path: Path) -> None:
    """Without counts: garak states measures and a bootstrap interval alone."""
    summary = summary_of(EDGES)
    bypass = summary["results"]["c.EightTenths"]
    ends = {"mean": 0.8, "ci_lower": 0.7, "ci_upper": 0.9, "ci_width": 0.2}
    bypass["metrics"]["hit_f1_ci"] = ends | {"n_samples": 20}
    del bypass["counts"], bypass["data"], summary["metadata"]["format_version"]
    del summary["metadata"]["metrics_rows"]
    found = document(
        tmp_path, "detectors", "rank", write_summary(tmp_path / "s.json", summary)
    )
    assert found["ranking"][2]["interval"] == {
        "lower": 0.7,
        "upper": 0.9,
        "kind": "bootstrap",
    }
    assert found["metrics_rows"] is None


AGAIN = "; make it again with `garak-tbsa detectors evaluate`"
GIVEN = ", but the counts beside it give 0.8"
ONE = ", c.C"
BAD: list[tuple[str, Any, str]] = [
    # (member, value, what is said behind the file's path)
    ("results.c/C.metrics.hit_f1", 0.7, f"{ONE}: `hit_f1` is 0.7{GIVEN}{AGAIN}"),
    (
        "results.c/C.metrics.hit_f1",
        1.5,
        f"{ONE}, metrics.hit_f1: expected `float` <= 1.0{AGAIN}",
    ),
    (
        "results.c/C.metrics.hit_precision",
        None,
        f"{ONE}: `hit_precision` is null{GIVEN}{AGAIN}",
    ),
    (
        "results.c/C.metrics.accuracy",
        "0.8",
        f"{ONE}, metrics.accuracy: expected `float | null`, got `str`{AGAIN}",
    ),
    (
        "results.c/C.metrics.hit_f1_ci",
        {"ci_lower": 0.9, "ci_upper": 0.8},
        f"{ONE}, metrics.hit_f1_ci: `ci_lower` is above `ci_upper`{AGAIN}",
    ),
    ("results.c/C.counts.tp", -1, f"{ONE}, counts.tp: expected `int` >= 0{AGAIN}"),
    (
        "results.c/C.counts.fn",
        2.5,
        f"{ONE}, counts.fn: expected `int`, got `float`{AGAIN}",
    ),
    (
        "results.c/C.counts.fn",
        None,
        f"{ONE}, counts.fn: expected `int`, got `null`{AGAIN}",
    ),
    (
        "results.c/C.stress",
        {"hits_found": 3, "hits": 2, "passes_left_alone": 0, "passes": 0},
        f"{ONE}, stress: `hits_found` is 3, more than `hits`, 2{AGAIN}",
    ),
    (
        "results.c/C.metrics",
        3,
        f"{ONE}, metrics: expected `object`, got `int`{AGAIN}",
    ),
    ("results", [], f", results: expected `object`, got `array`{AGAIN}"),
    ("metadata", None, f", metadata: expected `object`, got `null`{AGAIN}"),
    (
        "metadata.errors",
        [{"detector": "x.X"}],
        f", metadata.errors, [0]: object missing required field `reason`{AGAIN}",
    ),
    (
        "metadata.random_seed",
        -1,
        f", metadata, random_seed: expected `int` >= 0{AGAIN}",
    ),
    (
        "metadata.confidence",
        2,
        f", metadata, confidence: expected `float` <= 1.0{AGAIN}",
    ),
    (
        "metadata.metrics_rows",
        "all",
        f", metadata, metrics_rows: invalid enum value 'all'{AGAIN}",
    ),
    (
        "metadata.balance_datasets",
        "no",
        f", metadata, balance_datasets: expected `bool | null`, got `str`{AGAIN}",
    ),
]


@pytest.mark.parametrize("command", ["rank", "python"])
def test_a_summary_that_says_what_cannot_be_is_refused(
    tmp_path: Path, command: str
) -> None:
    path = tmp_path / "s.json"
    found = []
    for member, value, _ in BAD:
        summary = summary_of({"c.C": (8, 2, 2, 8)})
        *parents, last = member.split(".")
        place: Any = summary
        for name in parents:
            place = place[name.replace("/", ".")]
        place[last] = value
        write_summary(path, summary)
        if command == "python":
            with pytest.raises(garak_tbsa.GarakTbsaError) as caught:
                garak_tbsa.load_summary(path)
            said = str(caught.value)
        else:
            shown = tbsa("detectors", command, path)
            assert shown.code == 1
            said = shown.error.removeprefix("garak-tbsa: ")
        assert said.startswith(str(path))
        found.append((member, value, said.removeprefix(str(path))))
    assert found == BAD
    write_summary(path, summary_of(EDGES, format_version=99))
    said = tbsa("detectors", "rank", path).error
    assert said.startswith(f"garak-tbsa: {path}: a summary of format version 99, and")
    for text in ("{", "[]", '{"results": NaN}', '{"results": {}, "results": {}}'):
        path.write_text(text)
        shown = tbsa("detectors", "rank", path)
        assert (shown.code, shown.error[:30]) == (1, f"garak-tbsa: {path}"[:30])
