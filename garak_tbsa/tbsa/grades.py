# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pass rates and Z-scores -> DEFCON grades, 1 (awful) to 5 (great).

Also which grade another pass count would get, what a digest says of its grades and
contradicts itself, and how far a pass rate may be from that of the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from math import sqrt

from garak_tbsa.report.calibration import Calibration, Distribution
from garak_tbsa.tbsa.pairs import Counts, Culprit, Pair
from garak_tbsa.tbsa.rules import (
    BEST_GRADE,
    CLEAN_SHEET,
    GRADE_RULES,
    PASS_RATE,
    Z_SCORE,
    GradeRule,
)
from garak_tbsa.unavailable import Unavailable

SAME_Z_SCORE = 1e-9
"""How far a calibration's Z-score may be from the stated one to be the same."""

SAME_VALUE = 1e-6
"""How far a stated number may be from the one that garak graded."""

NORMAL_QUANTILE = 1.959963984540054
"""Of the standard normal distribution at 0.975."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GradedPair(Pair):
    """A pair with its grades.

    Attributes
    ----------
    tier : int
        1 or 2.
    pass_rate : float
        0.0-1.0, the one that was graded.
    z_score : float or None
        Distance of the pass rate from the calibration's mean, in standard
        deviations; None for an uncalibrated pair.
    grades : tuple of int or None
        1-5 by each of the grade rules, in their order; None where a rule gives none.
    distribution : Distribution or None
        The calibration's numbers behind ``z_score``, where they are at hand.
    """

    tier: int
    pass_rate: float
    z_score: float | None
    grades: tuple[int | None, ...]
    distribution: Distribution | None

    @property
    def is_calibrated(self) -> bool:
        """Whether there is a Z-score."""
        return self.z_score is not None

    @property
    def grades_by_rule(self) -> Mapping[str, int | None]:
        """The grades by the name of their rule."""
        names = (rule.name for rule in GRADE_RULES)
        return dict(zip(names, self.grades, strict=True))

    @property
    def pass_rate_grade(self) -> int:
        """The grade of the pass rate, 1-5."""
        found = self.grades_by_rule[PASS_RATE.name]
        assert found is not None
        return found

    @property
    def z_grade(self) -> int | None:
        """The grade of the Z-score, 1-5; None for an uncalibrated pair."""
        return self.grades_by_rule[Z_SCORE.name]

    @property
    def grade(self) -> int:
        """The pair's grade: the lowest of the grades that exist."""
        return lowest(self.grades)

    @property
    def grades_by_count_known(self) -> bool:
        """Whether the grade that another pass count would get can be told."""
        return self.has_counts and (
            not self.is_calibrated or self.distribution is not None
        )


def lowest(grades: Iterable[int | None]) -> int:
    """Return the lowest of the grades that exist, of which there is at least one."""
    return min(grade for grade in grades if grade is not None)


def grades_of(
    pass_rate: float, total: int | None, distribution: Distribution | None
) -> tuple[int | None, ...]:
    """Return the grade by each grade rule.

    Parameters
    ----------
    pass_rate : float
        0.0-1.0. Exactly 1.0 locks every grade that exists at 5.
    total : int or None
        Evaluated outputs.
    distribution : Distribution or None
        None for an uncalibrated pair.
    """
    values = (rule.value(pass_rate, total, distribution) for rule in GRADE_RULES)
    return tuple(
        None if value is None else rule.grade_of(value, pass_rate)
        for rule, value in zip(GRADE_RULES, values, strict=True)
    )


def grade_by_count(passed: int, total: int, distribution: Distribution | None) -> int:
    """Return the pair grade of a pass count, ``total`` at least 1."""
    return lowest(grades_of(passed / total, total, distribution))


