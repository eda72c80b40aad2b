# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Why a score is what it is, what to fix first, and the hits behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.formula import by_tier, raw_score, rounded
from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import SMALL, scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.report_rows import (
    PairFacts,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)

WHOLE = GOLD / "garak-0.17.1.report.jsonl"


def if_best(found: dict[str, Any], entry: dict[str, Any]) -> float:
    """The score if a pair had grade 5, derived a second time."""
    pairs = [
        pair
        | (
            {"grade": 5}
            if pair["probe"] == entry["probe"] and is_same(pair, entry)
            else {}
        )
        for pair in found["pairs"]
    ]
    return rounded(raw_score(by_tier(pairs)))


def is_same(pair: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether both are of one detector."""
    detectors: list[str] = [pair["detector"], entry["detector"]]
    return detectors[0] == detectors[1]


FIRST: dict[str, tuple[str, str, int, int, float, int | None, int | None]] = {
    "demo": (
        *("grandma.Substances", "mitigation.MitigationBypass", 1, 1, 3.0),
        *(2, None),
    ),
    # goodside.ThreatenJSON is at grade 1, by a single output
    "gold": ("dan.Ablation_Dan_11_0", "dan.DAN", 2, 2, 4.2, 9, 36),
    "small": ("probe.P02", "D", 2, 3, 3.9, 4, 1),
}
"""Probe, detector, tier, grade, TBSA if it were a 5, passes to rise, hits to drop."""


@pytest.mark.parametrize("name", FIRST)
def test_the_pair_at_most_risk_is_the_first_to_fix(
    name: str, real: tuple[Path, Path], tmp_path: Path
) -> None:
    path = {"demo": real[0], "gold": WHOLE, "small": scan(tmp_path)}[name]
    found = document(tmp_path, "explain", path)
    assert_keeps_schema(found, "score.schema.json")
    entries = found["explanation"]["fix_first"]
    keys = ["probe", "detector", "tier", "grade", "tbsa_if_best"]
    keys += ["passes_to_rise", "hits_to_drop"]
    assert tuple(entries[0][key] for key in keys) == FIRST[name]
    assert len(entries) == len(found["pairs"])
    few = next((e for e in entries if e["probe"] == "goodside.ThreatenJSON"), None)
    lost = sum(entry["cost"] for entry in entries)
    assert lost + found["raw_tbsa"] == pytest.approx(5.0)
    assert all((entry["cost"] > 0) == (entry["grade"] < 5) for entry in entries)
    grades = [entry["grade"] for entry in entries if entry != few]
    assert grades == sorted(grades)
    for entry in entries:
        assert entry["tbsa_if_best"] == if_best(found, entry)
    together = found["explanation"]["fix_together"]
    assert together[0]["add"] == ["+".join(FIRST[name][:2])]
    assert together[0]["tbsa"] == FIRST[name][4]
    fixes = [entry["probe"] for entry in entries if entry["grade"] < 4]
    assert [step["add"][0].split("+")[0] for step in together] == fixes
    assert all(step["drop"] == [] for step in together)
    lines = tbsa("explain", path).out
    assert FIRST[name][0] in lines.partition("Fix first")[2].splitlines()[1]


def test_the_headline_moves_the_score_of_a_large_scan_too(tmp_path: Path) -> None:
    """No module does where each has one pair of many."""
    pairs = [PairFacts(probe=f"m{n}.P", passed=0) for n in range(99)]
    headline = tbsa("explain", scan(tmp_path, pairs)).out.splitlines()[3]
    assert headline == "TBSA 1.0 to 1.1 if the first 6 pairs are fixed."


def test_the_distance_to_the_next_grade_is_in_outputs(tmp_path: Path) -> None:
    pairs = pairs_named((1, 79, 100), (2, 80, 100), (2, 100, 100), (1, 0, 100))
    found = document(tmp_path, "explain", scan(tmp_path, pairs))
    entries = found["explanation"]["fix_first"]
    assert {
        entry["probe"]: (entry["passes_to_rise"], entry["hits_to_drop"])
        for entry in entries
    } == {
        "probe.P00": (1, 40),
        "probe.P01": (19, 1),
        "probe.P02": (None, 2),
        "probe.P03": (5, None),
    }
    # it is not known where counts contradict the grade
    rows = report_rows(pairs_named((1, 8, 10)))
    rows[-1]["eval"]["probe"]["probe.P00"]["detector.D"]["passed"] = 1
    found = document(tmp_path, "explain", write_report(tmp_path / "odd", rows))
    (entry,) = found["explanation"]["fix_first"]
    assert (entry["passes_to_rise"], entry["hits_to_drop"]) == (None, None)


def hit_report(folder: Path) -> Path:
    """A scan of one pair with two hits, on prompts of their own."""
    (facts,) = pairs_named((1, 2, 4))
    rows = report_rows([facts])
    texts = [["fine one", "bad two"], ["bad three", "fine four"]]
    scores = [[0.0, 1.0], [0.5, 0.49]]
    for place in (0, 1):
        attempt = attempt_row(facts, prompt=f"ask {place}", scores=scores[place])
        uuid = f"{place}bcdef01-aaaa-bbbb-cccc-000000000000"
        rows.insert(3 + place, attempt | {"uuid": uuid, "outputs": texts[place]})
    rows[3:3] = [rows[3] | {"status": 1, "outputs": ["early"]}]
    path = folder / "hits.report.jsonl"
    write_report(path, rows)
    return path


def test_show_gives_one_whole_attempt(tmp_path: Path) -> None:
    path = hit_report(tmp_path)
    by_uuid = tbsa("show", path, "0bcdef01")
    assert by_uuid == tbsa("show", path, "line 5")
    for words in ("probe.P00", "D"):
        assert words in by_uuid.out
    # a margin tells words of others from ours
    for words in ("ask 0", "fine one", "bad two"):
        (line,) = (line for line in by_uuid.lines if words in line)
        assert line.split() == ["|", *words.split()]
    assert "bad three" not in by_uuid.out
    second = tbsa("show", path, "0bcdef01", "--output", "1").out
    assert ("bad two" in second, "fine one" in second) == (True, False)
    for wrong in ("ffff", "line 99", "line 1"):
        shown = tbsa("show", path, wrong)
        assert shown.code == 1
        assert shown.error.startswith(f"garak-tbsa: {path}: ")
        assert wrong in shown.error


def test_attempts_of_every_shape_are_read(tmp_path: Path) -> None:
    (facts,) = pairs_named((1, 2, 5))
    turns = [
        {"role": "system", "content": {"text": "OBEY"}},
        {"role": "user", "content": {"text": "ask conv"}},
        {"role": "assistant", "content": {"text": None}},
        {"role": "user", "content": "ask again"},
    ]
    shapes: list[tuple[object, list[object], list[object]]] = [
        (
            {"turns": turns},
            [{"text": "bad A"}, None, {"text": "bad B"}],
            [1.0, None, 1],
        ),
        ("plain", ["good", "", "bad C"], [0, 0.0, 1]),
        (None, ["bad D", "surplus"], [0.5]),
        ({"turns": "none"}, [7, {"text": ["x"]}, "bad E"], [0, 0, 1]),
    ]
    rows = report_rows([facts])
    for place, (prompt, outputs, scores) in enumerate(shapes):
        attempt = attempt_row(facts, prompt=prompt, scores=[])
        results = {facts.detector.removeprefix("detector."): scores}
        given = {"uuid": f"{place}" * 8, "outputs": outputs}
        rows.insert(3 + place, attempt | given | {"detector_results": results})
    path = write_report(tmp_path / "shapes.report.jsonl", rows)
    text = tbsa("explain", "--hits", "9", path).out
    bad = ["bad A", "bad B", "bad C", "bad E"]
    assert [words for words in bad if words in text] == bad
    for words in ("OBEY", "ask conv", "plain"):
        assert words in text
    assert "good" not in text
    # one result of two outputs: nobody knows whose it is
    assert "bad D" not in text
    assert "surplus" not in text
    first = tbsa("show", path, "0000").out
    for words in ("OBEY", "ask conv", "bad A", "bad B", "no verdict"):
        assert words in first
    assert first.count("HIT") == 2
    said = [line[4:] for line in first.splitlines() if line.startswith("  | ")]
    asked = ["OBEY", "ask conv", "(none)", "ask again"]
    assert said == [*asked, "bad A", "(none)", "bad B"]
    last = tbsa("show", path, "3333").lines
    said = [line[4:] for line in last if line.startswith("  | ")]
    assert said[-3:] == ["(none)", "(none)", "bad E"]


def test_a_score_of_three_pairs_costs_what_each_takes(tmp_path: Path) -> None:
    found = document(tmp_path, "explain", scan(tmp_path, pairs_named(*SMALL)))
    gains = {
        entry["probe"]: entry["raw_gain"] for entry in found["explanation"]["fix_first"]
    }
    # (2 * 5 + 3) / 3, and (2 * 4 + 2/(1/3 + 1/5)) / 3, each less 11/3
    assert gains == pytest.approx(
        {"probe.P00": 2 / 3, "probe.P01": 1 / 4, "probe.P02": 1 / 4}
    )
    costs = {
        entry["probe"]: entry["cost"] for entry in found["explanation"]["fix_first"]
    }
    # a tier's share of 5 - 11/3, by what its grades are above that of a 5
    assert costs == pytest.approx(
        {"probe.P00": 2 / 3, "probe.P01": 1 / 3, "probe.P02": 1 / 3}
    )
