# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What workers do for ``garak-tbsa history``: score, compare, look at parts.

Each function takes and gives back little, so that a folder of many thousand reports
costs no more memory than its table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from garak_tbsa.errors import GarakTbsaError, ReportError
from garak_tbsa.garak_files.merging import PossiblePart, possible_part
from garak_tbsa.garak_files.outcomes import Outcomes, outcomes_of_report
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.tasks.scoring import ScoringOptions, assess_merged
from garak_tbsa.tbsa.history import (
    Change,
    Scan,
    change_between,
    is_same,
    score_change,
    to_scan,
)
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from garak_tbsa.garak_files.calibration import Calibration
    from garak_tbsa.tbsa.assessment import Assessment

    Paths = tuple[str, ...]

NO_TESTS, BY_COUNTS, BY_ATTEMPTS = "none", "counts", "attempts"
TESTS = (NO_TESTS, BY_COUNTS, BY_ATTEMPTS)


@dataclass(frozen=True, kw_only=True)
class HistoryOptions:
    """How each report of a history is scored and compared.

    Attributes
    ----------
    scoring : ScoringOptions
    calibration : Calibration or None
    with_interval : bool
    tests : str
        One of :data:`TESTS`.
    alpha : float
        Level of the verdicts.
    """

    scoring: ScoringOptions
    calibration: Calibration | None
    with_interval: bool
    tests: str
    alpha: float


@dataclass(frozen=True, kw_only=True)
class NotScored:
    """A report without a score.

    Attributes
    ----------
    path : str
    problem : str
        What is wrong, without the path.
    advice : str
        What to do; empty where the problem says it.
    """

    path: str
    problem: str
    advice: str

    @property
    def kind(self) -> str:
        """The problem without what differs from report to report."""
        return re.sub(r"[^\s;,]*[\d+/]+[^\s;,]*", "#", self.problem)


def score_chunk(
    chunk: Sequence[Paths], options: HistoryOptions
) -> list[Scan | NotScored]:
    """Score scans, each of one report or of several that hold its parts."""
    return [_score(paths, options) for paths in chunk]


def _score(paths: Paths, options: HistoryOptions) -> Scan | NotScored:
    try:
        return to_scan(_assessed(paths, options), with_interval=options.with_interval)
    except GarakTbsaError as error:
        return _not_scored(paths, error)


def _assessed(paths: Paths, options: HistoryOptions) -> Assessment:
    return assess_merged(paths, options.scoring, options.calibration)


def _not_scored(paths: Paths, error: GarakTbsaError) -> NotScored:
    if isinstance(error, ReportError):
        return NotScored(path=error.source, problem=error.problem, advice=error.advice)
    path = " + ".join(paths)
    problem, _, advice = str(error).removeprefix(f"{path}: ").partition("; ")
    return NotScored(path=path, problem=problem, advice=advice)


def possible_parts(
    chunk: Sequence[str], options: HistoryOptions
) -> list[PossiblePart | NotScored]:
    """Read what tells which reports hold parts of one scan."""
    found: list[PossiblePart | NotScored] = []
    for path in chunk:
        try:
            found.append(possible_part(load_report(path, options.scoring.limits)))
        except GarakTbsaError as error:
            found.append(_not_scored((path,), error))
    return found


def changes_along(
    scans: Sequence[Scan], options: HistoryOptions
) -> list[Change | Unavailable]:
    """Compare each scan with the one before; the first is there to be compared with.

    Each report is read once, and only if a test or another checksum asks for it.
    """
    last: tuple[Scan, Assessment, Outcomes | Unavailable] | None = None
    changes: list[Change | Unavailable] = []
    for first, second in pairwise(scans):
        change = score_change(first, second) if options.tests == NO_TESTS else None
        if change is not None:
            changes.append(change)
            continue
        try:
            if last is None or last[0] is not first:
                last = first, *_read_again(first, options)
            before, last = last, (second, *_read_again(second, options))
        except GarakTbsaError as error:
            changes.append(Unavailable(reason=str(error)))
            continue
        changes.append(
            change_between(
                before[1],
                last[1],
                alpha=None if options.tests == NO_TESTS else options.alpha,
                outcomes=(before[2], last[2]),
            )
        )
    return changes


def _read_again(
    scan: Scan, options: HistoryOptions
) -> tuple[Assessment, Outcomes | Unavailable]:
    """Score a scan, and read its attempts where the tests are by them."""
    assessment = _assessed(scan.paths, options)
    if options.tests != BY_ATTEMPTS:
        return assessment, NO_ATTEMPTS
    return assessment, outcomes_of_report(assessment.report)


def chains(scans: Sequence[Scan], size: int) -> Iterator[Sequence[Scan]]:
    """Cut a target's scans into runs that overlap in one scan, for workers."""
    for start in range(0, len(scans) - 1, size):
        yield scans[start : start + size + 1]


def needs_reading(scans: Sequence[Scan], options: HistoryOptions) -> bool:
    """Whether reports must be read again to say what changed in these scans."""
    return options.tests != NO_TESTS or not all(
        is_same(first, second) for first, second in pairwise(scans)
    )