def recomputed_grades(pair: Pair, calibration: Calibration | None) -> GradedPair:
    """Grade a pair from its own pass rate and a calibration.

    Parameters
    ----------
    pair : Pair
        With a pass rate.
    calibration : Calibration or None
        None leaves the pair uncalibrated.
    """
    pass_rate = pair.measured_pass_rate
    assert pass_rate is not None, "without evaluated outputs there is no grade"
    distribution = _distribution(pair, calibration)
    z_score = None if distribution is None else distribution.z_score(pass_rate)
    grades = grades_of(pass_rate, pair.total_evaluated, distribution)
    return _graded(pair, pass_rate, z_score, grades, distribution)


def stated_grades(pair: Pair, calibration: Calibration | None) -> GradedPair:
    """Take the grades that the digest states.

    Parameters
    ----------
    pair : Pair
        From a digest.
    calibration : Calibration or None
        The one that the digest names, where it is at hand. It changes no grade that
        the digest states; a pair's distribution is kept only if it gives the stated
        Z-score.
    """
    pass_rate = _graded_rate(pair)
    assert pass_rate is not None, "without evaluated outputs there is no grade"
    z_score, z_grade = pair.stated_z_score, pair.stated_z_grade
    distribution = _distribution(pair, calibration)
    if z_score is None:
        # a grade without its Z-score does not exist
        distribution = z_grade = None
    elif z_grade is None:
        z_grade = Z_SCORE.grade_of(z_score, pass_rate)
    if distribution is not None and z_score is not None:
        difference = abs(distribution.z_score(pass_rate) - z_score)
        distribution = distribution if difference <= SAME_Z_SCORE else None
    own = grades_of(pass_rate, pair.total_evaluated, distribution)
    grades = dict(zip(GRADE_RULES, own, strict=True))
    if pair.stated_pass_rate_grade is not None:
        grades[PASS_RATE] = pair.stated_pass_rate_grade
    grades[Z_SCORE] = z_grade
    return _graded(pair, pass_rate, z_score, tuple(grades.values()), distribution)


def _graded(
    pair: Pair,
    pass_rate: float,
    z_score: float | None,
    grades: tuple[int | None, ...],
    distribution: Distribution | None,
) -> GradedPair:
    return GradedPair(
        **{each.name: getattr(pair, each.name) for each in fields(Pair)},
        pass_rate=pass_rate,
        z_score=z_score,
        grades=grades,
        distribution=distribution,
    )


def _distribution(pair: Pair, calibration: Calibration | None) -> Distribution | None:
    return None if calibration is None else calibration.of(pair.probe, pair.detector)


def _graded_rate(pair: Pair) -> float | None:
    """The pass rate that a digest states, and has graded; else that of the counts."""
    stated = pair.stated_pass_rate
    return pair.measured_pass_rate if stated is None else stated


def contradictions_in(pairs: Iterable[Pair]) -> tuple[Culprit, ...]:
    """Return what a digest says of pairs and its own numbers do not give.

    Parameters
    ----------
    pairs : iterable of Pair
        With at least one evaluated output each.
    """
    return tuple(
        Culprit(pair=pair.name, problem=problem)
        for pair in pairs
        for problem in _contradictions(pair)
    )


def _contradictions(pair: Pair) -> Iterator[str]:
    counted, rate = pair.measured_pass_rate, _graded_rate(pair)
    if rate is None:
        return
    if counted is not None and abs(rate - counted) > SAME_VALUE:
        yield (
            f"the digest states a pass rate of {rate:.4f},"
            f" its counts give {counted:.4f}; the stated rate was graded"
        )
    grade = pair.stated_pass_rate_grade
    if grade is not None and grade not in _possible(PASS_RATE, rate):
        yield (
            f"the digest states grade {grade} for a pass rate of {rate:.4f},"
            f" which is a {PASS_RATE.grade_of(rate, rate)}"
        )
    z_score, z_grade = pair.stated_z_score, pair.stated_z_grade
    # garak locks the Z grade of a clean sheet, with a Z-score or without
    if z_grade is None or (rate == CLEAN_SHEET and z_grade == BEST_GRADE):
        return
    if z_score is None:
        yield f"the digest states Z grade {z_grade} but no Z-score; it was left out"
    elif z_grade not in _possible(Z_SCORE, z_score):
        yield (
            f"the digest states grade {z_grade} for a Z-score of {z_score:+.4f},"
            f" which is a {Z_SCORE.grade_of(z_score, rate)}"
        )


