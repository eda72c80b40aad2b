# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The score of a scan, at once and stage by stage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from garak_tbsa.api.arguments import (
    CalibrationName,
    Hits,
    Metrics,
    PathLike,
    Prompts,
    Scoring,
    Tiers,
    path_of,
    scoring_of,
)
from garak_tbsa.errors import NotScorableError, ReportMissingError
from garak_tbsa.garak_api.own_number import garak_tbsa_of
from garak_tbsa.gates.options import (
    DEFAULT_ALPHA,
    DEFAULT_MAX_UNDETECTABLE,
    GateRules,
    rules_of,
)
from garak_tbsa.gates.verdict import (
    NOT_COMPUTED,
    gate_verdict,
    incomplete,
    verdict_without_garak,
)
from garak_tbsa.option import checked
from garak_tbsa.outputs.scored import NOT_ASKED_FOR
from garak_tbsa.report import report as garak_report
from garak_tbsa.report.garak_here import has_garak
from garak_tbsa.report.opening import why_read_once
from garak_tbsa.report.report import Report
from garak_tbsa.result import ScoreResult
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_scan
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from garak_tbsa.api.evidence import EvidenceCollector

NO_RULES = GateRules()


class IncompleteScanError(NotScorableError):
    """A scan that is not complete, and must be.

    Attributes
    ----------
    result : ScoreResult
        What the scan scores all the same.
    """

    def __init__(self, message: str, result: ScoreResult) -> None:
        super().__init__(message)
        self.result = result


@checked
def score(
    report: PathLike,
    *,
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
    repeat: Prompts = None,
    interval: bool = True,
    strict: bool = False,
    fail_under: float | None = None,
    sure: float | None = None,
    require_tier1_grade: int | None = None,
    min_coverage: float | None = None,
    baseline: PathLike | ScoreResult | None = None,
    baseline_optional: bool = False,
    alpha: float = DEFAULT_ALPHA,
    max_undetectable: float = DEFAULT_MAX_UNDETECTABLE,
    constant_target: bool = False,
    hits: Hits = None,
    metrics: Metrics = None,
) -> ScoreResult:
    """Score a report of garak, as ``garak-tbsa score`` does.

    Parameters
    ----------
    report : path
        garak's .report.jsonl, also compressed (.gz, .zst), - for standard input, or an
        address such as s3://...
    calibration : {"report", "installed"} or path
        Use the grades of the report (default), or grade again with the installed
        garak's calibration or with that of a file.
    tiers : path or mapping of str to int, optional
        Tiers of probes that neither the report nor the installed garak knows:
        ``{"module.Class": 1, ...}`` or the plugin_cache.json of another garak.
    repeat : {"same-prompts", "fresh-prompts"}, optional
        Which prompts a repeat has (default: the same prompts if the scan's seed is set,
        else fresh ones).
    interval : bool
        Compute the repeat interval, for which attempts are read.
    strict : bool
        Fail (exit code 1) unless the scan is complete: for a partial scan, warnings,
        unmeasured pairs, unknown tiers.
    fail_under : float, optional
        Lowest TBSA that passes the gate, 1.0-5.0.
    sure : float, optional
        Share of repeats, 0.5-0.999: ``fail_under`` then needs that share to pass too,
        and a Tier 1 pair fails only if it is below its grade in that share too.
    require_tier1_grade : int, optional
        Lowest grade that every Tier 1 pair must have, 1-5.
    min_coverage : float, optional
        Lowest share of attempted pairs that were measured, 0.0-1.0.
    baseline : path or ScoreResult, optional
        A report that this one must not be worse than, or the result of scoring it in
        the same way.
    baseline_optional : bool
        Whether that file may be missing.
    alpha : float
        Significance level of the comparison with the baseline, 0.0001-0.5; only with
        a baseline.
    max_undetectable : float
        Largest share of the pairs that can fall which this comparison may be unable to
        see fall, 0-1; with more the scan is not judged, and the gate fails.
    constant_target : bool
        Whether the target is known to answer everything alike; no rule is judged of
        such a scan else.
    hits : int, optional
        Show N real hits of each pair, with what the probe tries, what other detectors
        said, and how far the pair's detector can be trusted; at most 100.
    metrics : path, optional
        Your own detector_metrics_summary.json, which takes precedence over the one that
        comes with garak-tbsa.

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
        No pair gives a score; with ``strict``, as :class:`IncompleteScanError`, the
        scan is not complete.
    """
    before: Scan | Unavailable | None = None
    if isinstance(baseline, ScoreResult):
        before, baseline = baseline.assessment, baseline.report.source
    rules = rules_of(
        {
            "fail_under": fail_under,
            "sure": sure,
            "require_tier1_grade": require_tier1_grade,
            "min_coverage": min_coverage,
            "baseline": None if baseline is None else path_of("baseline", baseline),
            "baseline_optional": baseline_optional,
            "alpha": alpha,
            "max_undetectable": max_undetectable,
            "constant_target": constant_target,
        }
    )
    path, scoring = path_of("report", report), scoring_of(calibration, tiers)
    if before is None and rules.baseline is not None:
        before = _baseline(rules, scoring)
    result = _scored(
        path,
        scoring,
        rules=rules,
        before=before,
        prompts=repeat,
        interval=interval,
        whole=strict or (interval and why_read_once(path) is None),
        behind=None if hits is None else _behind(hits, metrics),
    )
    problem = incomplete(result.assessment) if strict else None
    if problem is not None:
        raise IncompleteScanError(problem, result)
    return result


