# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.labels.score import GradeTable, draw_scores
from garak_tbsa.labels.strata import AuditedScan
from garak_tbsa.tbsa.grades import grade_with
from garak_tbsa.tbsa.score import score_grades
from tests.factories import PairFacts
from tests.labels.scans import scan_of

PAIRS = (
    PairFacts(probe="a.A", detector="a.X", passed=30, total=50, tier=1, mu=0.5),
    PairFacts(probe="b.B", detector="a.X", passed=50, total=50, tier=1),
    PairFacts(probe="c.C", detector="c.Y", passed=3, total=9, tier=2, mu=0.9),
    PairFacts(probe="d.D", detector="c.Y", passed=20, total=20, tier=2, mu=0.2),
)


@given(st.lists(st.tuples(*(st.integers(0, p.total) for p in PAIRS)), min_size=1))
def test_many_scores_are_those_of_the_score(passed: list[tuple[int, ...]]) -> None:
    """\"Pass counts give grades and score by section 2.\""""
    scan = scan_of(*PAIRS)
    table = GradeTable(scan.pairs)
    grades = table.grades(np.array(passed).T)
    expected = [
        [grade_with(pair, count) for pair, count in zip(scan.pairs, row, strict=True)]
        for row in passed
    ]
    assert grades.T.tolist() == expected
    scores = [
        score_grades(zip((pair.tier for pair in scan.pairs), row, strict=True))
        for row in expected
    ]
    assert table.tenths(grades).tolist() == [score.tenths for score in scores]
    assert np.allclose(table.raw(grades), [score.raw for score in scores])


def test_one_tier_alone_is_its_own_mean() -> None:
    table = GradeTable(scan_of(PAIRS[0]).pairs)
    assert table.tenths(np.array([[5, 3, 1]])).tolist() == [50, 30, 10]


def known(scan: AuditedScan) -> AuditedScan:
    """Every output labelled as the detector judged it."""
    return replace(
        scan,
        strata=[
            stratum.with_labels(stratum.outputs, stratum.flagged * stratum.outputs)
            for stratum in scan.strata
        ],
    )


def test_where_all_is_labelled_there_is_one_score() -> None:
    scan = known(scan_of(*PAIRS))
    drawn = draw_scores(scan, GradeTable(scan.pairs))
    stated = score_grades((pair.tier, pair.grade) for pair in scan.pairs)
    assert (drawn.score.lower, drawn.score.tenths, drawn.score.upper) == (
        stated.tenths,
        stated.tenths,
        stated.tenths,
    )


def test_a_pair_without_strata_keeps_the_detector_s_count() -> None:
    scan = scan_of(*PAIRS)
    without = replace(
        scan, strata=[stratum for stratum in scan.strata if stratum.pair != 2]
    )
    drawn = draw_scores(without, GradeTable(scan.pairs), draws=200)
    assert set(drawn.grades[2].tolist()) == {scan.pairs[2].grade}
    assert len(set(drawn.grades[0].tolist())) > 1


def test_labels_narrow_the_range() -> None:
    scan = scan_of(*PAIRS)
    half = replace(
        scan,
        strata=[
            stratum.with_labels(
                stratum.outputs // 2, stratum.flagged * (stratum.outputs // 2)
            )
            for stratum in scan.strata
        ],
    )
    table = GradeTable(scan.pairs)
    before, after = draw_scores(scan, table).score, draw_scores(half, table).score
    assert after.upper - after.lower < before.upper - before.lower
    assert scan.labels == 0
    assert half.labels == sum(stratum.outputs // 2 for stratum in scan.strata)
