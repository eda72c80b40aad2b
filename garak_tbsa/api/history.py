# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many reports -> how each target developed, and how targets compare.

First each report is scored from its digest alone, which tells the scans of each
target. Then the attempts of each are read once, for its range and for what changed
since the scan before. A worker takes and gives back little, and holds the attempts of
two reports, so that many thousand reports cost no more memory than their table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from msgspec.structs import replace

from garak_tbsa.api import arguments
from garak_tbsa.api.arguments import PathLike, Paths, Scoring, Tiers
from garak_tbsa.comparison_in_words import headline
from garak_tbsa.errors import GarakTbsaError, NotComparableError, ReportError
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.outputs.documents.history import Change, Scan
from garak_tbsa.outputs.history import NotScored, by_target
from garak_tbsa.report.outcomes import Outcomes
from garak_tbsa.report.places import find_reports, folder_of
from garak_tbsa.result import HistoryResult
from garak_tbsa.statistics import compare
from garak_tbsa.statistics.exchange import NO_ATTEMPTS, needed_permutations
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.scan import AS_IN_REPORT
from garak_tbsa.tbsa.scan import Scan as ScoredScan
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.workers import BACKENDS, Workers, run_tasks

Watch = Callable[[Iterator[Any], int, str], Iterator[Any]]

CHUNK = 16
"""Scans of a target that a worker follows at once; it reads the one before twice."""

WORTH_WORKERS = 40
"""Reports from which on other processes are started."""

NO_COMMON_PAIR = "no pair is in both scans with the same tier"


