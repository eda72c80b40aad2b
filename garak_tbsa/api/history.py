# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many reports -> how each target developed, and how targets compare.

First each report is scored from its digest alone, which tells the scans of each
target. Then the attempts of each are read once, for its range and for what changed
since the scan before. A worker takes and gives back little, and holds the attempts of
two reports, so that many thousand reports cost no more memory than their table.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from garak_tbsa.api import arguments
from garak_tbsa.api.arguments import PathLike, Paths, Scoring, Tiers
from garak_tbsa.errors import GarakTbsaError, ReportError
from garak_tbsa.garak_files.merging import PossiblePart, possible_part, scans_in_parts
from garak_tbsa.garak_files.outcomes import Outcomes, outcomes_of_report
from garak_tbsa.garak_files.places import find_reports, folder_of
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.garak_files.source import DEFAULT_LIMITS
from garak_tbsa.gates.options import DEFAULT_ALPHA, LARGEST_ALPHA, SMALLEST_ALPHA
from garak_tbsa.outputs.history import (
    NO_COMMON_PAIR,
    Change,
    NotScored,
    Scan,
    TargetHistory,
    by_target,
    change_between,
    to_scan,
)
from garak_tbsa.outputs.history_in_words import REASONS_SHOWN
from garak_tbsa.results.history import HistoryResult
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.assessment import AS_IN_REPORT, Assessment
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.workers import BACKENDS, Workers, run_tasks

ScanPaths = tuple[str, ...]
"""The reports of one scan."""

Watch = Callable[[Iterator[Any], int, str], Iterator[Any]]

CHUNK = 16
"""Scans of a target that a worker follows at once; it reads the one before twice."""

WORTH_WORKERS = 40
"""Reports from which on other processes are started."""


