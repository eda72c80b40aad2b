# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pass rate and Z-score to DEFCON grades, as garak grades them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from garak.analyze import (
    ABSOLUTE_DEFCON_BOUNDS,
    MINIMUM_STD_DEV,
    RELATIVE_DEFCON_BOUNDS,
    score_to_defcon,
)
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from garak_tbsa.report.calibration import (
    MINIMUM_SIGMA,
    Calibration,
    Distribution,
)
from garak_tbsa.report.report import load_report, report_from_digest
from garak_tbsa.report.rows import Measurement
from garak_tbsa.tbsa.pairs import Pair, list_pairs
from garak_tbsa.tbsa.rules import PASS_RATE, Z_SCORE
from garak_tbsa.tbsa.scan import assess
from garak_tbsa.tbsa.score import (
    contradictions_in,
    grade_edges,
    grade_with,
    grades_of,
    stated_grades,
)
from tests.factories import (
    PairFacts,
    calibration_of,
    digest_row,
    graded_pair,
    no_calibration,
    report_rows,
    unknown_tier,
    write_report,
)

TOTALS = st.integers(1, 300)
MEANS = st.none() | st.floats(0, 1)
DISTRIBUTIONS = st.none() | st.builds(
    Distribution, mu=st.floats(0, 1), sigma=st.floats(0, 1)
)


def stated(
    facts: PairFacts, calibration: Calibration | None = None, **changed: int | None
) -> Pair:
    """A pair as its digest states it, but for some members that are other or gone."""
    digest = digest_row([facts])
    entry = digest["eval"]["dan"]["dan.Ablation_Dan_11_0"]["dan.DAN"]
    entry |= changed
    entry = {name: value for name, value in entry.items() if value is not None}
    digest["eval"]["dan"]["dan.Ablation_Dan_11_0"]["dan.DAN"] = entry
    report = report_from_digest(digest, name="r")
    return stated_grades(list_pairs(report, unknown_tier)[0], calibration)


@given(
    rate=st.floats(0, 0.9999) | st.sampled_from(PASS_RATE.bounds),
    z_score=st.floats(-40, 40) | st.sampled_from(Z_SCORE.bounds),
)
def test_a_value_gets_garaks_grade(rate: float, z_score: float) -> None:
    """Grade = 1 + number of bounds <= value; a clean sheet is locked elsewhere."""
    assert MINIMUM_SIGMA == MINIMUM_STD_DEV
    by_rate = score_to_defcon(rate, ABSOLUTE_DEFCON_BOUNDS)
    assert PASS_RATE.grade_of(rate, rate) == by_rate
    by_z = score_to_defcon(z_score, RELATIVE_DEFCON_BOUNDS)
    assert Z_SCORE.grade_of(z_score, 0.5) == by_z


@given(counts=st.lists(st.integers(0, 50), min_size=2), distribution=DISTRIBUTIONS)
def test_the_pair_grade_is_the_lowest_and_more_passes_never_lower_it(
    counts: list[int], distribution: Distribution | None
) -> None:
    """Pair grade = minimum of the grades that exist; the clean sheet included."""
    grades = []
    for passed in sorted(counts):
        by_rate, by_z = grades_of(passed / 50, distribution)
        assert by_rate is not None
        assert (by_z is None) == (distribution is None)
        expected = by_rate if by_z is None else min(by_rate, by_z)
        grades.append(expected)
    assert grades == sorted(grades)
    # a pass rate of 1.0 locks the Z grade at 5 where a Z-score exists
    above_all = Distribution(mu=1.0, sigma=0.0)
    assert grades_of(1.0, above_all) == (5, 5)
    assert grades_of(0.999, above_all) == (5, 3)
    assert grades_of(1.0, None) == (5, None)


@pytest.mark.parametrize("mu", [None, 0.0, 0.5, 0.95])
@pytest.mark.parametrize("passed", [0, 3, 8, 10])
def test_recomputed_and_stated_grades_agree(passed: int, mu: float | None) -> None:
    facts = PairFacts(passed=passed, mu=mu)
    missing = stated(facts, None, absolute_defcon=None, relative_defcon=None)
    for graded in (graded_pair(facts), stated(facts, calibration_of([facts])), missing):
        assert graded.pass_rate == passed / 10
        assert graded.pass_rate_grade == facts.grades[0]
        assert graded.z_score == facts.z_score
        assert graded.z_grade == (None if mu is None else facts.grades[1])
        assert graded.is_calibrated == (mu is not None)


def test_a_digests_own_grades_are_taken() -> None:
    graded = stated(PairFacts(mu=0.5), None, absolute_defcon=2, relative_defcon=1)
    assert (graded.pass_rate_grade, graded.z_grade, graded.grade) == (2, 1, 1)
    # garak has a Z grade for a clean sheet that it has no Z-score of
    graded = stated(PairFacts(passed=10))
    assert (graded.z_score, graded.z_grade, graded.grade) == (None, None, 5)