@checked
def explain(
    report: PathLike,
    *,
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
    hits: Hits = None,
    metrics: Metrics = None,
) -> ScoreResult:
    """Score a report, with all that says why its score is what it is.

    Parameters
    ----------
    report : path
        garak's .report.jsonl, also compressed (.gz, .zst), - for standard input, or an
        address such as s3://...
    calibration, tiers
        As in :func:`score`.
    hits : int, optional
        Show N real hits of each pair, with what the probe tries, what other detectors
        said, and how far the pair's detector can be trusted; at most 100.
    metrics : path, optional
        Your own detector_metrics_summary.json, which takes precedence over the one that
        comes with garak-tbsa.
    """
    path, scoring = path_of("report", report), scoring_of(calibration, tiers)
    found = _scored(path, scoring, whole=True, behind=_behind(hits, metrics))
    return replace(found, garak_tbsa=garak_tbsa_of(found.report))


def _scored(
    path: str,
    scoring: Scoring,
    *,
    whole: bool,
    behind: EvidenceCollector | None,
    rules: GateRules = NO_RULES,
    before: Scan | Unavailable | None = None,
    prompts: str | None = None,
    interval: bool = True,
) -> ScoreResult:
    """Score a report; what else is wanted of it comes by in one pass."""
    report = garak_report.load_report(path)
    if behind is not None:
        # first, as the pass of the attempts keeps what else the lines tell
        behind.read(report)
    is_whole = whole or rules.asks_something
    assessment = scoring.assess(report.whole if is_whole else report)
    known: RepeatDistribution | Unavailable = NOT_COMPUTED
    if interval or rules.sure is not None:
        known = repeat_of_scan(assessment, prompts)
    verdict = gate_verdict(assessment, rules, before, known)
    if verdict is not None and not has_garak():
        verdict = verdict_without_garak(verdict, assessment, before)
    return ScoreResult(
        assessment=assessment,
        repeat=known if interval else NOT_ASKED_FOR,
        verdict=verdict,
        evidence=NOT_ASKED_FOR if behind is None else behind.evidence(assessment),
    )


def _baseline(rules: GateRules, scoring: Scoring) -> Scan | Unavailable:
    """Score the report that a scan is held against, which may have to be missing."""
    path = str(rules.baseline)
    try:
        return scoring.assess_path(path, whole=True)
    except ReportMissingError:
        if not rules.baseline_optional:
            raise
        return Unavailable(
            reason=f"no baseline yet, {path} does not exist; nothing was compared"
        )


def _behind(hits: int | None, metrics: PathLike | None) -> EvidenceCollector:
    # a plain score needs neither labels nor metrics
    from garak_tbsa.api.evidence import EvidenceCollector

    return EvidenceCollector(hits, metrics)


def load_report(path: PathLike) -> Report:
    """Read a report of any garak release: its pairs, its settings, its warnings.

    Parameters
    ----------
    path : path

    Raises
    ------
    UsageError
        It is no path.
    ReportError
        The report cannot be read.
    """
    return garak_report.load_report(path_of("path", path))


def assess(
    report: Report,
    *,
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
) -> Scan:
    """Grade the pairs of a report, and score them.

    Parameters
    ----------
    report : Report
        From :func:`load_report`.
    calibration, tiers
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
    return scoring_of(calibration, tiers).assess(report)


@checked
def repeat(
    assessment: Scan, prompts: Prompts = None
) -> RepeatDistribution | Unavailable:
    """Return what a repeat of a scan would score, from the attempts of its report.

    Parameters
    ----------
    assessment : Scan
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
    return repeat_of_scan(assessment, prompts)
