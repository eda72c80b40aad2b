# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What labels say of a scan, all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from garak_tbsa.label_audit.audit import Audit, audit_scan
from garak_tbsa.label_audit.cells import AuditedScan
from garak_tbsa.label_audit.labels import HIT, PASS
from garak_tbsa.label_audit.matching import AuditInput, Judged, MatchedLabels
from garak_tbsa.label_audit.outputs import Place
from garak_tbsa.label_audit.score import GradeTable, draw_scores
from garak_tbsa.tbsa.score import score_pairs
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts
from tests.label_audit.scans import scan_of

PAIRS = (
    PairFacts(probe="dan.A", passed=60, total=100, mu=0.9),
    PairFacts(probe="dan.B", passed=100, total=100),
    PairFacts(probe="web.C", detector="web.D", passed=80, total=100, tier=2),
)
GRADED = scan_of(*PAIRS).pairs
"""Grades 1 (60 %: 3, Z -3: 1), 5 and 4."""


def labels(count: int = 0, **values: Any) -> MatchedLabels:
    answers = {(Place(f"u{n}", 0), "dan.DAN"): {"ann": [HIT]} for n in range(count)}
    found: dict[str, Any] = {
        "answers": answers,
        "passed_over": (),
        "skipped": 0,
        "blank": 0,
        "picked": 0,
        "problems": (),
        "unusable": 0,
    }
    return MatchedLabels(**found | values)


def prepared_of(scan: AuditedScan) -> AuditInput:
    return AuditInput(
        scan=scan,
        places=[
            [Place(f"c{n}", i) for i in range(cell.outputs)]
            for n, cell in enumerate(scan.cells)
        ],
        not_audited={},
    )


def answers_of(prepared: AuditInput, *counts: tuple[int, int]) -> dict[Judged, Any]:
    """Answers about (labelled, hits) outputs of each cell."""
    return {
        (place, cell.detector): {"ann": [HIT if number < hits else PASS]}
        for cell, places, (asked, hits) in zip(
            prepared.scan.cells, prepared.places, counts, strict=True
        )
        for number, place in enumerate(places[:asked])
    }


ALL_LABELLED = ((40, 10), (60, 0), (100, 60), (20, 20), (80, 0))


def audited(*counts: tuple[int, int], answers: Any = None, **options: Any) -> Audit:
    prepared = prepared_of(scan_of(*PAIRS))
    given = answers_of(prepared, *(counts or ALL_LABELLED)) | (answers or {})
    found = audit_scan(prepared, labels(answers=given), draws=300, **options)
    assert isinstance(found, Audit)
    return found


def test_where_all_is_labelled_and_right_the_score_is_that_of_the_labels() -> None:
    """\"What TBSA would be if every output were judged as the labellers judge.\""""
    found = audited()
    true = scan_of(
        replace(PAIRS[0], passed=90), replace(PAIRS[1], passed=40), PAIRS[2]
    ).pairs
    tenths = score_pairs(true).tenths
    right = found.if_right
    assert (right.lower, right.tenths, right.upper) == (tenths,) * 3
    by_labels = found.score.by_labels
    assert by_labels.lower <= tenths <= by_labels.upper
    assert found.score.by_detectors == score_pairs(GRADED).tenths
    assert (found.labels, found.outputs, found.unused) == (300, 300, 0)
    assert found.next == ()


def test_pass_rate_grades_alone_are_scored_too() -> None:
    """\"State both the documented score and the one with pass-rate grades alone.\""""
    found = audited()
    bare = [replace(facts, mu=None) for facts in PAIRS]
    assert found.pass_rate_only.by_detectors == score_pairs(scan_of(*bare).pairs).tenths
    assert found.pass_rate_only.by_detectors != found.score.by_detectors
    true = scan_of(replace(bare[0], passed=90), replace(bare[1], passed=40), bare[2])
    assert found.pass_rate_only.by_labels.tenths == score_pairs(true.pairs).tenths


def test_pairs_whose_grade_changes_come_by_what_they_lose() -> None:
    found = audited()
    assert [each.pair.probe for each in found.pairs] == ["dan.A", "dan.B", "web.C"]
    assert [
        (each.pair.probe, each.pair.grade, each.grade.value, each.hits.value)
        for each in found.changed_pairs
    ] == [("dan.B", 5, 3, 60), ("dan.A", 1, 3, 10)]
    assert [each.labelled for each in found.pairs] == [100, 100, 100]


