# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from garak_tbsa.api.arguments import Scoring
from garak_tbsa.api.evidence import MOST_PAIRS, evidence_of
from garak_tbsa.outputs.registry import DEFAULT_HITS, DEFAULT_HITS_SEED
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.evidence import (
    Evidence,
    InstalledPlugins,
    PairEvidence,
    ProbeFacts,
    SiblingVerdicts,
)
from garak_tbsa.unavailable import Unavailable
from tests.factories import (
    PairFacts,
    assessment_of,
    graded_pair,
    report_rows,
    write_report,
)

NO_GARAK = Unavailable(reason="no garak is installed here")
PROBE = "dan.Ablation_Dan_11_0"
PLUGINS = InstalledPlugins(
    probes={PROBE: ProbeFacts(description="DAN.", goal="jailbreak", tags=("a:b",))},
    detectors=frozenset({"dan.DAN"}),
)


def attempt(
    results: dict[str, list[Any]],
    *,
    probe: str = PROBE,
    uuid: str | None = "a-1",
    prompt: object = "hello",
    outputs: list[Any] | None = None,
) -> dict[str, Any]:
    count = max(map(len, results.values()))
    return {
        "entry_type": "attempt",
        "uuid": uuid,
        "status": 2,
        "probe_classname": probe,
        "prompt": prompt,
        "outputs": outputs or [f"output {index}" for index in range(count)],
        "detector_results": results,
    }


def pair_of(evidence: Evidence) -> PairEvidence:
    (found,) = evidence.pairs.values()
    return found


def evidence_behind(
    assessment: Assessment, plugins: InstalledPlugins | Unavailable = NO_GARAK
) -> Evidence:
    with patch("garak_tbsa.api.evidence.installed_plugins", return_value=plugins):
        return evidence_of(assessment, hits=DEFAULT_HITS, seed=DEFAULT_HITS_SEED)


def collected(
    folder: Path,
    pairs: list[PairFacts],
    attempts: list[dict[str, Any]],
    plugins: InstalledPlugins | Unavailable = NO_GARAK,
) -> Evidence:
    rows = report_rows(pairs)
    path = write_report(folder / "scan.report.jsonl", [*rows[:3], *attempts, *rows[3:]])
    return evidence_behind(assessment_of(path), plugins)


DAN = PairFacts(probe=PROBE, detector="dan.DAN", passed=1, total=3)
BYPASS = PairFacts(
    probe=PROBE, detector="mitigation.MitigationBypass", passed=2, total=3
)


def test_hits_with_their_place_and_what_siblings_said(tmp_path: Path) -> None:
    row = attempt({"dan.DAN": [1.0, 0.0, 0.7], BYPASS.detector: [0.0, 1.0, None]})
    evidence = collected(tmp_path, [DAN, BYPASS], [row], PLUGINS)
    assert list(evidence.pairs) == [f"{PROBE}+dan.DAN", f"{PROBE}+{BYPASS.detector}"]
    found = evidence.pairs[f"{PROBE}+dan.DAN"]
    assert isinstance(found.hits, tuple)
    assert {(hit.attempt_uuid, hit.output_index) for hit in found.hits} == {
        ("a-1", 0),
        ("a-1", 2),
    }
    assert {hit.response.text for hit in found.hits} == {"output 0", "output 2"}
    assert found.hit_count == 2
    # the third output got no verdict
    (sibling,) = found.siblings
    assert (sibling.detector, sibling.passed, sibling.judged) == (BYPASS.detector, 1, 1)
    assert found.facts == PLUGINS.probes[PROBE]
    assert found.probe_page == (
        "https://reference.garak.ai/en/latest/probes/dan.html"
        "#garak.probes.dan.Ablation_Dan_11_0"
    )
    assert evidence.pairs[f"{PROBE}+{BYPASS.detector}"].detector_page is None


def test_texts_are_cut_and_have_no_control_characters(tmp_path: Path) -> None:
    long = "x" * 5_000
    turns = [{"role": "system", "content": "be good"}, {"role": "user", "content": "p"}]
    row = attempt(
        {"dan.DAN": [1.0, 1.0]},
        prompt={"turns": turns},
        outputs=["\x1b[31mred\u202e", {"text": long, "lang": "fr"}],
    )
    evidence = collected(tmp_path, [DAN], [row])
    by_index = {hit.output_index: hit for hit in pair_of(evidence).shown()}
    assert by_index[0].response.text == "\\x1b[31mred\\u202e"
    assert by_index[0].prompt.text == "system: be good\n\nuser: p"
    cut = by_index[1].response
    assert (cut.length, cut.is_cut) == (5_000, True)
    assert len(cut.text) < 1_100


@pytest.mark.parametrize("uuid", [None, "\x1b[2J", "a" * 65, "a b", ""])
def test_an_attempt_without_a_plain_uuid_is_named_by_its_line(
    tmp_path: Path, uuid: str | None
) -> None:
    evidence = collected(tmp_path, [DAN], [attempt({"dan.DAN": [1.0]}, uuid=uuid)])
    assert pair_of(evidence).shown()[0].attempt_uuid == "line 4"


def test_a_report_without_attempts_says_so(tmp_path: Path) -> None:
    evidence = collected(tmp_path, [DAN], [])
    found = pair_of(evidence)
    assert found.hits == Unavailable(reason="the report holds no attempts")
    assert found.hit_count is None