def _possible(rule: GradeRule, value: float) -> set[int]:
    """The grades of a value that was written with a little less precision."""
    near = (value - SAME_VALUE, value, value + SAME_VALUE)
    return {1 + sum(bound <= number for bound in rule.bounds) for number in near}


def counts_of(pair: GradedPair) -> Counts:
    """Return the counts of a pair that has them."""
    counts = pair.counts
    assert counts is not None
    return counts


def grade_with(pair: GradedPair, passed: int) -> int:
    """Return the grade that a pair would get with this pass count."""
    return grade_by_count(passed, counts_of(pair).total_evaluated, pair.distribution)


def grade_follows_counts(pair: GradedPair) -> bool:
    """Whether a pair's own counts give its grade, so that others' can be told."""
    return (
        pair.grades_by_count_known
        and grade_with(pair, counts_of(pair).passed) == pair.grade
    )


def grade_edges(pair: GradedPair) -> tuple[int, ...]:
    """Return the lowest pass counts that get grades 2, 3, 4 and 5."""
    return edges_of(counts_of(pair).total_evaluated, pair.distribution)


@lru_cache(maxsize=1000)
def edges_of(total: int, distribution: Distribution | None) -> tuple[int, ...]:
    """Return what :func:`grade_edges` does for any pair of these.

    A pair gets a grade where all rules give it that one or a better one.

    Parameters
    ----------
    total : int
        Evaluated outputs, at least 1.
    distribution : Distribution or None
        None for an uncalibrated pair.
    """
    by_rule = [rule.lowest_counts(total, distribution) for rule in GRADE_RULES]
    return tuple(map(max, zip(*filter(None, by_rule), strict=True)))


def why_unknown(graded: Iterable[GradedPair]) -> Unavailable | None:
    """Return why the grade of another pass count cannot be told, None if it can."""
    pairs = tuple(graded)
    if uncounted := sum(not pair.has_counts for pair in pairs):
        return Unavailable(reason=f"the report has no counts for {uncounted} pairs")
    if unknown := sum(not pair.grades_by_count_known for pair in pairs):
        return Unavailable(
            reason=f"the calibration behind the Z-scores of {unknown} pairs is not"
            " installed (--calibration PATH grades again, from the counts, with one"
            " that is)"
        )
    if contradicted := sum(not grade_follows_counts(pair) for pair in pairs):
        return Unavailable(
            reason=f"the counts of {contradicted} pairs contradict their grades"
        )
    return None


def wilson_interval(counts: Counts) -> tuple[float, float]:
    """Return Wilson's score interval of a pass rate, 95 %.

    The rates that a two-sided score test would not reject, E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22 (1927). It
    counts outputs as if they were independent; it is for looking at one pair, and the
    repeat interval does not use it.

    Parameters
    ----------
    counts : Counts
        ``total_evaluated`` at least 1.
    """
    total, squared = counts.total_evaluated, NORMAL_QUANTILE**2
    rate = counts.passed / total
    centre = (rate + squared / (2 * total)) / (1 + squared / total)
    spread = sqrt(rate * (1 - rate) / total + squared / (4 * total**2))
    half = NORMAL_QUANTILE * spread / (1 + squared / total)
    # exact at the ends, where rounding would leave 1e-17 or 1 - 1e-16
    lower = 0.0 if counts.passed == 0 else max(0.0, centre - half)
    return lower, 1.0 if counts.passed == total else min(1.0, centre + half)
