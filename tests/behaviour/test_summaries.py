# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Summaries of ours and of garak's: ranked, compared, explained, refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pytest

import garak_tbsa
from tests.behaviour.labelled import (
    ECHO,
    Counts,
    echo_row,
    echo_rows,
    measures,
    posterior,
    write_lines,
)
from tests.behaviour.product import Shown, document, tbsa


def summary_of(counts: dict[str, Counts], **metadata: Any) -> dict[str, Any]:
    """A summary with garak's members and our counts."""
    results = {
        name: {
            "metrics": measures(*cells),
            "counts": dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)),
            "data": [{"file": "rows.jsonl", "sha256": "0" * 64}],
        }
        for name, cells in counts.items()
    }
    stated = {
        "evaluation_date": "2026-01-30T14:28:03+00:00",
        "random_seed": 42,
        "balance_datasets": False,
        "num_detectors_evaluated": len(results),
        "errors": [],
        "format_version": 2,
        "versions": {"garak": "0.17.1"},
        "eval_threshold": 0.5,
        "confidence": 0.95,
        "metrics_rows": "typical",
    }
    return {"results": results, "metadata": stated | metadata}


def write(path: Path, summary: dict[str, Any]) -> Path:
    path.write_text(json.dumps(summary), encoding="utf-8")
    return path


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
    path = write(tmp_path / "s.json", summary_of(EDGES, errors=errors))
    found = document(tmp_path, "detectors", "rank", path)
    ranked = [(x["place"], x["detector"], x["tier"]) for x in found["ranking"]]
    assert ranked == TIERS
    assert found["unranked"] == ["j.NoHits"]
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
    found = document(tmp_path, "detectors", "rank", write(tmp_path / "s.json", summary))
    assert found["ranking"][2]["interval"] == {
        "lower": 0.7,
        "upper": 0.9,
        "kind": "bootstrap",
    }
    assert found["metrics_rows"] is None


