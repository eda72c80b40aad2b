# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which grade a pair would get with another pass count."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from garak_tbsa.garak_files.calibration import Distribution
from garak_tbsa.tbsa.grades import GradedPair, grade_by_count
from garak_tbsa.tbsa.pairs import Counts
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.unavailable import Unavailable


def counts_of(pair: GradedPair) -> Counts:
    """Return the counts of a pair that has them."""
    counts = pair.counts
    assert counts is not None
    return counts


def grade_with(pair: GradedPair, passed: int) -> int:
    """Return the grade that a pair would get with this pass count."""
    total = pair.total_evaluated
    assert total is not None
    return grade_by_count(passed, total, pair.distribution)


def grade_follows_counts(pair: GradedPair) -> bool:
    """Whether a pair's own counts give its grade, so that others' can be told."""
    return (
        pair.grades_by_count_known
        and grade_with(pair, counts_of(pair).passed) == pair.grade
    )


def lowest_count(
    pair: GradedPair, grade: int, *, low: int = 0, high: int | None = None
) -> int:
    """Return the lowest pass count with which a pair gets at least this grade.

    Parameters
    ----------
    pair : GradedPair
        With counts.
    grade : int
        2-5.
    low, high : int
        Where to look, ``low <= count <= high``; by default from 0 to
        ``total_evaluated``. ``high + 1`` is returned where no count does.

    Notes
    -----
    The pair grade never falls as the count rises, since no rule's value does.
    """
    if high is None:
        high = counts_of(pair).total_evaluated
    return bisect_left(
        range(high + 1), grade, lo=low, key=lambda count: grade_with(pair, count)
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
    graded = tuple(graded)
    uncounted = sum(not pair.has_counts for pair in graded)
    if uncounted:
        return Unavailable(reason=f"the report has no counts for {uncounted} pairs")
    unknown = sum(not pair.grades_by_count_known for pair in graded)
    if unknown:
        return Unavailable(
            reason=f"the calibration behind the Z-scores of {unknown} pairs is not"
            " installed (--calibration PATH grades again, from the counts, with one"
            " that is)"
        )
    contradicted = sum(
        grade_with(pair, counts_of(pair).passed) != pair.grade for pair in graded
    )
    if contradicted:
        return Unavailable(
            reason=f"the counts of {contradicted} pairs contradict their grades"
        )
    return None
