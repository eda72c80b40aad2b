# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa audit``: what labels of a few outputs say of a scan."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from garak_tbsa.cli.outputs import show_verdict
from garak_tbsa.cli.parsers import (
    add_reading_options,
    number_within,
    plain_help,
    whole_number_from,
)
from garak_tbsa.cli.scoring import (
    assess_path,
    chosen_calibration,
    scoring_files,
    scoring_options,
)
from garak_tbsa.cli.terminal import write_error, write_line, write_lines
from garak_tbsa.errors import (
    EXIT_DONE,
    EXIT_GATE_FAILED,
    NotScorableError,
    UsageError,
)
from garak_tbsa.files import STANDARD_OUTPUT, require_distinct, write_whole
from garak_tbsa.tbsa.assessment import held_against_rows
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.label_audit.audit import Audit
    from garak_tbsa.label_audit.forms.audited_report import AuditedReport
    from garak_tbsa.label_audit.matching import AuditInput
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.gate_outcomes import GateVerdict

PROBLEMS_SHOWN = 50
TO_BEGIN = (
    "begin with `garak-tbsa label REPORT`, or draw a sheet with `garak-tbsa detectors"
    " sample REPORT`, and give the file with --labels"
)
WHOLE_REPORT = "give the report as garak wrote it, with all attempts"


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = argparse.ArgumentParser(
        prog="garak-tbsa audit",
        description="Say what the score would be if every output were judged as a few"
        " labelled ones were, how good the detectors were on this scan, and what to"
        " label next.",
        epilog="Exit codes: 0 done, 1 could not audit, 2 usage, 3 the gate failed.",
        allow_abbrev=False,
        formatter_class=plain_help,
    )
    parser.add_argument("report", metavar="REPORT", help="garak's .report.jsonl")
    parser.add_argument(
        "--labels",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="answers of `label`, sheets of `detectors sample` (CSV) or JSON exports of"
        " Label Studio (default: the file beside REPORT that `label` writes)",
    )
    parser.add_argument(
        "--rater", metavar="NAME", help="who gave labels that name nobody"
    )
    parser.add_argument(
        "--detector", metavar="NAME", help="of labels that name no detector"
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print the first line only"
    )
    parser.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the result as JSON"
    )
    parser.add_argument("--html", metavar="PATH", help="write one self-contained page")
    parser.add_argument(
        "--markdown",
        nargs="?",
        const=STANDARD_OUTPUT,
        metavar="PATH",
        help="write Markdown, as for a GitHub step summary; without a path it is"
        " printed in place of the text",
    )
    parser.add_argument(
        "--fail-under",
        type=number_within(1, 5),
        metavar="X",
        help="exit code 3 if the lower end of the range by labels is under X",
    )
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=1,
        metavar="N",
        help="where the draws start (default 1)",
    )
    add_reading_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command.

    Raises
    ------
    NotScorableError
        No output is labelled, or no pair can be audited.
    GarakTbsaError
        The report or a file of labels cannot be read.
    """
    options = build_parser().parse_args(argv)
    if options.report == "-":
        raise UsageError(
            "standard input can be read only once, and an audit reads the report"
            " twice; give its path"
        )
    labels = options.labels or _own_labels(options.report)
    _require_labels(labels, options.report)
    outputs = {
        "-j": options.json_output,
        "--html": options.html,
        "--markdown": options.markdown,
    }
    require_distinct(outputs, [options.report, *labels, *scoring_files(options)])
    audited = _audited(options, labels)
    if STANDARD_OUTPUT not in outputs.values():
        _show(audited, quiet=options.quiet)
    _write(audited, options)
    if audited.verdict is not None and not audited.verdict.passed:
        return EXIT_GATE_FAILED
    return EXIT_DONE


def _require_labels(labels: Sequence[str], report: str) -> None:
    """Refuse the report itself as a file of labels."""
    for path in labels:
        both_exist = os.path.exists(path) and os.path.exists(report)
        if both_exist and os.path.samefile(path, report):
            raise UsageError(
                f"--labels {path}: is the report itself; give a file of labels, or"
                " leave --labels away for the one beside the report"
            )


def _own_labels(report: str) -> list[str]:
    """Return the file that ``label`` writes beside a report.

    Raises
    ------
    NotScorableError
        There is none.
    """
    from garak_tbsa.label_audit.session import labels_path

    path = labels_path(report)
    if not os.path.exists(path):
        raise NotScorableError(
            f"{report}: no --labels, and no {os.path.basename(path)} beside it;"
            f" {TO_BEGIN}"
        )
    return [path]


def _audited(options: argparse.Namespace, labels: Sequence[str]) -> AuditedReport:
    from garak_tbsa.label_audit.forms.audited_report import AuditedReport

    scoring = scoring_options(options)
    assessment = assess_path(
        options.report, scoring, chosen_calibration(scoring.calibration)
    )
    audit = _audit(assessment, options, labels)
    return AuditedReport(
        assessment=assessment,
        audit=audit,
        label_files=tuple(labels),
        verdict=_verdict(assessment, audit, options.fail_under),
    )


def _audit(
    assessment: Assessment, options: argparse.Namespace, labels: Sequence[str]
) -> Audit:
    from garak_tbsa.label_audit.audit import audit_scan
    from garak_tbsa.label_audit.label_files import LabelReading, read_label_file
    from garak_tbsa.label_audit.matching import audit_input, match_labels
    from garak_tbsa.label_audit.outputs import read_outputs

    report = assessment.report
    reading = LabelReading(rater=options.rater)
    files = [read_label_file(path, reading) for path in dict.fromkeys(labels)]
    named = {label.attempt for each in files for label in each.labels}
    threshold = report.settings.eval_threshold
    outputs = read_outputs(report.source, threshold, report.limits, named=named)
    matched = match_labels(files, outputs, options.detector)
    prepared = audit_input(assessment.graded, outputs, matched.truth)
    found = audit_scan(prepared, matched, seed=options.seed)
    tell_problems(matched.problems)
    if isinstance(found, Unavailable):
        advice = TO_BEGIN if prepared.scan.cells else _what_is_missing(prepared)
        raise NotScorableError(f"{report.source}: {found.reason}; {advice}")
    return found


def _what_is_missing(prepared: AuditInput) -> str:
    """What would let some pair be audited, where none can."""
    from garak_tbsa.label_audit.outputs import CALIBRATE, GRADES_UNKNOWN

    reason = next(iter(prepared.not_audited.values()))
    return CALIBRATE if reason == GRADES_UNKNOWN else WHOLE_REPORT


def tell_problems(problems: Sequence[str]) -> None:
    """Print why labels cannot be used, the first ones a line each."""
    for problem in problems[:PROBLEMS_SHOWN]:
        write_error(problem)
    more = len(problems) - PROBLEMS_SHOWN
    if more > 0:
        write_error(f"{more} more labels cannot be used; -j lists all of them")


def _verdict(
    assessment: Assessment, audit: Audit, fail_under: float | None
) -> GateVerdict | None:
    if fail_under is None:
        return None
    from garak_tbsa.label_audit.gate import judge_range

    return judge_range(held_against_rows(assessment), audit.score.by_labels, fail_under)


def _show(audited: AuditedReport, *, quiet: bool) -> None:
    from garak_tbsa.label_audit.forms import text, wording

    if quiet:
        write_line(wording.answer(audited.audit))
        return
    write_lines(text.lines(audited))
    show_verdict(audited.verdict)


def _write(audited: AuditedReport, options: argparse.Namespace) -> None:
    """Write each form that has a path."""
    if options.json_output:
        from garak_tbsa.label_audit.forms import json_document

        write_whole(options.json_output, json_document.render(audited))
    if options.html:
        from garak_tbsa.label_audit.forms import page

        write_whole(options.html, page.render(audited))
    if options.markdown:
        from garak_tbsa.label_audit.forms import markdown

        write_whole(options.markdown, markdown.render(audited))
