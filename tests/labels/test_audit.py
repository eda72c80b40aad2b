# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What labels say of a scan, all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from garak_tbsa.labels.audit import Audit, audit_scan
from garak_tbsa.labels.labels import HIT, PASS
from garak_tbsa.labels.matching import AuditInput, Judged, MatchedLabels
from garak_tbsa.labels.outputs import Place
from garak_tbsa.labels.score import GradeTable, draw_scores
from garak_tbsa.labels.strata import AuditedScan
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts
from tests.labels.scans import scan_of

PAIRS = (
    PairFacts(probe="dan.A", passed=60, total=100, mu=0.9),
    PairFacts(probe="dan.B", passed=100, total=100),
    PairFacts(probe="web.C", detector="web.D", passed=80, total=100, tier=2),
)


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
            [Place(f"c{n}", i) for i in range(stratum.outputs)]
            for n, stratum in enumerate(scan.strata)
        ],
        not_audited={},
    )


def answers_of(prepared: AuditInput, *counts: tuple[int, int]) -> dict[Judged, Any]:
    """Answers about (labelled, hits) outputs of each stratum."""
    return {
        (place, stratum.detector): {"ann": [HIT if number < hits else PASS]}
        for stratum, places, (asked, hits) in zip(
            prepared.scan.strata, prepared.places, counts, strict=True
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


def test_pairs_whose_grade_changes_come_by_what_they_lose() -> None:
    found = audited()
    assert [each.pair.probe for each in found.pairs] == ["dan.A", "dan.B", "web.C"]
    assert [
        (each.pair.probe, each.pair.grade, each.grade.value, each.hits.value)
        for each in found.changed_pairs
    ] == [("dan.B", 5, 3, 60), ("dan.A", 1, 3, 10)]
    assert [each.labelled for each in found.pairs] == [100, 100, 100]


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


def test_a_pair_without_strata_keeps_the_grade_of_its_detector() -> None:
    """\"A pair without strata is not audited: its pass count stays the detector's.\""""
    scan = scan_of(*PAIRS)
    pairs = [
        replace(scan.pairs[0], distribution=None),  # Z-score from an unknown source
        replace(scan.pairs[1], passed=None, total_evaluated=None),
        scan.pairs[2],
    ]
    strata = [stratum.with_labels(2, 0) for stratum in scan.strata if stratum.pair == 2]
    found = draw_scores(AuditedScan(pairs=pairs, strata=strata), GradeTable(pairs), 50)
    assert set(found.grades[0]) == {1}
    assert set(found.grades[1]) == {5}
    assert len(set(found.grades[2])) > 1
