# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies behind pairs, from Python; ``tests/outputs/whole`` shows it in forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from garak_tbsa.outputs.evidence_said import hits_text
from tests.behaviour.product import tbsa
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

PROBE = "dan.Ablation_Dan_11_0"
PAGES = "https://reference.garak.ai/en/latest"
DAN = PairFacts(probe=PROBE, detector="dan.DAN", passed=1, total=3)
ELSE = PairFacts(probe=PROBE, detector="m.Else", passed=2, total=3)


def attempt(results: dict[str, list[Any]], **fields: Any) -> dict[str, Any]:
    """An attempt with these verdicts, and an output for each."""
    count = max(map(len, results.values()))
    own: dict[str, Any] = {
        "uuid": "a-1",
        "outputs": [f"output {index}" for index in range(count)],
        "detector_results": results,
    }
    return attempt_row(DAN, **(own | fields))


def evidence_of(path: str, **options: Any) -> Any:
    """What the result of a score holds of it."""
    given: dict[str, Any] = {"hits": 3, "interval": False} | options
    evidence = garak_tbsa.score(path, **given).evidence
    assert not isinstance(evidence, garak_tbsa.Unavailable)
    return evidence


def written(
    folder: Path, pairs: list[PairFacts], attempts: list[Any], name: str = "scan"
) -> str:
    """The report of these pairs and attempts."""
    rows = report_rows(pairs, attempts=attempts)
    return write_report(folder / f"{name}.report.jsonl", rows)


def collected(folder: Path, pairs: list[PairFacts], attempts: list[Any]) -> Any:
    """What lies behind these pairs."""
    return evidence_of(written(folder, pairs, attempts))


def test_hits_with_their_place_and_what_siblings_said(tmp_path: Path) -> None:
    """A sibling is asked of the hits alone; the third output got no verdict."""
    row = attempt({"dan.DAN": [1.0, 0.0, 0.7], "m.Else": [0.0, 1.0, None]})
    evidence = collected(tmp_path, [DAN, ELSE], [row])
    assert list(evidence.pairs) == [f"{PROBE}+dan.DAN", f"{PROBE}+m.Else"]
    found = evidence.pairs[f"{PROBE}+dan.DAN"]
    assert {
        (hit.attempt_uuid, hit.output_index, hit.response.text) for hit in found.hits
    } == {("a-1", 0, "output 0"), ("a-1", 2, "output 2")}
    assert found.hit_count == 2
    assert found.siblings == {"m.Else": (1, 1)}
    assert found.facts.goal == "disregard the system prompt"
    assert found.probe_page == f"{PAGES}/probes/dan.html#garak.probes.{PROBE}"
    assert evidence.pairs[f"{PROBE}+m.Else"].detector_page is None


def test_how_many_hits_are_shown_of_how_many(tmp_path: Path) -> None:
    """None, one, or so many, and how many the pair's counts say."""
    clean = PairFacts(probe=PROBE, detector="m.Else", passed=3, total=3)
    row = attempt({"dan.DAN": [1.0, 0.0, 0.0], "m.Else": [0.0, 0.0, 0.0]})
    path = written(tmp_path, [DAN, clean], [row])
    evidence = evidence_of(path)
    texts = {
        pair.detector: hits_text(evidence.pairs[pair.name], pair)
        for pair in garak_tbsa.assess(garak_tbsa.load_report(path)).graded
    }
    said = "1 of 1 hit in the report's attempts (its counts say 2)"
    assert texts == {"dan.DAN": said, "m.Else": "no hits"}


@pytest.mark.parametrize("uuid", [None, "\x1b[2J", "a" * 65, "a b", ""])
def test_an_attempt_without_a_plain_uuid_is_named_by_its_line(
    tmp_path: Path, uuid: str | None
) -> None:
    """A command can name it by that too."""
    evidence = collected(tmp_path, [DAN], [attempt({"dan.DAN": [1.0]}, uuid=uuid)])
    (found,) = evidence.pairs.values()
    assert found.hits[0].attempt_uuid == "line 4"


def test_a_broken_line_costs_the_hits_and_nothing_else(tmp_path: Path) -> None:
    """The reason is told, and how far the detector is right."""
    path = Path(written(tmp_path, [DAN], ["broken"]))
    path.write_bytes(path.read_bytes().replace(b'"broken"', b'{"broken'))
    (found,) = evidence_of(str(path)).pairs.values()
    assert "line 4: expected a JSON object" in found.hits.reason
    assert not isinstance(found.trust, garak_tbsa.Unavailable)


def test_only_the_worst_pairs_have_hits(tmp_path: Path) -> None:
    """200 of them, by their grades and then by their pass rates."""
    pairs = [
        PairFacts(probe=f"m.P{201 - number}", detector="m.D", passed=number, total=400)
        for number in range(202)
    ]
    rows = [
        attempt({"m.D": [1.0]}, probe_classname=pair.probe, uuid=f"u-{number}")
        for number, pair in enumerate(pairs)
    ]
    evidence = collected(tmp_path, pairs, rows)
    kinds = [isinstance(found.hits, tuple) for found in evidence.pairs.values()]
    assert kinds == [True] * 200 + [False] * 2
    assert next(iter(evidence.pairs)) == "m.P201+m.D"


def test_without_garak_nothing_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No report can choose that by a name that no plugin could have."""
    missing = garak_tbsa.Unavailable(reason="no garak is installed here")
    odd = PairFacts(probe='dan.X"><script>', detector="a/../b.C", passed=1, total=2)
    (pair,) = collected(tmp_path, [odd], []).pairs.values()
    assert (pair.probe_page, pair.detector_page) == (None, None)
    monkeypatch.setattr("garak_tbsa.api.evidence.plugins", lambda _: missing)
    (pair,) = collected(tmp_path, [DAN], []).pairs.values()
    assert (pair.probe_page, pair.detector_page) == (None, None)
    assert pair.facts == missing


def test_the_files_that_garak_writes_beside_a_report(tmp_path: Path) -> None:
    """Its page and its log of hits, where they are."""
    evidence = collected(tmp_path, [DAN], [])
    assert (evidence.garak_page, evidence.hit_log) == (None, None)
    beside = [tmp_path / name for name in ("scan.report.html", "scan.hitlog.jsonl")]
    for path in beside:
        path.touch()
    evidence = collected(tmp_path, [DAN], [])
    assert [evidence.garak_page, evidence.hit_log] == [*map(str, beside)]


def test_of_many_siblings_ten_are_named(tmp_path: Path) -> None:
    """And the others counted."""
    names = [f"m.S{number:02d}" for number in range(12)]
    row = attempt({"dan.DAN": [1.0], **{name: [0.0] for name in names}})
    pairs = [PairFacts(probe=PROBE, detector=name, total=1, passed=1) for name in names]
    report = written(tmp_path, [DAN, *pairs], [row])
    said = " ".join(tbsa("explain", report, "--hits", 1).out.split())
    assert "m.S00: 1 of 1 passed; m.S01: 1 of 1 passed; " in said
    assert "m.S09: 1 of 1 passed; and 2 more detectors" in said