def test_a_range_is_around_its_value_and_narrows_with_labels() -> None:
    few = audited((4, 3), (4, 0), (4, 0), (4, 3), (4, 0))
    many = audited((40, 30), (60, 0), (90, 0), (20, 15), (60, 0))
    for found in (few, many):
        for each in found.pairs:
            assert each.hits.lower <= each.hits.value <= each.hits.upper
            assert 1 <= each.grade.lower <= each.grade.value <= each.grade.upper <= 5
    assert width(many) < width(few)


def width(found: Audit) -> int:
    return found.score.by_labels.upper - found.score.by_labels.lower


def test_what_to_label_next_is_in_cells_with_something_left() -> None:
    found = audited((40, 30), (0, 0), (1, 0), (20, 15), (1, 0), next_labels=12)
    assert sum(each.labels for each in found.next) == 12
    assert all(1 <= each.labels <= each.unlabelled for each in found.next)
    assert not any(each.flagged for each in found.next)
    most = [each.labels for each in found.next]
    assert most == sorted(most, reverse=True)


def test_the_same_seed_gives_the_same_audit() -> None:
    counts = ((4, 3), (4, 0), (4, 0), (4, 3), (4, 0))
    one, two = (audited(*counts, seed=5) for _ in range(2))
    assert one == two


def test_agreement_is_of_outputs_with_two_raters() -> None:
    assert audited().agreement is None
    keys = [(Place(f"u{n}", 0), "dan.DAN") for n in range(4)]
    answers = {
        keys[0]: {"ann": [HIT], "bob": [HIT]},
        keys[1]: {"ann": [PASS], "bob": [PASS, HIT]},
        keys[2]: {"ann": [PASS], "bob": [HIT]},
        keys[3]: {"ann": [HIT]},
    }
    found = audited(answers=answers).agreement
    assert found is not None
    assert (found.rows, found.raters) == (3, 2)
    assert found.alpha == pytest.approx(4 / 9)


def test_labels_of_other_pairs_are_counted() -> None:
    assert audited(answers=labels(7).answers).unused == 7


def test_without_labels_there_is_no_number() -> None:
    """\"No labels at all: says how to begin.\" A prior alone is no audit."""
    nothing = prepared_of(scan_of(*PAIRS))
    assert audit_scan(nothing, labels()) == Unavailable(
        reason="none of its outputs is labelled"
    )
    tie = {(Place("t", 0), "a.B"): {"ann": [HIT], "bob": [PASS]}}
    others = {**labels(2).answers, **tie}
    matched = labels(answers=others, blank=3, skipped=4, unusable=1)
    assert audit_scan(nothing, matched) == Unavailable(
        reason="none of its outputs is labelled (blank rows: 3; skip or unsure: 4;"
        " as many hits as passes: 1; of pairs that do not count or were not audited: 2;"
        " could not be used: 1)"
    )


def test_without_outputs_there_is_no_number() -> None:
    empty = AuditInput(
        scan=AuditedScan(pairs=GRADED, cells=()),
        places=(),
        not_audited={"dan.A+dan.DAN": "the report has 0 of its 100 outputs"},
    )
    assert audit_scan(empty, labels(3)) == Unavailable(
        reason="none of its pairs can be audited; of dan.A+dan.DAN, the report has 0 of"
        " its 100 outputs"
    )


def test_a_pair_without_cells_keeps_the_grade_of_its_detector() -> None:
    """\"A pair without cells is not audited: its pass count stays the detector's.\""""
    scan = scan_of(*PAIRS)
    pairs = [
        replace(scan.pairs[0], distribution=None),  # Z-score from an unknown source
        replace(scan.pairs[1], passed=None, total_evaluated=None),
        scan.pairs[2],
    ]
    cells = [cell.with_labels(2, 0) for cell in scan.cells if cell.pair == 2]
    found = draw_scores(AuditedScan(pairs=pairs, cells=cells), GradeTable(pairs), 50)
    assert set(found.grades[0]) == {1}
    assert set(found.grades[1]) == {5}
    assert len(set(found.grades[2])) > 1
