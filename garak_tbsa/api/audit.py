# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report and labels of some of its outputs -> what the labels say of the scan."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields

from garak_tbsa.api.arguments import (
    PathLike,
    Paths,
    Tiers,
    path_of,
    paths_of,
    scoring_of,
)
from garak_tbsa.detector_eval.report_labels import Place, ReportLabels
from garak_tbsa.errors import NotScorableError, ReportError, UsageError
from garak_tbsa.evidence.hits import output_of
from garak_tbsa.gates.options import rules_of
from garak_tbsa.labels.audit import audit_scan, judge_range
from garak_tbsa.labels.disagreements import Disagreement, disputed_verdicts
from garak_tbsa.labels.forms.view import AuditedReport
from garak_tbsa.labels.label_files import LabelReading, read_label_file
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import (
    AuditedScan,
    audited_scan,
    read_outputs,
    wanted_attempts,
)
from garak_tbsa.report.attempts import prompt_text
from garak_tbsa.report.places import labels_path
from garak_tbsa.results.audited import AuditResult
from garak_tbsa.tbsa.evidence import Hit
from garak_tbsa.tbsa.scan import AS_IN_REPORT

TO_BEGIN = (
    "begin with `garak-tbsa label REPORT`, or write a sheet with `garak-tbsa label"
    " REPORT --sheet FILE`, and give the file with --labels"
)


class NotAuditableError(NotScorableError):
    """Labels that say nothing of a scan.

    Attributes
    ----------
    problems : tuple of str
        Why labels were not used, one line each.
    """

    def __init__(self, message: str, problems: Sequence[str]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def audit(
    report: PathLike,
    labels: Paths | None = None,
    *,
    rater: str | None = None,
    detector: str | None = None,
    fail_under: float | None = None,
    constant_target: bool = False,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
) -> AuditResult:
    """Say what the score would be if all outputs were judged as labelled ones were.

    Parameters
    ----------
    report : path
    labels : path, or iterable of paths, optional
        Answers and sheets of ``label``. The default is the file that ``label`` writes
        beside the report.
    rater : str, optional
        Rater of labels that name no rater.
    detector : str, optional
        Detector of labels that name no detector.
    fail_under : float, optional
        Least lower end of the range with which ``gate`` passes, 1.0-5.0.
    constant_target : bool
        Whether the target is known to answer everything alike; such a scan is not
        judged else.
    calibration, tiers
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
        No output is labelled; as :class:`NotAuditableError`, no pair can be audited.
    GarakTbsaError
        The report or a file of labels cannot be read.
    """
    rules = rules_of({"fail_under": fail_under, "constant_target": constant_target})
    path = path_of("report", report)
    files = usable_labels(path, None if labels is None else paths_of("labels", labels))
    scoring = scoring_of(calibration, tiers)
    assessment = scoring.assess_path(path)
    read, reading = assessment.report, LabelReading(rater=rater)
    given = [read_label_file(each, reading) for each in dict.fromkeys(files)]
    outputs = read_outputs(read.source, read.settings.eval_threshold)
    matched = match_labels(given, outputs, detector)
    scan = audited_scan(assessment.graded, outputs).answered(matched.said)
    problem = None
    if not scan.strata:
        problem = scan.why_none
    elif not scan.answered_outputs:
        left_out = matched.left_out(len(matched.truth))
        reasons = f" ({left_out})" if left_out else ""
        problem = f"none of its outputs is labelled{reasons}; {TO_BEGIN}"
    if problem is not None:
        raise NotAuditableError(f"{read.source}: {problem}", matched.problems)
    found = audit_scan(scan, matched, outputs.lengths)
    verdict = None
    if fail_under is not None:
        verdict = judge_range(assessment, found, rules)
    view = AuditedReport(
        **{each.name: getattr(found, each.name) for each in fields(found)},
        assessment=assessment,
        label_files=tuple(files),
        unattributed=tuple(outputs.unattributed_texts),
        disagreements=tuple(_disagreements(read.source, scan, matched)),
        verdict=verdict,
    )
    return AuditResult(audited=view)


def _disagreements(
    report: str, scan: AuditedScan, matched: ReportLabels
) -> Iterator[Disagreement]:
    """Yield the outputs on which labels and detectors disagree, with their texts."""
    wanted = disputed_verdicts(scan, matched)
    by_attempt: defaultdict[str, set[Place]] = defaultdict(set)
    for place, _ in wanted:
        by_attempt[place.attempt].add(place)
    texts: dict[Place, Hit] = {}
    for name, attempt in wanted_attempts(report, by_attempt) if wanted else ():
        prompt = prompt_text(attempt.prompt)
        known = range(attempt.output_count)
        for place in (x for x in by_attempt[name] if x.output_index in known):
            texts[place] = output_of(report, attempt, place.output_index, prompt)
    if len(texts) < len({place for place, _ in wanted}):
        raise ReportError(
            report, "changed while it was read", "audit it when its scan is over"
        )
    for judged in wanted:
        pair = scan.pairs[scan.strata[scan.stratum_of[judged]].pair]
        flagged, output = scan.flagged(judged), texts[judged[0]]
        yield Disagreement(pair=pair, flagged=flagged, output=output)


def usable_labels(report: str, labels: Sequence[str] | None) -> list[str]:
    """Return the files of labels of a report: those given, else the one beside it.

    Raises
    ------
    UsageError
        The report is standard input, or is given as its own labels.
    NotScorableError
        None is given, and none is beside it.
    """
    if report == "-":
        raise UsageError(
            "standard input can be read only once, and an audit reads the report"
            " twice; give its path"
        )
    if not labels:
        labels = [labels_path(report)]
        if not os.path.exists(labels[0]):
            raise NotScorableError(
                f"{report}: no --labels given, and no {os.path.basename(labels[0])}"
                f" beside it; {TO_BEGIN}"
            )
    for path in labels:
        both_exist = os.path.exists(path) and os.path.exists(report)
        if both_exist and os.path.samefile(path, report):
            raise UsageError(
                f"--labels {path}: is the report itself; give a file of labels, or"
                " leave out --labels to use the one beside the report"
            )
    return list(labels)