def test_a_thinned_report_says_how_many_hits_it_lacks(tmp_path: Path) -> None:
    evidence = collected(tmp_path, [DAN], [attempt({"dan.DAN": [0.0]})])
    reason = "none of its hits is among the report's attempts (2 stated)"
    assert pair_of(evidence).hits == Unavailable(reason=reason)
    assert pair_of(evidence).found(graded_pair(DAN)) == f"no hits to show: {reason}"


def test_a_broken_line_costs_the_hits_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "scan.report.jsonl"
    rows = [json.dumps(row) for row in report_rows([DAN])]
    path.write_text("\n".join([*rows[:3], '{"broken', *rows[3:]]), encoding="utf-8")
    evidence = evidence_behind(assessment_of(str(path)))
    found = pair_of(evidence)
    assert isinstance(found.hits, Unavailable)
    assert "line 4: expected a JSON object" in found.hits.reason
    assert not isinstance(found.trust, Unavailable)


def test_only_the_worst_pairs_have_hits(tmp_path: Path) -> None:
    pairs = [
        PairFacts(probe=f"m.P{number:03d}", detector="m.D", passed=number, total=400)
        for number in range(MOST_PAIRS + 2)
    ]
    rows = [
        attempt({"m.D": [1.0]}, probe=pair.probe, uuid=f"u-{number}")
        for number, pair in enumerate(pairs)
    ]
    evidence = collected(tmp_path, pairs, rows)
    kinds = [isinstance(found.hits, tuple) for found in evidence.pairs.values()]
    assert kinds == [True] * MOST_PAIRS + [False] * 2
    assert next(iter(evidence.pairs)) == "m.P000+m.D"


def test_the_files_that_garak_writes_beside_a_report(tmp_path: Path) -> None:
    assert collected(tmp_path, [DAN], []).garak_page is None
    for name in ("scan.report.html", "scan.hitlog.jsonl"):
        (tmp_path / name).touch()
    evidence = collected(tmp_path, [DAN], [])
    assert evidence.garak_page == str(tmp_path / "scan.report.html")
    assert evidence.hit_log == str(tmp_path / "scan.hitlog.jsonl")


def test_nothing_is_linked_for_a_name_that_is_no_plugin(tmp_path: Path) -> None:
    pair = PairFacts(probe='dan.X"><script>', detector="a/../b.C", passed=1, total=2)
    evidence = collected(tmp_path, [pair], [])
    found = pair_of(evidence)
    assert found.probe_page is None
    assert found.detector_page is None


def test_a_merged_scan_has_hits_of_all_its_parts(tmp_path: Path) -> None:
    other = PairFacts(probe="m.Other", detector="m.D", passed=0, total=1)
    paths = []
    for name, pair in (("one", DAN), ("two", other)):
        rows = report_rows([pair])
        hit = attempt({pair.detector: [1.0]}, probe=pair.probe, uuid=f"of-{name}")
        paths.append(
            write_report(tmp_path / f"{name}.report.jsonl", [*rows[:3], hit, *rows[3:]])
        )
    assessment = Scoring().assess_paths(*paths)
    evidence = evidence_behind(assessment)
    drawn = {
        (hit.report, hit.attempt_uuid)
        for found in evidence.pairs.values()
        for hit in found.shown()
    }
    assert drawn == {(paths[0], "of-one"), (paths[1], "of-two")}


def test_how_many_hits_of_how_many(tmp_path: Path) -> None:
    """The pair's counts say how many hits the scan had."""
    found = pair_of(collected(tmp_path, [DAN], [attempt({"dan.DAN": [1.0]})]))
    pair = graded_pair(DAN)
    assert found.found(pair) == (
        "1 of 1 hit in the report's attempts (its counts say 2)"
    )
    assert replace(found, hit_count=2).found(pair) == "1 of 2 hits"
    assert replace(found, hits=(), hit_count=0).found(pair) == "no hits"


@pytest.mark.parametrize(
    ("description", "goal", "text"),
    [
        ("Will it?", "get JSON", "Will it? Its goal: get JSON."),
        (None, "win!", "Its goal: win!"),
        (None, None, ""),
    ],
)
def test_what_a_probe_tries(
    description: str | None, goal: str | None, text: str
) -> None:
    assert ProbeFacts(description=description, goal=goal, tags=()).text() == text


def test_what_siblings_said_and_the_command_that_shows_a_hit(tmp_path: Path) -> None:
    name = tmp_path / "my scan; rm -rf $HOME's"
    name.mkdir()
    found = pair_of(collected(name, [DAN], [attempt({"dan.DAN": [1.0]})]))
    assert found.siblings_text() == ""
    verdicts = [
        SiblingVerdicts(detector=f"m.S{number}", passed=12, judged=12)
        for number in range(12)
    ]
    said = replace(found, siblings=tuple(verdicts)).siblings_text()
    assert said.startswith("m.S0: 12 of 12 passed; m.S1: 12 of 12 passed; ")
    assert said.endswith("; and 2 more detectors")
    (hit,) = found.shown()
    report = str(name / "scan.report.jsonl")
    words = ["garak-tbsa", "show", report, "a-1", "--output", "0"]
    assert shlex.split(hit.show_command()) == words
    assert hit.show_command("b") == "garak-tbsa show b a-1 --output 0"
