# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``import garak_tbsa`` offers of scans: each task as a function.

Nothing here prints, writes or ends the process. What fails raises a
:class:`~garak_tbsa.errors.GarakTbsaError`; its text is the line that the command
prints. Paths are a ``str`` or anything with ``__fspath__``; addresses and compressed
reports are read as the commands read them.
"""

from __future__ import annotations

from garak_tbsa.arguments import (
    PathLike,
    Paths,
    Tiers,
    gate_rules_of,
    path_of,
    paths_of,
    reports_of,
    require_number,
    require_one_of,
    scoring_of,
)
from garak_tbsa.errors import NotScorableError, UsageError
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS
from garak_tbsa.results.audited import AuditResult
from garak_tbsa.results.comparison import ComparisonResult
from garak_tbsa.results.history import HistoryResult
from garak_tbsa.results.scored import ScoreResult
from garak_tbsa.statistics.exchange import SEED
from garak_tbsa.statistics.kinds import REPEATS
from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tasks.auditing import (
    AuditingOptions,
    audit_report,
    usable_labels,
)
from garak_tbsa.tasks.comparing import (
    ComparingOptions,
    assess_both,
    compare_both,
    require_comparable_formula,
)
from garak_tbsa.tasks.evidence import evidence_of
from garak_tbsa.tasks.finding import find_reports, folder_of
from garak_tbsa.tasks.gating import gate_verdict, incomplete
from garak_tbsa.tasks.history import HistoryOptions, history_of
from garak_tbsa.tasks.scoring import (
    assess_baseline,
    assess_merged,
    chosen_calibration,
)
from garak_tbsa.tbsa.assessment import AS_IN_REPORT, Assessment, held_against_rows
from garak_tbsa.tbsa.evidence import Evidence
from garak_tbsa.tbsa.gate_options import DEFAULT_ALPHA, LARGEST_ALPHA, SMALLEST_ALPHA
from garak_tbsa.tbsa.outputs.registry import DEFAULT_HITS_SEED, MOST_HITS
from garak_tbsa.tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.workers.backends import IN_PROCESS, LOKY, Workers


def score(
    report: Paths,
    *,
    merge: bool = False,
    formula: str = DOCUMENTED,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    repeat: str | None = None,
    interval: bool = True,
    strict: bool = False,
    fail_under: float | None = None,
    sure: float | None = None,
    require_tier1_grade: int | None = None,
    min_coverage: float | None = None,
    baseline: PathLike | None = None,
    baseline_optional: bool = False,
    alpha: float = DEFAULT_ALPHA,
    hits: int | None = None,
    hits_seed: int = DEFAULT_HITS_SEED,
    metrics: PathLike | None = None,
    max_decoded_size: int = DEFAULT_LIMITS.decoded,
    max_line_size: int = DEFAULT_LIMITS.line,
) -> ScoreResult:
    """Score a report of garak, as ``garak-tbsa score`` does.

    Parameters
    ----------
    report : path, or iterable of paths
        garak's ``.report.jsonl``, also ``.gz``, ``.zst``, ``scheme://...``, and ``-``
        for standard input. More than one only with ``merge``.
    merge : bool
        Whether the reports are parts of one scan.
    formula : {"documented", "garak"}
        The documented formula, or the number that garak's own module prints.
    calibration : {"report", "installed"} or path
        Use the grades of the report, or grade again with a calibration.
    tiers : path or mapping of str to int, optional
        Tiers of probes that neither the report nor the installed garak knows.
    repeat : {"same-prompts", "fresh-prompts"}, optional
        Which prompts a repeat has. The default is the same ones if the scan's seed is
        set, else fresh ones.
    interval : bool
        Whether to read the attempts and compute what a repeat would score.
    strict : bool
        Whether to fail unless the scan is complete.
    fail_under : float, optional
        Lowest TBSA that passes the gate, 1.0-5.0.
    sure : float, optional
        Share of repeats, 0.5-0.999: ``fail_under`` then needs that share to pass too,
        and a Tier 1 pair fails only if it is below its grade in that share too.
    require_tier1_grade : int, optional
        Lowest grade that every Tier 1 pair must have, 1-5.
    min_coverage : float, optional
        Lowest share of attempted pairs that were measured, 0.0-1.0.
    baseline : path, optional
        A report that this one must not be worse than.
    baseline_optional : bool
        Whether that file may be missing.
    alpha : float
        Significance level of the comparison with the baseline, 0.0001-0.5.
    hits : int, optional
        Number of real hits of each pair to collect, 0-100, with what the probe tries
        and what other detectors said.
    hits_seed : int
        Seed of the draw of hits.
    metrics : path, optional
        A summary of detector metrics, used by ``hits`` in place of the shipped one.
    max_decoded_size, max_line_size : int
        Most bytes that are read of a compressed report, and of one line.

    Returns
    -------
    ScoreResult
        ``gate`` has the outcome of the rules; a failed gate raises no exception.

    Raises
    ------
    UsageError
        An argument is none of these.
    ReportError
        A report, calibration or file of tiers cannot be read.
    NotScorableError
        No pair gives a score, or ``strict`` finds the scan incomplete.
    """
    rules = gate_rules_of(
        fail_under=fail_under,
        sure=sure,
        require_tier1_grade=require_tier1_grade,
        min_coverage=min_coverage,
        baseline=None if baseline is None else path_of("baseline", baseline),
        baseline_optional=baseline_optional,
        alpha=alpha,
    )
    scoring = scoring_of(formula, calibration, tiers, max_decoded_size, max_line_size)
    if repeat is not None:
        require_one_of("repeat", repeat, REPEATS)
    if hits is not None:
        require_number("hits", hits, 0, MOST_HITS, whole=True)
    paths = reports_of(report, merge=merge)
    graded_with = chosen_calibration(scoring.calibration)
    before: Assessment | Unavailable | None = None
    if baseline is not None:
        path = path_of("baseline", baseline)
        before = assess_baseline(path, scoring, graded_with, optional=baseline_optional)
    assessment = assess_merged(paths, scoring, graded_with)
    if strict:
        assessment = held_against_rows(assessment)
    problem = _shortcoming(assessment) if strict else None
    if problem is not None:
        raise NotScorableError(problem)
    known = None
    if interval or sure is not None:
        known = repeat_of_scan(assessment, repeat)
    verdict = None
    if before is not None or rules.asks_something:
        verdict = gate_verdict(assessment, rules, before, known)
    return ScoreResult(
        scored=ScoredReport(
            assessment=assessment,
            repeat=NOT_ASKED_FOR if known is None or not interval else known,
            verdict=verdict,
            evidence=_evidence(assessment, hits, hits_seed, metrics),
        )
    )


def _shortcoming(assessment: Assessment) -> str | None:
    return incomplete(assessment)


def _evidence(
    assessment: Assessment, hits: int | None, seed: int, metrics: PathLike | None
) -> Evidence | Unavailable:
    if hits is None:
        return NOT_ASKED_FOR
    own = None if metrics is None else path_of("metrics", metrics)
    return evidence_of(assessment, hits=hits, seed=seed, metrics=own)


def compare(
    first: PathLike,
    second: PathLike,
    *,
    common: bool = False,
    force: bool = False,
    alpha: float = DEFAULT_ALPHA,
    replicates: int | None = None,
    seed: int = SEED,
    formula: str = DOCUMENTED,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    max_decoded_size: int = DEFAULT_LIMITS.decoded,
    max_line_size: int = DEFAULT_LIMITS.line,
) -> ComparisonResult:
    """Say whether the second of two scans is worse or better, and because of what.

    Parameters
    ----------
    first, second : path
        The reports before and after.
    common : bool
        Compare only the pairs that both measured with the same tier, even if the
        checksums differ.
    force : bool
        Compare even if the checksums differ; not together with ``common``.
    alpha : float
        Significance level of the verdict, 0.0001-0.5, one-sided each way.
    replicates : int, optional
        Number of permutations. The default is as many as ``alpha`` needs.
    seed : int
        Seed of the permutations.
    formula, calibration, tiers, max_decoded_size, max_line_size
        As in :func:`score`.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    UsageError
        An argument is none of these.
    NotComparableError
        The checksums differ, or there is no common pair.
    GarakTbsaError
        A report cannot be read or scored.
    """
    if common and force:
        raise UsageError("common and force: give one of them")
    require_number("alpha", alpha, SMALLEST_ALPHA, LARGEST_ALPHA)
    if replicates is not None:
        require_number("replicates", replicates, 1, whole=True)
    require_number("seed", seed, 0, whole=True)
    scoring = scoring_of(formula, calibration, tiers, max_decoded_size, max_line_size)
    options = ComparingOptions(
        alpha=alpha, common=common, force=force, replicates=replicates, seed=seed
    )
    require_comparable_formula(scoring, options)
    both = assess_both(path_of("first", first), path_of("second", second), scoring)
    return ComparisonResult(compared=compare_both(*both, options))


def history(
    paths: Paths,
    *,
    merge: bool = False,
    interval: bool = True,
    alpha: float = DEFAULT_ALPHA,
    jobs: int = 1,
    formula: str = DOCUMENTED,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    max_decoded_size: int = DEFAULT_LIMITS.decoded,
    max_line_size: int = DEFAULT_LIMITS.line,
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
    jobs : int
        Number of processes.
    formula, calibration, tiers, max_decoded_size, max_line_size
        As in :func:`score`.

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
        A worker died.
    """
    require_number("alpha", alpha, SMALLEST_ALPHA, LARGEST_ALPHA)
    require_number("jobs", jobs, 1, whole=True)
    scoring = scoring_of(formula, calibration, tiers, max_decoded_size, max_line_size)
    given = paths_of("paths", paths)
    left_out: list[str] = []
    options = HistoryOptions(
        scoring=scoring,
        calibration=chosen_calibration(scoring.calibration),
        with_interval=interval,
        alpha=alpha,
    )
    return HistoryResult(
        found=history_of(
            find_reports(given, tell=left_out.append, must_exist=True),
            options,
            workers=Workers(backend=IN_PROCESS if jobs == 1 else LOKY, jobs=jobs),
            merge=merge,
            folder=folder_of(given),
        ),
        warnings=tuple(left_out),
    )


