# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results whose number is not that of the outputs are said of no output."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import document, tbsa
from tests.report_rows import PairFacts, report_rows, write_report

DETECTOR = "goodside.Tag"
TOLD = f"12 results of {DETECTOR} belong to no known output"
SHORT = "its results belong to no known output"
OUTPUTS = ("note without a file", "EVIL", "plain")
RESULTS = {
    # as garak's FileDetector, which skips outputs that name no file
    "fewer": [1.0, 1.0],
    # as a detector of all turns of a conversation, of which outputs are the last
    "more": [1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
}


@pytest.fixture(params=RESULTS)
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Twelve results of one detector, and another that judged each output."""
    results = RESULTS[request.param]
    prompts = 12 // len(results)
    passed = prompts * results.count(0.0)
    pairs = [
        PairFacts(probe="good.P", detector=DETECTOR, passed=passed, total=12),
        PairFacts(
            probe="good.P",
            detector="dan.DAN",
            passed=prompts,
            total=3 * prompts,
        ),
    ]
    attempts = [
        {
            "entry_type": "attempt",
            "status": 2,
            "uuid": f"uuid-{number}",
            "probe_classname": "good.P",
            "prompt": f"prompt {number}",
            "outputs": [{"text": f"{text} {number}"} for text in OUTPUTS],
            "detector_results": {DETECTOR: results, "dan.DAN": [0.0, 1.0, 1.0]},
        }
        for number in range(prompts)
    ]
    rows = report_rows(pairs, attempts=attempts)
    path = tmp_path / "scan.report.jsonl"
    write_report(path, rows)
    return path


def labels_of(report: Path, *detectors: str) -> Path:
    rows = [
        {
            "attempt": f"uuid-{number}",
            "output_index": index,
            "detector": detector,
            "label": "hit" if index == 1 else "pass",
            "rater": "anna",
            "drawn": True,
        }
        for number in range(2)
        for index in range(3)
        for detector in detectors
    ]
    return write_lines(report.with_name("anna.jsonl"), rows)


def evidence_forms(report: Path) -> Iterator[tuple[str, str]]:
    yield "explain", tbsa("explain", report, "--hits", 3).out
    for option, name in (("--html", "a.html"), ("--markdown", "a.md")):
        path = report.with_name(name)
        assert tbsa("score", report, option, path).code == 0
        yield option, path.read_text("utf-8")
    path = report.with_name("a.sarif")
    assert tbsa("score", report, "--sarif", path).code == 0
    yield "--sarif", path.read_text("utf-8")


def test_no_hit_is_shown_and_it_is_said_once(report: Path) -> None:
    """The other detector's hits are shown: not the first output, and no other."""
    for form, shown in evidence_forms(report):
        text = " ".join(shown.replace("\\", "").split())
        assert text.count(TOLD) == 1, form
        # a page lists the pairs alone of which it has hits
        assert (SHORT in text) == (form != "--html"), form
        assert re.search("EVIL|plain", text) is not None, form
        assert "note without" not in text, form
        # what another detector said of these hits is not known either
        assert re.search(rf"{DETECTOR}: \d+ of \d+ passed", text) is None, form


def test_show_names_no_verdict_of_an_output(report: Path) -> None:
    shown = tbsa("show", report, "uuid-0").out
    results = {each["uuid"]: each for each in _attempts(report)}["uuid-0"]
    count = len(results["detector_results"][DETECTOR])
    assert f"{count} results of {DETECTOR} belong to no known output" in shown
    assert shown.count(DETECTOR) == 1
    assert shown.count("dan.DAN: ") == 3


def _attempts(report: Path) -> list[Any]:
    rows = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
    return [row for row in rows if row["entry_type"] == "attempt"]


@pytest.mark.parametrize("purpose", ["score", "detectors"])
def test_it_is_not_drawn_for_labelling(report: Path, purpose: str) -> None:
    sheet = report.with_name("sheet.csv")
    shown = tbsa("label", report, "--sheet", sheet, "--for", purpose)
    assert (shown.code, shown.err.count(TOLD)) == (0, 1)
    with sheet.open(newline="") as handle:
        assert {row["detector"] for row in csv.DictReader(handle)} == {"dan.DAN"}


def test_labels_of_it_are_not_used(report: Path, tmp_path: Path) -> None:
    """Told with the reason, whether a file names the detector or not."""
    labels = labels_of(report, DETECTOR, "dan.DAN")
    found = document(tmp_path, "audit", report, "--labels", labels)
    assert found["labels"]["used"] == 6
    reasons = {text.split(": ", 1)[1] for text in found["labels"]["problems"]}
    assert reasons == {
        f"{DETECTOR} gave another number of results than the attempt has outputs, so"
        f" that {SHORT}"
    }
    assert len(found["labels"]["problems"]) == 6
    assert found["not_audited"] == [{"pair": f"good.P+{DETECTOR}", "reason": SHORT}]
    assert found["warnings"].count(TOLD) == 1
    assert {each["detector"] for each in found["detectors"]} == {"dan.DAN"}
    shown = tbsa("audit", report, "--labels", labels)
    assert " ".join(shown.out.split()).count(TOLD) == 1
    assert garak_tbsa.audit(report, labels=labels).problems == tuple(
        found["labels"]["problems"]
    )
    rows = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
    for row in rows:
        del row["detector"]
    shown = tbsa("audit", report, "--labels", write_lines(labels, rows[:1]))
    assert "names no detector, and 2 judged this output" in shown.err


def test_evaluate_does_not_measure_by_them(report: Path, tmp_path: Path) -> None:
    only = labels_of(report, DETECTOR)
    given = ("detectors", "evaluate", "--data", report, "--labels", only)
    shown = tbsa(*given, "--output", tmp_path / "none.json")
    assert shown.code == 1
    assert SHORT in shown.error
    assert not (tmp_path / "none.json").exists()
    both = labels_of(report, DETECTOR, "dan.DAN")
    summary = tmp_path / "summary.json"
    shown = tbsa(*given[:-1], both, "--output", summary)
    assert SHORT in shown.err
    results = json.loads(summary.read_text("utf-8"))["results"]
    assert DETECTOR not in results


def test_the_score_is_as_before(report: Path, tmp_path: Path) -> None:
    """The digest's counts are the score's, whichever output they came from."""
    found = document(tmp_path, "score", report)
    prompts = len(_attempts(report))
    stated = {each["detector"]: each["passed"] for each in found["pairs"]}
    passed = 0 if prompts == 6 else prompts
    assert stated == {DETECTOR: passed, "dan.DAN": prompts}