def history(
    paths: Paths,
    *,
    merge: bool = False,
    interval: bool = True,
    alpha: float = DEFAULT_ALPHA,
    jobs: int | None = 1,
    backend: str | None = None,
    cluster: str | None = None,
    formula: str = DOCUMENTED,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    max_decoded_size: int = DEFAULT_LIMITS.decoded,
    max_line_size: int = DEFAULT_LIMITS.line,
    watch: Watch | None = None,
) -> HistoryResult:
    """Score many reports: how each target developed, and how targets compare.

    Parameters
    ----------
    paths : path, or iterable of paths
        Reports, and folders or addresses whose reports are taken.
    merge : bool
        Join reports of one target, garak version and settings: the parts of a scan.
    interval : bool
        Whether to read the attempts, compute what repeats would score and test
        changes.
    alpha : float
        Significance level of the verdicts, 0.0001-0.5.
    jobs : int or None
        Number of workers; None for one on each processor.
    backend : {"loky", "dask", "ray"}, optional
        Where reports are scored; the result is the same. The default is this process
        for one job or few reports, else "loky".
    cluster : str, optional
        Address of a cluster of Ray or Dask.
    formula, calibration, tiers, max_decoded_size, max_line_size
        As in :func:`score`.
    watch : callable, optional
        Passes on the results of a part of the work, given how many they are and what
        they are called, to tell how far it is.

    Returns
    -------
    HistoryResult
        Reports that cannot be scored are in ``not_scored``.

    Raises
    ------
    UsageError
        An argument is none of these.
    ReportError
        A folder has no report, or cannot be listed.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    arguments.require_number("alpha", alpha, SMALLEST_ALPHA, LARGEST_ALPHA)
    if jobs is not None:
        arguments.require_number("jobs", jobs, 1, whole=True)
    if backend is not None:
        arguments.require_one_of("backend", backend, BACKENDS)
    scoring = arguments.scoring_of(
        formula, calibration, tiers, max_decoded_size, max_line_size
    )
    given = arguments.paths_of("paths", paths)
    left_out: list[str] = []
    reports = find_reports(given, tell=left_out.append, must_exist=True)
    few = jobs == 1 or len(reports) < WORTH_WORKERS
    workers = Workers(
        backend=backend or (None if few else "loky"), jobs=jobs, cluster=cluster
    )
    not_scored: list[NotScored] = []

    def done(
        function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[Any]:
        return run_tasks(function, ((*task, scoring) for task in tasks), workers)

    def watched(results: Iterator[Any], total: int, unit: str) -> Iterator[Any]:
        return results if watch is None else watch(results, total, unit)

    def of_each(
        function: Callable[[ScanPaths, Scoring], Any],
        groups: Sequence[ScanPaths],
        unit: str,
    ) -> Iterator[Any]:
        """What a function makes of the reports of each scan, where it makes it."""
        results = done(or_why_not, ((function, paths) for paths in groups))
        for each in watched(results, len(groups), unit):
            if isinstance(each, NotScored):
                not_scored.append(each)
            else:
                yield each

    groups: Sequence[ScanPaths] = [(path,) for path in reports]
    merging: list[str] = []
    if merge:
        groups, merging = _joined(list(of_each(_part, groups, "parts")))
    scans = list(of_each(_scored, groups, "reports"))
    runs = [run for target in by_target(scans) for run in _runs(target.scans)]
    followed = done(follow, ((alpha if interval else None, *run) for run in runs))
    each_scan = chain.from_iterable(followed)
    targets = by_target(watched(each_scan, len(scans), "scans"))
    for target in targets:
        merging += _proposed(target, scoring)
    return HistoryResult(
        folder=folder_of(given),
        reports=len(reports),
        targets=targets,
        alpha=alpha,
        merging=tuple(merging),
        not_scored=tuple(not_scored),
        warnings=tuple(left_out),
    )


def or_why_not(
    function: Callable[[ScanPaths, Scoring], Any], paths: ScanPaths, scoring: Scoring
) -> Any:
    """Return what a function makes of the reports of a scan, or why nothing."""
    try:
        return function(paths, scoring)
    except ReportError as error:
        return NotScored(path=error.source, problem=error.problem, advice=error.advice)
    except GarakTbsaError as error:
        path = " + ".join(paths)
        problem, _, advice = str(error).removeprefix(f"{path}: ").partition("; ")
        return NotScored(path=path, problem=problem, advice=advice)


def _part(paths: ScanPaths, scoring: Scoring) -> PossiblePart:
    return possible_part(load_report(paths[0], scoring.limits))


def _scored(paths: ScanPaths, scoring: Scoring) -> Scan:
    return to_scan(scoring.assess_paths(*paths))


def _joined(parts: Sequence[PossiblePart]) -> tuple[list[ScanPaths], list[str]]:
    """The reports of each scan, and what to say of the joining."""
    scans, not_joined = scans_in_parts(parts)
    groups = [tuple(part.report.source for part in scan) for scan in scans]
    lines = [f"--merge: {len(parts)} reports hold {len(groups)} scans"]
    ordered = sorted(not_joined.items(), key=lambda item: (-item[1], item[0]))
    lines += [
        f"  not joined, {times} times: {why}" if times > 1 else f"  not joined: {why}"
        for why, times in ordered[:REASONS_SHOWN]
    ]
    if len(ordered) > REASONS_SHOWN:
        lines.append(f"  and {len(ordered) - REASONS_SHOWN} more reasons")
    return groups, lines


def _proposed(history: TargetHistory, scoring: Scoring) -> list[str]:
    """How to join scans of a target that look like parts of one."""
    if NO_COMMON_PAIR not in history.changes:
        return []
    paths = [scan.paths for scan in history.scans if len(scan.paths) == 1]
    read = [or_why_not(_part, each, scoring) for each in paths]
    # what went in between is told where it was read before
    parts = [part for part in read if not isinstance(part, NotScored)]
    return [
        f"{len(scan)} scans of {history.target} have no pair in common, and may be"
        " parts of one; this joins them: garak-tbsa score --merge "
        + shlex.join(part.report.source for part in scan)
        for scan in scans_in_parts(parts)[0]
        if len(scan) > 1
    ]


def _runs(scans: Sequence[Scan]) -> Iterator[tuple[Scan | None, Sequence[Scan]]]:
    """The scans of a target in chunks, each with the one before."""
    for start in range(0, len(scans), CHUNK):
        before = scans[start - 1] if start else None
        yield before, scans[start : start + CHUNK]


def follow(
    alpha: float | None, before: Scan | None, scans: Sequence[Scan], scoring: Scoring
) -> list[Scan]:
    """Return scans of a target with their ranges, and what changed in each.

    Parameters
    ----------
    alpha : float or None
        Level of the verdicts; None: neither tests nor ranges, and no attempt is read.
    before : Scan or None
        The one before the first.
    scans : sequence of Scan
        Oldest first, without ranges and changes.
    scoring : Scoring
    """
    found: list[Scan] = []
    last = None if before is None else _Reading(before, scoring, alpha)
    for scan in scans:
        now = _Reading(scan, scoring, alpha)
        try:
            found.append(replace(now.scan_with_range(), change=now.change_since(last)))
        except GarakTbsaError as error:  # the report went in between
            found.append(replace(scan, change=Unavailable(reason=str(error))))
        last = now
    return found


class _Reading:
    """A scan whose reports are read again, once, if its line does not tell enough."""

    def __init__(self, scan: Scan, scoring: Scoring, alpha: float | None) -> None:
        self.scan, self.scoring, self.alpha = scan, scoring, alpha

    @cached_property
    def assessment(self) -> Assessment:
        return self.scoring.assess_paths(*self.scan.paths)

    @cached_property
    def outcomes(self) -> Outcomes | Unavailable:
        if self.alpha is None:
            return NO_ATTEMPTS
        return outcomes_of_report(self.assessment.report)

    def scan_with_range(self) -> Scan:
        """The scan, with the range of a repeat where that is asked for and known."""
        if self.alpha is None:
            return self.scan
        repeat = repeat_of_scan(self.assessment, outcomes=self.outcomes)
        if isinstance(repeat, Unavailable):
            return self.scan
        lower, upper = repeat.prediction_interval
        return replace(self.scan, lower=lower, upper=upper)

    def change_since(self, last: _Reading | None) -> Change | Unavailable | None:
        """What changed since the scan before; None where there is none."""
        if last is None:
            return None
        first, second = last.scan, self.scan
        if self.alpha is None and first.compares_with(second):
            return Change(before=first.tbsa, after=second.tbsa)
        return change_between(
            last.assessment,
            self.assessment,
            alpha=self.alpha,
            outcomes=(last.outcomes, self.outcomes),
        )