def history(
    paths: Paths,
    *,
    interval: bool = True,
    jobs: int | None = 1,
    backend: str | None = None,
    cluster: str | None = None,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    watch: Watch | None = None,
) -> HistoryResult:
    """Score many reports: how each target developed, and how targets compare.

    Parameters
    ----------
    paths : path, or iterable of paths
        Reports, and folders or addresses whose reports are taken.
    interval : bool
        Whether to read the attempts, compute what repeats would score and test
        changes.
    jobs : int or None
        Number of workers; None for one on each processor.
    backend : {"loky", "dask", "ray"}, optional
        Where reports are scored; the result is the same. The default is this process
        for one job or few reports, else "loky".
    cluster : str, optional
        Address of a cluster of Ray or Dask.
    calibration, tiers
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
    if jobs is not None:
        arguments.require_number("jobs", jobs, 1, whole=True)
    if backend is not None:
        arguments.require_one_of("backend", backend, BACKENDS)
    scoring = arguments.scoring_of(calibration, tiers)
    given = arguments.paths_of("paths", paths)
    left_out: list[str] = []
    reports = find_reports(given, tell=left_out.append, must_exist=True)
    few = jobs == 1 or len(reports) < WORTH_WORKERS
    workers = Workers(
        backend=backend or (None if few else "loky"), jobs=jobs, cluster=cluster
    )

    def done(
        function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[Any]:
        return run_tasks(function, ((*task, scoring) for task in tasks), workers)

    def watched(results: Iterator[Any], total: int, unit: str) -> Iterator[Any]:
        return results if watch is None else watch(results, total, unit)

    scans: list[Scan] = []
    not_scored: list[NotScored] = []
    results = done(scan_or_why_not, ((path, interval) for path in reports))
    for each in watched(results, len(reports), "reports"):
        if isinstance(each, NotScored):
            not_scored.append(each)
        else:
            scans.append(each)
    runs = [run for target in by_target(scans) for run in _runs(target.scans)]
    followed = done(follow, ((interval, *run) for run in runs))
    each_scan = chain.from_iterable(followed)
    targets = by_target(watched(each_scan, len(scans), "scans"))
    return HistoryResult(
        folder=folder_of(given),
        reports=len(reports),
        targets=targets,
        not_scored=tuple(not_scored),
        warnings=tuple(left_out),
    )


def scan_or_why_not(path: str, whole: bool, scoring: Scoring) -> Scan | NotScored:
    """Return a scored scan, or why there is none; see :meth:`Scoring.assess_path`."""
    try:
        return to_scan(scoring.assess_path(path, whole=whole))
    except ReportError as error:
        return NotScored(path=error.source, problem=error.problem, advice=error.advice)
    except GarakTbsaError as error:
        problem, _, advice = str(error).removeprefix(f"{path}: ").partition("; ")
        return NotScored(path=path, problem=problem, advice=advice)


def to_scan(assessment: ScoredScan) -> Scan:
    """Return what a history keeps of a scored report, without range and change."""
    report = assessment.report
    modules = Counter(pair.probe.partition(".")[0] for pair in assessment.graded)
    return Scan(
        source=report.source,
        run_uuid=report.run_uuid,
        target=report.target,
        start_time=report.start_time,
        checksum=assessment.checksum.text,
        garak_version=report.garak_version,
        tbsa=assessment.tbsa,
        lower=None,
        upper=None,
        pairs=assessment.contributing,
        left_out=len(assessment.left_out),
        modules=[name for name, _ in modules.most_common()],
        partial=report.is_partial,
        gaps=[*assessment.gaps],
        not_covered=report.not_covered,
        latest=False,
        best=False,
        change=None,
        change_missing_because=None,
    )


def _runs(scans: Sequence[Scan]) -> Iterator[tuple[Scan | None, Sequence[Scan]]]:
    """The scans of a target in chunks, each with the one before."""
    for start in range(0, len(scans), CHUNK):
        before = scans[start - 1] if start else None
        yield before, scans[start : start + CHUNK]


def follow(
    tested: bool, before: Scan | None, scans: Sequence[Scan], scoring: Scoring
) -> list[Scan]:
    """Return scans of a target with their ranges, and what changed in each.

    Parameters
    ----------
    tested : bool
        Whether there are tests and ranges, for which attempts are read.
    before : Scan or None
        The one before the first.
    scans : sequence of Scan
        Oldest first, without ranges and changes.
    scoring : Scoring
    """
    found: list[Scan] = []
    last = None if before is None else _Reading(before, scoring, tested)
    for scan in scans:
        now, known = _Reading(scan, scoring, tested), scan
        try:
            known = replace(scan, **now.range())
            if last is not None:
                known = replace(known, change=now.change_since(last))
        except NotComparableError:
            known = replace(known, change_missing_because=NO_COMMON_PAIR)
        except GarakTbsaError as error:  # the report went in between
            known = replace(known, change_missing_because=str(error))
        found.append(known)
        last = now
    return found


class _Reading:
    """A scan whose reports are read again, once, if its line does not tell enough."""

    def __init__(self, scan: Scan, scoring: Scoring, tested: bool) -> None:
        self.scan, self.scoring, self.tested = scan, scoring, tested

    @cached_property
    def assessment(self) -> ScoredScan:
        return self.scoring.assess_path(self.scan.source)

    @cached_property
    def outcomes(self) -> Outcomes | Unavailable:
        return self.assessment.report.outcomes if self.tested else NO_ATTEMPTS

    def range(self) -> dict[str, float]:
        """The range of a repeat, where that is asked for and known."""
        if not self.tested:
            return {}
        repeat = repeat_of_scan(self.assessment, outcomes=self.outcomes)
        if isinstance(repeat, Unavailable):
            return {}
        return dict(zip(("lower", "upper"), repeat.prediction_interval, strict=True))

    def change_since(self, last: _Reading) -> Change:
        """What changed since the scan before, by the tests of ``compare``.

        Raises
        ------
        NotComparableError
            No pair is in both with the same tier.
        GarakTbsaError
            A report went.
        """
        differ = last.scan.checksum != self.scan.checksum
        if not (self.tested or differ):
            return untested(last.scan.tbsa, self.scan.tbsa)
        permutations = needed_permutations(DEFAULT_ALPHA) if self.tested else 1
        comparison = compare.compare(
            last.assessment,
            self.assessment,
            outcomes=(last.outcomes, self.outcomes),
            common=differ,
            replicates=permutations,
        )
        common, tests = comparison.common, comparison.tests
        change = replace(
            untested(comparison.first.tbsa, comparison.second.tbsa),
            common_pairs=None if common is None else len(common.names),
            differences=[
                f"{each.part} ({each.text})" for each in comparison.differences
            ],
        )
        if not self.tested:
            return change
        return replace(
            change,
            verdict=comparison.verdict(DEFAULT_ALPHA),
            p_worse=None if tests is None else tests.p_worse,
            p_better=None if tests is None else tests.p_better,
            permutations=None if tests is None else permutations,
            pairs_by_attempts=comparison.compared - len(comparison.exchange.unmatched),
            because=headline(comparison, DEFAULT_ALPHA),
        )


def untested(before: float, after: float) -> Change:
    """Return by how much a score over all pairs changed."""
    return Change(
        before=before,
        after=after,
        common_pairs=None,
        differences=[],
        verdict=None,
        p_worse=None,
        p_better=None,
        permutations=None,
        pairs_by_attempts=0,
        because=None,
        difference=round(after - before, 1),
    )