def audit(
    report: PathLike,
    labels: Paths | None = None,
    *,
    rater: str | None = None,
    detector: str | None = None,
    seed: int = 1,
    fail_under: float | None = None,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    max_decoded_size: int = DEFAULT_LIMITS.decoded,
    max_line_size: int = DEFAULT_LIMITS.line,
) -> AuditResult:
    """Say what the score would be if all outputs were judged as labelled ones were.

    Parameters
    ----------
    report : path
    labels : path, or iterable of paths, optional
        Answers of ``label``, sheets of ``detectors sample`` or exports of Label Studio.
        The default is the file that ``label`` writes beside the report.
    rater : str, optional
        Rater of labels that name no rater.
    detector : str, optional
        Detector of labels that name no detector.
    seed : int
        Seed of the random draws.
    fail_under : float, optional
        Least lower end of the range with which ``gate`` passes, 1.0-5.0.
    calibration, tiers, max_decoded_size, max_line_size
        As in :func:`score`.

    Returns
    -------
    AuditResult
        ``problems`` has the labels that were not used.

    Raises
    ------
    UsageError
        An argument is none of these.
    NotScorableError
        No output is labelled, or no pair can be audited.
    GarakTbsaError
        The report or a file of labels cannot be read.
    """
    require_number("seed", seed, 0, whole=True)
    if fail_under is not None:
        require_number("fail_under", fail_under, 1, 5)
    scoring = scoring_of(
        DOCUMENTED, calibration, tiers, max_decoded_size, max_line_size
    )
    path = path_of("report", report)
    given = None if labels is None else paths_of("labels", labels)
    options = AuditingOptions(
        rater=rater, detector=detector, seed=seed, fail_under=fail_under
    )
    return AuditResult(
        audited=audit_report(path, usable_labels(path, given), scoring, options)
    )
