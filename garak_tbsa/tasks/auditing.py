# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report and labels of some of its outputs -> what the labels say of the scan."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from garak_tbsa.errors import NotScorableError, UsageError
from garak_tbsa.garak_files.beside import labels_path
from garak_tbsa.label_audit.audit import Audit, audit_scan
from garak_tbsa.label_audit.forms.audited_report import AuditedReport
from garak_tbsa.label_audit.gate import judge_range
from garak_tbsa.label_audit.label_files import LabelReading, read_label_file
from garak_tbsa.label_audit.matching import AuditInput, audit_input, match_labels
from garak_tbsa.label_audit.outputs import CALIBRATE, GRADES_UNKNOWN, read_outputs
from garak_tbsa.tasks.scoring import ScoringOptions, assess_path, chosen_calibration
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.gate_outcomes import GateVerdict
from garak_tbsa.unavailable import Unavailable

TO_BEGIN = (
    "begin with `garak-tbsa label REPORT`, or draw a sheet with `garak-tbsa detectors"
    " sample REPORT`, and give the file with --labels"
)
WHOLE_REPORT = "give the report as garak wrote it, with all attempts"


@dataclass(frozen=True, kw_only=True)
class AuditingOptions:
    """How labels are read, and what is asked of the scan.

    Attributes
    ----------
    rater : str or None
        Who gave labels that name nobody.
    detector : str or None
        Of labels that name no detector.
    seed : int
        Where the draws start.
    fail_under : float or None
        What the lower end of the range must reach, 1.0-5.0.
    """

    rater: str | None = None
    detector: str | None = None
    seed: int = 1
    fail_under: float | None = None


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
    found = list(labels or _own_labels(report))
    _require_labels(found, report)
    return found


def _require_labels(labels: Sequence[str], report: str) -> None:
    """Refuse the report itself as a file of labels."""
    for path in labels:
        both_exist = os.path.exists(path) and os.path.exists(report)
        if both_exist and os.path.samefile(path, report):
            raise UsageError(
                f"--labels {path}: is the report itself; give a file of labels, or"
                " leave out --labels to use the one beside the report"
            )


def _own_labels(report: str) -> list[str]:
    """Return the file that ``label`` writes beside a report.

    Raises
    ------
    NotScorableError
        There is none.
    """
    path = labels_path(report)
    if not os.path.exists(path):
        raise NotScorableError(
            f"{report}: no --labels given, and no {os.path.basename(path)} beside it;"
            f" {TO_BEGIN}"
        )
    return [path]


def audit_report(
    report: str,
    labels: Sequence[str],
    scoring: ScoringOptions,
    options: AuditingOptions,
    *,
    tell: Callable[[Sequence[str]], None] | None = None,
) -> AuditedReport:
    """Say what labels make of a scan.

    Parameters
    ----------
    report : str
        Its path.
    labels : sequence of str
        From :func:`usable_labels`.
    scoring : ScoringOptions
    options : AuditingOptions
    tell : callable, optional
        Gets what is wrong with labels that cannot be used, before anything fails.

    Raises
    ------
    NotScorableError
        No output is labelled, or no pair can be audited.
    GarakTbsaError
        The report or a file of labels cannot be read.
    """
    assessment = assess_path(report, scoring, chosen_calibration(scoring.calibration))
    audit = _audit(assessment, labels, options, tell)
    return AuditedReport(
        assessment=assessment,
        audit=audit,
        label_files=tuple(labels),
        verdict=_verdict(assessment, audit, options.fail_under),
    )


def _audit(
    assessment: Assessment,
    labels: Sequence[str],
    options: AuditingOptions,
    tell: Callable[[Sequence[str]], None] | None,
) -> Audit:
    report = assessment.report
    reading = LabelReading(rater=options.rater)
    files = [read_label_file(path, reading) for path in dict.fromkeys(labels)]
    threshold = report.settings.eval_threshold
    outputs = read_outputs(report.source, threshold, report.limits)
    matched = match_labels(files, outputs, options.detector)
    prepared = audit_input(assessment.graded, outputs)
    found = audit_scan(prepared, matched, seed=options.seed, lengths=outputs.lengths)
    if tell is not None:
        tell(matched.problems)
    if isinstance(found, Unavailable):
        advice = TO_BEGIN if prepared.scan.cells else _what_is_missing(prepared)
        raise NotScorableError(f"{report.source}: {found.reason}; {advice}")
    return found


def _what_is_missing(prepared: AuditInput) -> str:
    """What would let some pair be audited, where none can."""
    reason = next(iter(prepared.not_audited.values()))
    return CALIBRATE if reason == GRADES_UNKNOWN else WHOLE_REPORT


def _verdict(
    assessment: Assessment, audit: Audit, fail_under: float | None
) -> GateVerdict | None:
    if fail_under is None:
        return None
    return judge_range(held_against_rows(assessment), audit, fail_under)
