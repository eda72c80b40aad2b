# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pass rates and Z-scores -> DEFCON grades, 1 (awful) to 5 (great)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from garak_tbsa.garak_files.calibration import Calibration, Distribution
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import GRADE_RULES, PASS_RATE, Z_SCORE

STATED_TOLERANCE = 1e-9
"""How far a calibration's Z-score may be from the stated one to be the same."""


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


def lowest(grades: tuple[int | None, ...]) -> int:
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
    found: list[int | None] = []
    for rule in GRADE_RULES:
        value = rule.value(pass_rate, total, distribution)
        found.append(None if value is None else rule.grade_of(value, pass_rate))
    return tuple(found)


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
    pass_rate = _known(pair.measured_pass_rate)
    distribution = z_score = None
    if calibration is not None:
        distribution = calibration.of(pair.probe, pair.detector)
    if distribution is not None:
        z_score = distribution.z_score(pass_rate)
    return _graded(
        pair,
        pass_rate=pass_rate,
        z_score=z_score,
        grades=grades_of(pass_rate, pair.total_evaluated, distribution),
        distribution=distribution,
    )


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
    pass_rate = _known(
        pair.measured_pass_rate
        if pair.stated_pass_rate is None
        else pair.stated_pass_rate
    )
    distribution = _matching_distribution(pair, pass_rate, calibration)
    grades = dict(
        zip(
            GRADE_RULES,
            grades_of(pass_rate, pair.total_evaluated, distribution),
            strict=True,
        )
    )
    if pair.stated_pass_rate_grade is not None:
        grades[PASS_RATE] = pair.stated_pass_rate_grade
    grades[Z_SCORE] = _stated_z_grade(pair, pass_rate)
    return _graded(
        pair,
        pass_rate=pass_rate,
        z_score=pair.stated_z_score,
        grades=tuple(grades.values()),
        distribution=distribution,
    )


def _graded(pair: Pair, **graded: Any) -> GradedPair:
    known = {each.name: getattr(pair, each.name) for each in fields(Pair)}
    return GradedPair(**known, **graded)


def _stated_z_grade(pair: Pair, pass_rate: float) -> int | None:
    """The digest's Z grade; a grade without its Z-score does not exist."""
    if pair.stated_z_score is None:
        return None
    if pair.stated_z_grade is not None:
        return pair.stated_z_grade
    return Z_SCORE.grade_of(pair.stated_z_score, pass_rate)


def _matching_distribution(
    pair: Pair, pass_rate: float, calibration: Calibration | None
) -> Distribution | None:
    if calibration is None or pair.stated_z_score is None:
        return None
    distribution = calibration.of(pair.probe, pair.detector)
    if distribution is None:
        return None
    difference = abs(distribution.z_score(pass_rate) - pair.stated_z_score)
    return distribution if difference <= STATED_TOLERANCE else None


def _known(pass_rate: float | None) -> float:
    if pass_rate is None:
        raise ValueError("a pair without evaluated outputs has no grade")
    return pass_rate