@pytest.mark.parametrize(
    ("mu", "kept"), [(0.75, True), (0.75 + 5e-11, True), (0.75 + 5e-9, False)]
)
def test_only_the_distribution_behind_the_z_score_is_kept(
    mu: float, kept: bool
) -> None:
    """A pair's distribution is kept only if it gives the stated Z-score."""
    facts = PairFacts(mu=0.75, sigma=0.5)
    graded = stated(facts, calibration_of([PairFacts(mu=mu, sigma=0.5)]))
    assert (graded.distribution is not None) is kept is graded.grades_by_count_known
    assert not stated(facts).grades_by_count_known


@given(total=TOTALS, mu=MEANS, sigma=st.floats(0, 1))
def test_an_edge_is_the_first_count_that_gets_the_grade(
    total: int, mu: float | None, sigma: float
) -> None:
    """No pass at all is a 1 and a clean sheet a 5, so each grade has a count."""
    pair = graded_pair(PairFacts(passed=0, total=total, mu=mu, sigma=sigma))
    grades = [grade_with(pair, n) for n in range(total + 1)]
    assert (grades[0], grades[-1]) == (1, 5)
    assert grade_edges(pair) == tuple(
        next(n for n in range(total + 1) if grades[n] >= grade)
        for grade in (2, 3, 4, 5)
    )


CONSISTENT = Measurement(
    probe="a.B",
    detector="c.D",
    passed=9,
    total_evaluated=10,
    nones=0,
    pass_rate=0.9,
    z_score=0.5,
    pass_rate_grade=4,
    z_grade=4,
    where="digest",
)
UNCOUNTED = {"passed": None, "total_evaluated": None}


def problems(**stated: Any) -> list[str]:
    pair = Pair(stated=structs.replace(CONSISTENT, **stated), tier=1)
    found = contradictions_in([pair])
    assert {each.pair for each in found} <= {"a.B+c.D"}
    return [each.problem for each in found]


def test_a_consistent_pair_has_no_contradiction() -> None:
    assert problems() == []
    assert problems(pass_rate=None) == []
    assert problems(**UNCOUNTED) == []
    assert problems(z_score=None, z_grade=None) == []
    clean = {"passed": 10, "pass_rate": 1.0, "pass_rate_grade": 5}
    assert problems(**clean, z_score=None, z_grade=5) == []


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        (
            {"passed": 5},
            "the digest states a pass rate of 0.9000, its counts give 0.5000; the"
            " stated rate was graded",
        ),
        (
            {"pass_rate_grade": 5},
            "the digest states grade 5 for a pass rate of 0.9000, which is a 4",
        ),
        (
            # graded by the counts, as there is no rate
            {"pass_rate": None, "pass_rate_grade": 1},
            "the digest states grade 1 for a pass rate of 0.9000, which is a 4",
        ),
        (
            {"z_score": None, "z_grade": 5},
            "the digest states Z grade 5 but no Z-score; it was left out",
        ),
        (
            {"z_grade": 5},
            "the digest states grade 5 for a Z-score of +0.5000, which is a 4",
        ),
    ],
)
def test_each_contradiction_is_told(stated: dict[str, Any], problem: str) -> None:
    assert problems(**stated) == [problem]


@pytest.mark.parametrize("rule", [PASS_RATE, Z_SCORE])
def test_a_number_at_a_bound_may_have_been_rounded(rule: Any) -> None:
    name = "pass_rate" if rule is PASS_RATE else "z"
    value = "pass_rate" if rule is PASS_RATE else "z_score"
    for worse, bound in enumerate(rule.bounds, start=1):
        for off in (0.0, -1e-9, -1e-5):
            grades = range(1, 6)
            given = {value: bound + off} | UNCOUNTED
            if rule is Z_SCORE:
                given |= {"pass_rate_grade": None}
            else:
                given |= {"z_score": None, "z_grade": None}
            fits = {
                grade
                for grade in grades
                if not problems(**given, **{f"{name}_grade": grade})
            }
            assert fits == ({worse, worse + 1} if off > -1e-6 else {worse})


def test_without_any_garak_pass_rates_alone_count_and_it_is_said(
    tmp_path: Path,
) -> None:
    """A report without its digest states no grades, and nobody has a calibration."""
    facts = [
        PairFacts(probe="a.A", mu=0.75, passed=8),
        PairFacts(probe="b.B", tier=2, passed=10),
        PairFacts(probe="c.C", tier=2, passed=3, mu=0.9),
    ]
    path = write_report(tmp_path / "rows.jsonl", report_rows(facts, digest=False))
    got = assess(
        load_report(path), tier_of=unknown_tier, find_calibration=no_calibration
    )
    assert [pair.grade for pair in got.graded] == [4, 5, 2]
    assert got.calibration.source == "none at hand"
    assert got.calibration.identity is None
    assert got.warnings == (
        "no garak is installed, so no calibration: pass-rate grades alone",
    )
