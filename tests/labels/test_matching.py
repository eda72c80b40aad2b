# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs by pair and verdict; each label that cannot be used is one line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from garak_tbsa.detector_eval.report_labels import Place, ReportLabels, StratumKey
from garak_tbsa.labels.label_files import Label, LabelFile
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import audited_scan, read_outputs
from garak_tbsa.tbsa.grades import GradedPair
from tests.factories import PairFacts, attempt_row, graded_pair, write_report
from tests.labels.scans import attempt, outputs_of_attempts

PROBE = "dan.DanInTheWild"
OUTPUTS = outputs_of_attempts(
    attempt("u1", {"dan.DAN": [1.0, 0.0], "a.B": [0.0, None]}),
    attempt("u2", {"dan.DAN": [1.0, 1.0]}),
)
FIRST = (Place("u1", 0), "dan.DAN")


def graded(passed: int, total: int, detector: str = "dan.DAN") -> GradedPair:
    facts = PairFacts(probe=PROBE, detector=detector, passed=passed, total=total)
    return graded_pair(facts)


def label(answer: str, uuid: str = "u1", index: int = 0, **more: Any) -> Label:
    values = {"where": "labels.csv, row 2", "detector": "dan.DAN", **more}
    return Label(place=Place(uuid, index), answer=answer, **values)


def matched(*labels: Label, replaces: bool = False, **more: Any) -> ReportLabels:
    file = LabelFile(path="labels.csv", labels=labels, replaces=replaces)
    return match_labels([file], OUTPUTS, **more)


def test_outputs_are_sorted_by_pair_and_verdict(tmp_path: Path) -> None:
    found = outputs_of_attempts(
        attempt("u1", {"dan.DAN": [1.0, 0.0], "a.B": [0.5, None]}),
        attempt(None, {"dan.DAN": [0.4]}, line=7),
    )
    assert found.strata == {
        StratumKey(PROBE, "dan.DAN", True): [Place("u1", 0)],
        StratumKey(PROBE, "dan.DAN", False): [Place("u1", 1), Place("line 7", 0)],
        StratumKey(PROBE, "a.B", True): [Place("u1", 0)],
    }
    assert found.unscored == {
        (Place("u1", 1), "a.B"),
        (Place("line 7", 1), "dan.DAN"),
    }
    assert len(found.lengths) == 4
    facts = PairFacts(probe=PROBE, passed=1, total=2)
    row = attempt_row(facts, scores=[0.6, 0.8]) | {"uuid": "u1"}
    path = write_report(tmp_path / "x.report.jsonl", [row])
    by_threshold = read_outputs(path, 0.7)
    assert by_threshold.of(graded(1, 2), flagged=True) == [Place("u1", 1)]


def test_strata_have_the_labels_of_their_outputs() -> None:
    pairs = [graded(1, 4), graded(1, 1, "a.B"), graded(1, 2, "c.D")]
    said = {
        FIRST: (1, 0),
        (Place("u2", 1), "dan.DAN"): (1, 2),
        (Place("x", 0), "a.B"): (1, 0),
    }
    found = audited_scan(pairs, OUTPUTS).answered(said)
    assert [
        (c.pair, c.flagged, c.outputs, len(c.places), c.labelled, c.hits)
        for c in found.strata
    ] == [(0, True, 3, 3, 2, 1), (0, False, 1, 1, 0, 0), (1, False, 1, 1, 0, 0)]
    assert found.not_audited == {f"{PROBE}+c.D": "the report has 0 of its 2 outputs"}
    assert len(found.pairs) == 3
    for pair, reason in (
        (replace(graded(1, 4), grades=(5, None)), "its counts contradict its grade"),
        (replace(graded(1, 4), passed=None), "its counts are unknown"),
        (graded(2, 4), "3 of its outputs are flagged, 2 in the report's counts"),
    ):
        none = audited_scan([pair], OUTPUTS)
        assert none.not_audited == {pair.name: reason}
        assert none.why_none.startswith(
            f"none of its pairs can be audited; of {pair.name}, {reason}; "
        )


def test_a_later_answer_of_a_log_counts_and_a_second_look_stands_beside_it() -> None:
    """\"``"look": 2`` marks the second answer\"; a later answer replaces its own."""
    looks = [label("pass"), label("hit", look=2), label("pass", look=2)]
    found = matched(*looks, label("hit"), replaces=True)
    assert found.answers == {FIRST: {"": ["hit", "pass"]}}
    assert matched(*looks, label("undo", look=2), replaces=True).said == {FIRST: (0, 1)}
    later = matched(label("hit"), label("pass"), replaces=True)
    assert (later.truth, later.problems) == ({FIRST: False}, ())
    unsure = matched(label("hit"), label("unsure"), replaces=True)
    assert (unsure.truth, unsure.passed_over, unsure.skipped) == ({}, [FIRST], 1)
    for said in ("undo", "hit"):  # what no longer stands is not counted
        found = matched(label("skip"), label(said), replaces=True)
        assert (found.passed_over, found.skipped) == ([], 0)
    ben = label("skip", rater="ben")
    found = matched(ben, label("hit"), label("undo"), replaces=True)
    assert found.passed_over == [FIRST]


def test_what_cannot_be_used_is_told() -> None:
    """One line for each; one for a file of another report, however many it has."""
    for given, problem in (
        (
            label("hit", index=1, detector="a.B"),
            "a.B gave this output no score, so it is not counted",
        ),
        (
            label("hit", detector=None),
            "names no detector, and 2 judged this output; add a column `detector`",
        ),
    ):
        found = matched(given, label("pass", "u2"))
        assert found.problems == (f"labels.csv, row 2: {problem}",)
        assert found.unusable == 1
        assert found.truth == {(Place("u2", 0), "dan.DAN"): False}
    found = matched(*(label("hit", "u9", index) for index in range(60)))
    assert found.problems == (
        "labels.csv, row 2: attempt u9 is not in the report, nor is that of any other"
        " of the file's 60 labels; give the report that the labels were made from",
    )
    assert (found.truth, found.unusable) == ({}, 60)


def test_a_detector_is_known_where_one_alone_judged_or_the_command_names_it() -> None:
    assert matched(label("hit", "u2", detector=None)).truth == {
        (Place("u2", 0), "dan.DAN"): True
    }
    assert matched(label("hit", detector=None), detector="a.B").truth == {
        (Place("u1", 0), "a.B"): True
    }
    # of labels of picked outputs, those that are used are counted
    unusable = label("hit", "u9", drawn=False)
    skipped = label("skip", "u2", drawn=False)
    drawn, picked = label("hit", "u2", 1, drawn=True), label("hit", drawn=False)
    assert matched(unusable, skipped, drawn, picked).picked == 1
