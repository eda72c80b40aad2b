# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Summaries of ours and of garak's: ranked, compared, explained, refused."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from garak import _plugins
from garak.detectors import base

import garak_tbsa
from tests.behaviour.labelled import Counts, summary_of, write_summary
from tests.behaviour.product import document, tbsa
from tests.unmeasured import without_coverage

NO_BETTER = "no better than flagging everything"

# F1 = 2 TP / (2 TP + FP + FN); each tier's upper edge belongs to the tier below
EDGES: dict[str, Counts] = {
    "a.Perfect": (10, 0, 0, 110),
    "b.Excellent": (41, 10, 10, 141),
    "c.EightTenths": (8, 2, 2, 108),
    "d.Good": (31, 20, 20, 131),
    "e.SixTenths": (6, 4, 4, 106),
    "f.AlsoSix": (3, 2, 2, 103),
    "g.FourTenths": (4, 6, 6, 104),
    "h.TwoTenths": (2, 8, 8, 102),
    "i.Nothing": (0, 1, 5, 101),
    "j.NoHits": (0, 1, 0, 105),
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
    (9, "i.Nothing", NO_BETTER),
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
    assert found["ranking"][2] == {
        "place": 3,
        "detector": "c.EightTenths",
        "tier": "Good",
        "hit_f1": 0.8,
        # the summary has none
        "interval": None,
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


SHOWN: dict[str, Counts] = {
    "dan.DAN": (20, 10, 10, 20),
    "goodside.PlainJSON": (30, 0, 0, 30),
    "lmrc.Anthro": (0, 0, 0, 5),
    "mitigation.Prefixes": (2, 2, 22, 24),
}


def test_the_ranking_says_what_it_rests_on(tmp_path: Path) -> None:
    errors = [{"detector": "judge.Refusal", "reason": "APIKeyMissingError"}]
    summary = summary_of(SHOWN, errors=errors, format_version="3.2")
    results = summary["results"]
    ends = {"ci_lower": 0.533333, "ci_upper": 0.786885, "degenerate": False}
    results["dan.DAN"]["metrics"]["hit_f1_ci"] = ends
    perfect = {"ci_lower": 1.0, "ci_upper": 1.0, "degenerate": True}
    jeffreys = {"jeffreys_lower": 0.940812, "jeffreys_upper": 0.999955}
    results["goodside.PlainJSON"]["metrics"]["hit_f1_ci"] = perfect | jeffreys
    for name, cells in (("dan.DAN", (2, 17, 3, 20)), ("mitigation.Prefixes", (1, 2))):
        members = ("hits_found", "hits", "passes_left_alone", "passes")
        given = dict(zip(members, (*cells, 0, 0)[:4], strict=True))
        results[name]["stress"] = given
    for name, (tp, fp, fn, tn) in SHOWN.items():
        real = min(tp + fn, 12)
        results[name]["basis"] = {
            "hits": {"real": real, "written": tp + fn - real},
            "passes": {"written": fp + tn},
        }
    path = write_summary(tmp_path / "s.json", summary)
    shown = tbsa("detectors", "rank", path)
    assert (shown.code, shown.err) == (
        0,
        f"garak-tbsa: warning: {path}: format version 3.2 is newer than 3.0, which this"
        " garak-tbsa knows; what it does not know is left out\n",
    )
    lines = [" ".join(line.split()) for line in shown.lines]
    # F1 at 10 % hits is 2 h s / (h s + (1 - h) (1 - c) + h): 1, 0.286 and 0.094
    assert lines[1:6] == [
        "place detector F1 (95 %) sensitivity specificity flag all hits real written"
        " not stated passes tier",
        "1 goodside.PlainJSON 1.00 (0.94 to 1.00, J) 1.00 1.00 0.67 30 12 18 0 30"
        " Excellent",
        # 2 * 30 / (2 * 30 + 30) is 0.67 too
        f"{NO_BETTER}:",
        "2 dan.DAN * 0.67 (0.53 to 0.79) 0.67 0.67 0.67 30 12 18 0 30 -",
        "3 mitigation.Prefixes * 0.14 0.08 0.92 0.65 24 12 12 0 26 -",
    ]
    assert (
        "mean F1 at the rows' share of hits, and where 10% of outputs are hits: 0.60"
        " and 0.46 of 3 detectors with 10 real hits, 0.60 and 0.46 of all 3"
    ) in lines
    assert lines[-1] == "1 not ranked, 1 not evaluated; -v says why"
    lines = [
        " ".join(line.split()) for line in tbsa("detectors", "rank", path, "-v").lines
    ]
    for said in (
        *("dan.DAN 2 of 17 3 of 20", "mitigation.Prefixes 1 of 2 0 of 0"),
        *("1 not ranked:", "lmrc.Anthro: no row is labelled hit"),
        *("1 not evaluated:", "judge.Refusal: APIKeyMissingError"),
    ):
        assert said in lines
    entry = document(tmp_path, "detectors", "rank", path)["ranking"][1]
    assert (entry["detector"], entry["matches_strings"]) == ("dan.DAN", True)
    interval = {"lower": 0.533333, "upper": 0.786885, "kind": "bootstrap"}
    assert entry["interval"] == interval
    assert entry["stress"] == results["dan.DAN"]["stress"]
    stated = {"real": 12, "written": 18, "own_words": 0, "not_stated": 0}
    assert entry["basis"]["hits"] == stated


def test_the_first_version_has_no_stress_rows(tmp_path: Path) -> None:
    """Its metrics are of typical and stress rows together: no typical F1."""
    summary = summary_of(SHOWN, format_version=1)
    del summary["metadata"]["metrics_rows"]
    path = write_summary(tmp_path / "s.json", summary)
    header = " ".join(tbsa("detectors", "rank", path).lines[1].split())
    assert header.startswith("place detector F1, all rows (95 %) sensitivity")
    found = document(tmp_path, "detectors", "rank", path)
    assert found["metrics_rows"] == "typical and stress"


def test_string_detectors_are_those_of_garaks_base_classes(tmp_path: Path) -> None:
    """Told by a parameter, since importing every detector module takes seconds."""
    kinds = (base.StringDetector, base.TriggerListDetector)
    plugins = _plugins.enumerate_plugins("detectors", skip_base_classes=False)
    names = [name.removeprefix("detectors.") for name, _ in plugins]
    expected = {"gone.Away": False, "garak.detectors.dan:DAN": True}
    for name in names:
        module, _, class_name = name.rpartition(".")
        with without_coverage():  # of all that garak's modules import
            found = importlib.import_module(f"garak.detectors.{module}")
        expected[name] = issubclass(getattr(found, class_name), kinds)
    summary = summary_of(dict.fromkeys(expected, (8, 2, 2, 8)))
    path = write_summary(tmp_path / "s.json", summary)
    ranking = document(tmp_path, "detectors", "rank", path)["ranking"]
    marked = {each["detector"]: each["matches_strings"] for each in ranking}
    assert marked == expected


AGAIN = "; make it again with `garak-tbsa detectors evaluate`"
GIVEN = "but the counts beside it give 0.8"
CROSSED = {"ci_lower": 0.9, "ci_upper": 0.8}
TOO_MANY: dict[str, Any] = {
    "hits_found": 3,
    "hits": 2,
    "passes_left_alone": 0,
    "passes": 0,
}
OTHER_SHARE: dict[str, Any] = {
    "hits_found": 0,
    "hits": 0,
    "passes_left_alone": 3,
    "passes": 30,
}
OTHER_SHARE |= {"passes_left_alone_share": {"share": 0.15}}
OF_A_DETECTOR: list[tuple[str, Any, str]] = [
    # (member, value, what is said behind the detector)
    ("metrics.hit_f1", 0.7, f": `hit_f1` is 0.7, {GIVEN}"),
    ("metrics.hit_f1", 1.5, ", metrics.hit_f1: expected `float` <= 1.0"),
    ("metrics.hit_f1", True, ", metrics.hit_f1: expected `float | null`, got `bool`"),
    ("metrics.hit_recall", 10**400, ", metrics.hit_recall: number out of range"),
    ("metrics.hit_precision", None, f": `hit_precision` is null, {GIVEN}"),
    (
        "metrics.accuracy",
        "0.8",
        ", metrics.accuracy: expected `float | null`, got `str`",
    ),
    (
        "metrics.hit_f1_ci",
        CROSSED,
        ", metrics.hit_f1_ci: `ci_lower` is above `ci_upper`",
    ),
    ("counts.tp", -1, ", counts.tp: expected `int` >= 0"),
    ("counts.tp", 10**13, ", counts.tp: expected `int` <= 1000000000000"),
    ("counts.fn", 2.5, ", counts.fn: expected `int`, got `float`"),
    ("counts.fn", None, ", counts.fn: expected `int`, got `null`"),
    ("stress", TOO_MANY, ", stress: `hits_found` is 3, more than `hits`, 2"),
    ("stress", {"hits": 1}, ", stress: object missing required field `hits_found`"),
    (
        "stress",
        OTHER_SHARE,
        ", stress: `passes_left_alone_share` is 0.15, but the counts beside it give"
        " 0.1",
    ),
    ("basis", {"hits": {"real": -1}}, ", basis.hits.real: expected `int` >= 0"),
    (
        "basis",
        {"hits": {}, "passes": {}, "models": [5]},
        ", basis.models[0]: expected `str`, got `int`",
    ),
    ("metrics", 3, ", metrics: expected `object`, got `int`"),
]
OF_ALL: list[tuple[str, Any, str]] = [
    ("results", [], ", results: expected `object`, got `array`"),
    ("metadata", None, ", metadata: expected `object`, got `null`"),
    (
        "metadata.errors",
        [{"detector": "x.X"}],
        ", metadata.errors, [0]: object missing required field `reason`",
    ),
    ("metadata.random_seed", -1, ", metadata, random_seed: expected `int` >= 0"),
    ("metadata.confidence", 2, ", metadata, confidence: expected `float` <= 1.0"),
    (
        # the value is not taken for its place
        "metadata.metrics_rows",
        "x - at `$.y`",
        ", metadata, metrics_rows: invalid enum value 'x - at `$.y`'",
    ),
    (
        "metadata.versions",
        {"garak": 5},
        ", metadata, versions[...]: expected `str`, got `int`",
    ),
    (
        "metadata.balance_datasets",
        "no",
        ", metadata, balance_datasets: expected `bool | null`, got `str`",
    ),
]
BAD = [
    (f"results.c/C.{at}", value, f", c.C{said}") for at, value, said in OF_A_DETECTOR
]
BAD += OF_ALL


def test_a_summary_that_says_what_cannot_be_is_refused(tmp_path: Path) -> None:
    """By commands and from Python alike."""
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
        with pytest.raises(garak_tbsa.GarakTbsaError) as caught:
            garak_tbsa.load_summary(path)
        said = str(caught.value)
        shown = tbsa("detectors", "rank", path)
        assert (shown.code, shown.error) == (1, f"garak-tbsa: {said}")
        assert said.startswith(str(path))
        found.append((member, value, said[len(str(path)) :].removesuffix(AGAIN)))
        assert said.endswith(AGAIN)
    assert found == BAD
