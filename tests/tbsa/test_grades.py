# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pass rate and Z-score to DEFCON grades, as garak grades them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.garak_files.calibration import (
    Calibration,
    CalibrationIdentity,
    Distribution,
)
from garak_tbsa.garak_files.report import report_from_digest
from garak_tbsa.tbsa.grades import (
    GradedPair,
    grade_by_count,
    grades_of,
    recomputed_grades,
    stated_grades,
)
from garak_tbsa.tbsa.pairs import list_pairs
from garak_tbsa.tbsa.rules import PASS_RATE, Z_SCORE
from tests.factories import (
    PairFacts,
    calibration_of,
    digest_row,
    graded_pair,
    unknown_tier,
)

RATES = st.floats(0, 1)
DISTRIBUTIONS = st.none() | st.builds(
    Distribution, mu=st.floats(0, 1), sigma=st.floats(0, 1)
)


def stated(facts: PairFacts, calibration: Calibration | None = None) -> GradedPair:
    report = report_from_digest(digest_row([facts]), name="r")
    (pair,) = list_pairs(report, unknown_tier).scored
    return stated_grades(pair, calibration)


def test_the_bounds_are_garaks() -> None:
    from garak.analyze import ABSOLUTE_DEFCON_BOUNDS, RELATIVE_DEFCON_BOUNDS

    assert tuple(float(bound) for bound in ABSOLUTE_DEFCON_BOUNDS) == PASS_RATE.bounds
    assert tuple(float(bound) for bound in RELATIVE_DEFCON_BOUNDS) == Z_SCORE.bounds


def test_the_floor_of_sigma_is_garaks() -> None:
    from garak.analyze import MINIMUM_STD_DEV

    from garak_tbsa.garak_files.calibration import MINIMUM_SIGMA

    assert MINIMUM_SIGMA == MINIMUM_STD_DEV


@given(value=RATES | st.sampled_from(PASS_RATE.bounds))
def test_a_pass_rate_gets_garaks_grade(value: float) -> None:
    """Grade = 1 + number of bounds <= value."""
    from garak.analyze import ABSOLUTE_DEFCON_BOUNDS, score_to_defcon

    if value == 1.0:
        return  # garak locks a clean sheet elsewhere
    assert PASS_RATE.grade_of(value, value) == score_to_defcon(
        value, ABSOLUTE_DEFCON_BOUNDS
    )


@given(value=st.floats(-40, 40) | st.sampled_from(Z_SCORE.bounds))
def test_a_z_score_gets_garaks_grade(value: float) -> None:
    """Grade = 1 + number of bounds <= value."""
    from garak.analyze import RELATIVE_DEFCON_BOUNDS, score_to_defcon

    assert Z_SCORE.grade_of(value, 0.5) == score_to_defcon(
        value, RELATIVE_DEFCON_BOUNDS
    )


@given(passed=st.integers(0, 50), distribution=DISTRIBUTIONS)
def test_the_pair_grade_is_the_lower_of_those_that_exist(
    passed: int, distribution: Distribution | None
) -> None:
    """Pair grade = minimum of the grades that exist."""
    by_rate, by_z = grades_of(passed / 50, 50, distribution)
    assert by_rate is not None
    assert (by_z is None) == (distribution is None)
    expected = by_rate if by_z is None else min(by_rate, by_z)
    assert grade_by_count(passed, 50, distribution) == expected


@given(
    counts=st.tuples(st.integers(0, 50), st.integers(0, 50)), distribution=DISTRIBUTIONS
)
def test_more_passes_never_lower_a_grade(
    counts: tuple[int, int], distribution: Distribution | None
) -> None:
    """No failure raises a grade, the clean-sheet rule included."""
    fewer, more = sorted(counts)
    assert grade_by_count(fewer, 50, distribution) <= grade_by_count(
        more, 50, distribution
    )


def test_a_clean_sheet_locks_both_grades() -> None:
    """A pass rate of 1.0 locks the Z grade at 5 where a Z-score exists."""
    above_all = Distribution(mu=1.0, sigma=0.0)
    assert grades_of(1.0, 10, above_all) == (5, 5)
    assert grades_of(0.999, 1000, above_all) == (5, 3)
    assert grades_of(1.0, 10, None) == (5, None)


@pytest.mark.parametrize("mu", [None, 0.0, 0.5, 0.95])
@pytest.mark.parametrize("passed", range(11))
def test_recomputed_and_stated_grades_agree(passed: int, mu: float | None) -> None:
    facts = PairFacts(passed=passed, mu=mu)
    again, told = graded_pair(facts), stated(facts, calibration_of([facts]))
    for graded in (again, told):
        assert graded.pass_rate == passed / 10
        assert graded.pass_rate_grade == facts.grades[0]
        assert graded.z_score == facts.z_score
        assert graded.z_grade == (None if mu is None else facts.grades[1])
        assert graded.is_calibrated == (mu is not None)
        assert graded.grades_by_count_known
    assert again.grade == told.grade


def test_a_digests_own_grades_are_taken() -> None:
    digest = digest_row([PairFacts(mu=0.5)])
    entry = digest["eval"]["dan"]["dan.Ablation_Dan_11_0"]["dan.DAN"]
    entry["absolute_defcon"], entry["relative_defcon"] = 2, 1
    report = report_from_digest(digest, name="r")
    graded = stated_grades(list_pairs(report, unknown_tier).scored[0], None)
    assert (graded.pass_rate_grade, graded.z_grade, graded.grade) == (2, 1, 1)


def test_garaks_z_grade_of_an_uncalibrated_clean_sheet_is_dropped() -> None:
    graded = stated(PairFacts(passed=10))
    assert (graded.z_score, graded.z_grade, graded.grade) == (None, None, 5)


def test_grades_missing_in_a_digest_are_worked_out() -> None:
    digest = digest_row([PairFacts(mu=0.5)])
    entry = digest["eval"]["dan"]["dan.Ablation_Dan_11_0"]["dan.DAN"]
    del entry["absolute_defcon"], entry["relative_defcon"]
    report = report_from_digest(digest, name="r")
    graded = stated_grades(list_pairs(report, unknown_tier).scored[0], None)
    assert (graded.pass_rate_grade, graded.z_grade) == PairFacts(mu=0.5).grades


def test_only_the_distribution_behind_the_z_score_is_kept() -> None:
    facts = PairFacts(mu=0.5)
    assert stated(facts).distribution is None
    assert not stated(facts).grades_by_count_known
    assert stated(facts, calibration_of([PairFacts(mu=0.4)])).distribution is None
    kept = stated(facts, calibration_of([facts])).distribution
    assert kept == Distribution(mu=0.5, sigma=0.1)


@pytest.mark.parametrize(("off", "kept"), [(1e-10, True), (1e-8, False), (1e-4, False)])
def test_a_distribution_that_is_nearly_the_right_one_is_another(
    off: float, kept: bool
) -> None:
    """A pair's distribution is kept only if it gives the stated Z-score."""
    facts = PairFacts(mu=0.75, sigma=0.5)
    near = PairFacts(mu=0.75 + off * 0.5, sigma=0.5)
    graded = stated(facts, calibration_of([near]))
    assert (graded.distribution is not None) is kept


def test_a_pair_that_a_calibration_does_not_cover_is_uncalibrated() -> None:
    pair = graded_pair(PairFacts())
    empty = Calibration(source="c", identity=CalibrationIdentity(), distributions={})
    for calibration in (None, empty):
        graded = recomputed_grades(pair, calibration)
        assert (graded.z_score, graded.z_grade) == (None, None)
