# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa audit``: what labels of a few outputs say of a scan."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from garak_tbsa.api.audit import NotAuditableError, audit, usable_labels
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.outputs import show_verdict, tell_failed
from garak_tbsa.cli.parsers import (
    REPORT_FILE,
    add_reading_options,
    number_within,
    whole_number_from,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.cli.scoring_arguments import scoring_arguments, scoring_files
from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED
from garak_tbsa.files import STANDARD_OUTPUT, write_whole
from garak_tbsa.label_audit.forms import json_document, markdown, page, text, wording
from garak_tbsa.label_audit.forms.audited_report import AuditedReport
from garak_tbsa.terminal import write_error, write_line, write_lines

PROBLEMS_SHOWN = 3
"""Lines about labels that cannot be used."""


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa audit",
        description="Say what the score would be if every output were judged as a few"
        " labelled ones were, how good the detectors were on this scan, and what to"
        " label next.",
        epilog="Exit codes: 0 done, 1 could not audit, 2 usage, 3 the gate failed.",
    )
    parser.add_argument("report", metavar="REPORT", help=REPORT_FILE)
    parser.add_argument(
        "--labels",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="answers of `label`, sheets of `detectors sample` (CSV) or JSON exports of"
        " Label Studio (default: the file beside REPORT that `label` writes)",
    )
    parser.add_argument(
        "--rater", metavar="NAME", help="rater of labels that name no rater"
    )
    parser.add_argument(
        "--detector", metavar="NAME", help="detector of labels that name no detector"
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
        help="write Markdown, as for a GitHub step summary; without a path, print it"
        " instead of the text",
    )
    parser.add_argument(
        "--fail-under",
        type=number_within(1, 5),
        metavar="X",
        help="exit code 3 if the lower end of the range by labels is under X, or a"
        " label cannot be used",
    )
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=1,
        metavar="N",
        help="seed of the random draws (default 1)",
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
    labels = usable_labels(options.report, options.labels)
    outputs = {
        "-j": options.json_output,
        "--html": options.html,
        "--markdown": options.markdown,
    }
    claim_outputs(outputs, [options.report, *labels, *scoring_files(options)])
    try:
        result = audit(
            options.report,
            labels,
            rater=options.rater,
            detector=options.detector,
            seed=options.seed,
            fail_under=options.fail_under,
            **scoring_arguments(options),
        )
    except NotAuditableError as error:
        tell_problems(error.problems)
        raise
    tell_problems(result.problems)
    audited = result.audited
    _show(audited, quiet=options.quiet)
    _write(audited, options)
    if audited.verdict is not None and not audited.verdict.passed:
        return EXIT_GATE_FAILED
    return EXIT_DONE


def tell_problems(problems: Sequence[str]) -> None:
    """Print why labels cannot be used: all of it, or the first and how many more."""
    shown = len(problems)
    if shown > PROBLEMS_SHOWN:
        shown = PROBLEMS_SHOWN - 1
    for problem in problems[:shown]:
        write_error(problem)
    more = len(problems) - shown
    if more:
        write_error(f"{more} more labels cannot be used; -j lists all of them")


def _show(audited: AuditedReport, *, quiet: bool) -> None:
    if quiet:
        write_line(wording.answer(audited.audit))
        tell_failed(audited.assessment.report.source, audited.verdict)
        return
    write_lines(text.lines(audited))
    show_verdict(audited.verdict)


def _write(audited: AuditedReport, options: argparse.Namespace) -> None:
    """Write each form that has a path."""
    if options.json_output:
        write_whole(options.json_output, json_document.render(audited))
    if options.html:
        write_whole(options.html, page.render(audited))
    if options.markdown:
        write_whole(options.markdown, markdown.render(audited))
