# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of a scored report would score: the one range that a scan has.

Whoever asks gets the same digits, as the draws are seeded by what the scan showed.
"""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.garak_files.outcomes import Outcomes, outcomes_of_report
from garak_tbsa.statistics.kinds import usual_repeat
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.repeat import (
    RepeatDistribution,
    repeat_distribution,
    seeded_by,
)
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.grades import GradedPair, grade_follows_counts, why_unknown
from garak_tbsa.unavailable import Unavailable

OTHER_FORMULA = Unavailable(reason="garak's own formula has no repeat interval")
NO_COUNTS = Unavailable(reason="the counts or the calibration of its pairs are missing")


def repeat_of_scan(
    assessment: Assessment,
    repeat: str | None = None,
    outcomes: Outcomes | Unavailable | None = None,
) -> RepeatDistribution | Unavailable:
    """Return what a repeat of a scan would score.

    Parameters
    ----------
    assessment : Assessment
    repeat : str or None
        One of :data:`~garak_tbsa.statistics.kinds.REPEATS`; None for
        :func:`~garak_tbsa.statistics.kinds.usual_repeat`.
    outcomes : Outcomes, Unavailable or None
        Of the report's attempts; None: they are read.
    """
    if assessment.garak_score is not None:
        return OTHER_FORMULA
    missing = why_unknown(assessment.graded)
    if missing is not None:
        return missing
    return _drawn(assessment, assessment.graded, repeat, outcomes)


def repeat_of_known_pairs(assessment: Assessment) -> RepeatDistribution | Unavailable:
    """Return the same of the pairs whose counts give their grades, by themselves."""
    known = [pair for pair in assessment.graded if grade_follows_counts(pair)]
    return _drawn(assessment, known, None, None) if known else NO_COUNTS


def _drawn(
    assessment: Assessment,
    graded: Sequence[GradedPair],
    repeat: str | None,
    outcomes: Outcomes | Unavailable | None,
) -> RepeatDistribution:
    report = assessment.report
    if outcomes is None:
        outcomes = outcomes_of_report(report)
    by_name = sorted(graded, key=lambda pair: pair.name)
    scan = observe(by_name, outcomes, report.settings.generations)
    rng = seeded_by(assessment.checksum.hexadecimal, scan)
    return repeat_distribution(scan, repeat or usual_repeat(report.settings), rng)