AGAIN = "; make it again with `garak-tbsa detectors evaluate`"
NO_SUMMARY = "; expected a summary as written by `garak-tbsa detectors evaluate`"
GIVEN = ", but the counts beside it give 0.8"
ONE = ", c.C"
BAD: list[tuple[str, Any, str]] = [
    # (member, value, what is said behind the file's path)
    ("results.c/C.metrics.hit_f1", 0.7, f"{ONE}: `hit_f1` is 0.7{GIVEN}{AGAIN}"),
    (
        "results.c/C.metrics.hit_f1",
        1.5,
        f"{ONE}: `hit_f1` is 1.5; expected a number from 0 to 1, or null",
    ),
    (
        "results.c/C.metrics.hit_precision",
        None,
        f"{ONE}: `hit_precision` is null{GIVEN}{AGAIN}",
    ),
    (
        "results.c/C.metrics.accuracy",
        "0.8",
        f'{ONE}: `accuracy` is "0.8"; expected a number from 0 to 1, or null',
    ),
    (
        "results.c/C.metrics.hit_f1_ci",
        {"ci_lower": 0.9, "ci_upper": 0.8},
        f"{ONE}: `ci_lower` is above `ci_upper`{AGAIN}",
    ),
    (
        "results.c/C.counts.tp",
        -1,
        f"{ONE}, counts: `tp` is -1; expected a whole number of at least 0",
    ),
    (
        "results.c/C.counts.fn",
        2.5,
        f"{ONE}, counts: `fn` is 2.5; expected a whole number of at least 0",
    ),
    (
        "results.c/C.counts.fn",
        None,
        f"{ONE}, counts: `fn` is null; expected a whole number",
    ),
    (
        "results.c/C.stress",
        {"hits_found": 3, "hits": 2},
        f"{ONE}, stress: `hits_found` is 3, more than `hits`, 2{AGAIN}",
    ),
    ("results.c/C.metrics", 3, f"{ONE}: no object 'metrics'{NO_SUMMARY}"),
    ("results", [], f": no object 'results'{NO_SUMMARY}"),
    ("metadata", None, f": no object 'metadata'{NO_SUMMARY}"),
    (
        "metadata.errors",
        [{"detector": "x.X"}],
        ": `metadata.errors` is no list of objects with `detector` and"
        f" `reason`{AGAIN}",
    ),
    (
        "metadata.random_seed",
        -1,
        ", metadata: `random_seed` is -1; expected a whole number of at least 0",
    ),
    (
        "metadata.confidence",
        2,
        ", metadata: `confidence` is 2; expected a number from 0 to 1, or null",
    ),
    (
        "metadata.metrics_rows",
        "all",
        ', metadata: `metrics_rows` is "all"; expected "typical"',
    ),
    (
        "metadata.balance_datasets",
        "no",
        ', metadata: `balance_datasets` is "no"; expected true or false',
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
        write(path, summary)
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
    write(path, summary_of(EDGES, format_version=99))
    said = tbsa("detectors", "rank", path).error
    assert said.startswith(f"garak-tbsa: {path}: a summary of format version 99, and")
    for text in ("{", "[]", '{"results": NaN}', '{"results": {}, "results": {}}'):
        path.write_text(text)
        shown = tbsa("detectors", "rank", path)
        assert (shown.code, shown.error[:30]) == (1, f"garak-tbsa: {path}"[:30])


# what changed between two summaries

OLD: dict[str, Counts] = {
    "a.Same": (20, 10, 10, 20),
    "b.Worse": (20, 10, 10, 20),
    "c.Noise": (20, 10, 10, 20),
    "d.Better": (3, 10, 27, 20),
    "e.Lost": (20, 10, 10, 20),
}
NEW: dict[str, Counts] = {
    "a.Same": (20, 10, 10, 20),
    "b.Worse": (3, 10, 27, 20),
    "c.Noise": (19, 10, 11, 20),
    "d.Better": (20, 10, 10, 20),
    "f.Added": (20, 10, 10, 20),
}


def changes(shown: Shown) -> dict[str, str]:
    """Each changed detector's cells."""
    names = {*OLD, *NEW}
    rows = [line.split() for line in shown.lines if line.split()[0] in names]
    return {name: " ".join(cells) for name, *cells in rows}


def test_changes_beyond_noise_are_told_from_noise(tmp_path: Path) -> None:
    old = write(tmp_path / "old.json", summary_of(OLD))
    errors = [{"detector": "e.Lost", "reason": "no key"}]
    new = write(
        tmp_path / "new.json", summary_of(NEW, errors=errors, eval_threshold=0.4)
    )
    shown = tbsa("detectors", "diff", old, new)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[:3] == [
        f"{old}: 5 detectors evaluated, 2026-01-30, garak 0.17.1",
        f"{new}: 5 detectors evaluated, 2026-01-30, garak 0.17.1",
        "eval_threshold: 0.5 -> 0.4",
    ]
    found = changes(shown)
    noise = found.pop("c.Noise")
    likely_worse = float(noise.removesuffix(" within noise").rpartition(" ")[2])
    assert 0.5 < likely_worse < 0.7
    before, after = "F1 0.667 (20 10 10 20)", "F1 0.140 (3 10 27 20)"
    assert found == {
        "b.Worse": f"typical {before} {after} 1.000 worse",
        "d.Better": f"typical {after} {before} 0.000 better",
        "e.Lost": f"typical {before} - - no longer evaluated",
        "f.Added": f"typical - {before} - newly evaluated",
    }
    assert "  e.Lost: no key" in shown.lines


@pytest.mark.parametrize(
    ("new", "code", "named"),
    [
        (OLD, 0, ""),
        (OLD | {"d.Better": (20, 10, 10, 20)}, 0, ""),
        (OLD | {"c.Noise": (19, 10, 11, 20)}, 0, ""),
        (OLD | {"b.Worse": (3, 10, 27, 20)}, 3, "b.Worse (typical worse)"),
        (
            {name: OLD[name] for name in OLD if name != "e.Lost"},
            3,
            "e.Lost (typical no longer evaluated)",
        ),
    ],
    ids=["same", "better", "noise", "worse", "lost"],
)
def test_a_regression_fails_where_that_was_asked_for(
    tmp_path: Path, new: dict[str, Counts], code: int, named: str
) -> None:
    old = write(tmp_path / "old.json", summary_of(OLD))
    other = write(tmp_path / "new.json", summary_of(new))
    assert tbsa("detectors", "diff", old, other).code == 0
    shown = tbsa("detectors", "diff", old, other, "--fail-on-regression")
    expected = (
        f"garak-tbsa: {other}: {named}; `garak-tbsa detectors explain DETECTOR` shows"
        " the rows\n"
    )
    assert (shown.code, shown.err) == (code, expected if code else "")


def test_confidence_moves_the_edge_and_stress_rows_count(tmp_path: Path) -> None:
    old = summary_of({"a.A": (18, 10, 12, 20)})
    new = summary_of({"a.A": (14, 10, 16, 20)})
    paths = [write(tmp_path / "old.json", old), write(tmp_path / "new.json", new)]
    gate = ("detectors", "diff", *paths, "--fail-on-regression")
    assert tbsa(*gate).code == 0
    assert tbsa(*gate, "--confidence", "0.5").code == 3
    new["results"]["a.A"] = old["results"]["a.A"] | {
        "stress": {
            "hits_found": 2,
            "hits": 17,
            "passes_left_alone": 10,
            "passes": 20,
        }
    }
    old["results"]["a.A"] = new["results"]["a.A"] | {
        "stress": new["results"]["a.A"]["stress"] | {"hits_found": 15}
    }
    paths = [write(tmp_path / "old.json", old), write(tmp_path / "new.json", new)]
    shown = tbsa(*gate)
    assert (shown.code, shown.err.partition(";")[0]) == (
        3,
        f"garak-tbsa: {paths[1]}: a.A (stress hits worse)",
    )


# why a detector has the measures it has


def test_mistakes_are_shown_row_by_row(echoes: Path) -> None:
    rows = [
        *echo_rows(2, 0, 0, 2, slice="plain", lang="en"),
        echo_row("0.25", "hit", "missed", slice="odd", lang="de"),
        echo_row("0.75", "pass", "flagged\x1b[31m", slice="odd", lang="de"),
        echo_row("0", "hit", "disguised", why="no marker", lang="en"),
        echo_row("none", "pass", "unscored", lang="en"),
    ]
    path = write_lines(echoes / "rows.jsonl", rows)
    shown = tbsa("detectors", "explain", ECHO, "--data", path)
    assert (shown.code, shown.err) == (0, "")
    assert "\x1b" not in shown.out
    assert shown.lines[0].startswith(f"{ECHO}: typical F1 0.67 [")
    assert shown.lines[1:3] == [
        "typical rows: 6 scored, 3 hits and 3 passes; stress rows: 1 scored, 1 hits and"
        " 0 passes",
        "on typical rows: hit F1 0.667, precision 0.667, recall 0.667; pass F1 0.667;"
        " accuracy 0.667",
    ]
    table = {line.split()[0]: line.split()[1:] for line in shown.lines if line}
    # TP, FP, FN, TN, sensitivity, specificity, hit F1
    assert {
        name: table[name] for name in ("typical", "stress", "plain", "odd", "de")
    } == {
        "typical": ["2", "1", "1", "2", "0.667", "0.667", "0.667"],
        "stress": ["0", "0", "1", "0", "0.000", "-", "0.000"],
        "plain": ["2", "0", "0", "2", "1.000", "1.000", "1.000"],
        "odd": ["0", "1", "1", "0", "0.000", "0.000", "0.000"],
        "de": ["0", "1", "1", "0", "0.000", "0.000", "0.000"],
    }
    # threshold: TP, FP, FN, TN, precision, recall, hit F1
    assert {name: table[name] for name in ("0.25", "0.75", "1")} == {
        "0.25": ["3", "1", "0", "2", "0.750", "1.000", "0.857"],
        "0.75": ["2", "1", "1", "2", "0.667", "0.667", "0.667"],
        "1": ["2", "0", "1", "3", "1.000", "0.667", "0.800"],
    }
    for title, said in (
        ("False negatives: hits that it missed, typical rows (1)", "missed [odd, de]"),
        ("False negatives: hits that it missed, stress rows (1)", "disguised [en]"),
        ("Rows without a score (1)", "unscored: none"),
    ):
        place = shown.lines.index(title)
        assert shown.lines[place + 1].startswith(f"  {said}")
    assert "False positives: passes that it flagged, stress rows (0)" in shown.lines


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        (
            "knownbadsignatures",
            2,
            "'knownbadsignatures' names 3 detectors; name one, e.g."
            " knownbadsignatures.EICAR",
        ),
        ("dan.STAN", 1, "dan.STAN: no labelled rows of it; give some with --data"),
        ("dan.DAM", 2, "--detectors: garak has no 'dan.DAM'; did you mean 'dan.DAN'?"),
    ],
)
def test_one_detector_with_rows_is_explained(
    tmp_path: Path, spec: str, code: int, said: str
) -> None:
    path = write_lines(tmp_path / "dan.DAN.jsonl", [{"output": "", "label": "pass"}])
    shown = tbsa("detectors", "explain", spec, "--data", path.parent)
    assert (shown.code, shown.error) == (code, f"garak-tbsa: {said}")
