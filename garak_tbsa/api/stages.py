# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The stages of a score, one by one."""

from __future__ import annotations

from garak_tbsa.api.arguments import (
    PathLike,
    Tiers,
    limits_of,
    path_of,
    require_one_of,
    scoring_of,
)
from garak_tbsa.api.scoring import assess_report, chosen_calibration
from garak_tbsa.garak_files import report as garak_report
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS
from garak_tbsa.garak_files.report import Report
from garak_tbsa.statistics.kinds import REPEATS
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_scan
from garak_tbsa.tbsa.assessment import AS_IN_REPORT, Assessment
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.unavailable import Unavailable


def load_report(
    path: PathLike,
    *,
    max_decoded_size: int = DEFAULT_LIMITS.decoded,
    max_line_size: int = DEFAULT_LIMITS.line,
) -> Report:
    """Read a report of any garak release: its pairs, its settings, its warnings.

    Parameters
    ----------
    path : path
    max_decoded_size, max_line_size : int
        Most bytes that are read of a compressed report, and of one line.

    Raises
    ------
    UsageError
        An argument is none of these.
    ReportError
        The report cannot be read.
    """
    limits = limits_of(max_decoded_size, max_line_size)
    return garak_report.load_report(path_of("path", path), limits)


def assess(
    report: Report,
    *,
    formula: str = DOCUMENTED,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
) -> Assessment:
    """Grade the pairs of a report, and score them.

    Parameters
    ----------
    report : Report
        From :func:`load_report`.
    formula, calibration, tiers
        As in :func:`score`.

    Raises
    ------
    UsageError
        An argument is none of these.
    NotScorableError
        No pair gives a score.
    ReportError
        The report contradicts itself, or a calibration or file of tiers cannot be read.
    """
    limits = report.limits
    scoring = scoring_of(formula, calibration, tiers, limits.decoded, limits.line)
    return assess_report(report, scoring, chosen_calibration(scoring.calibration))


def repeat(
    assessment: Assessment, prompts: str | None = None
) -> RepeatDistribution | Unavailable:
    """Return what a repeat of a scan would score, from the attempts of its report.

    Parameters
    ----------
    assessment : Assessment
        From :func:`assess`.
    prompts : {"same-prompts", "fresh-prompts"}, optional
        Which prompts the repeat has. The default is the same ones if the scan's seed
        is set, else fresh ones.

    Raises
    ------
    UsageError
        ``prompts`` is none of these.
    ReportError
        The report's attempts cannot be read.
    """
    if prompts is not None:
        require_one_of("prompts", prompts, REPEATS)
    return repeat_of_scan(assessment, prompts)
