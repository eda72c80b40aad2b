# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa show``."""

from __future__ import annotations

import argparse

from garak_tbsa.cli import parsers
from garak_tbsa.errors import ReportError
from garak_tbsa.outputs.explanation import attempt_lines
from garak_tbsa.report.attempts import find_attempt
from garak_tbsa.terminal import write_lines


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Show one whole attempt of a report: what was sent to the target,"
        " its outputs, and each detector's verdicts on them."
    )
    parser.epilog = "`garak-tbsa explain REPORT --hits 3` names attempts to look at."
    parser.add_argument("report", metavar="REPORT", help=parsers.REPORT_HELP)
    parser.add_argument(
        "attempt",
        metavar="UUID",
        help="the attempt's uuid, or its first 4 characters or more; 'line N' for the"
        " attempt in a line of the report",
    )
    parser.add_argument(
        "--output",
        type=parsers.whole_number_from(0),
        metavar="N",
        help="show only this output, counted from 0",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    ReportError
        The report cannot be read, or has no such attempt or output.
    """
    found = find_attempt(options.report, options.attempt)
    count = found.attempt.output_count
    if options.output is not None and options.output >= count:
        has = f"outputs 0 to {count - 1}" if count > 1 else "output 0 alone"
        raise ReportError(
            options.report,
            f"attempt {options.attempt!r} has {has if count else 'no output'}, and no"
            f" output {options.output}",
            "give --output another number, or leave it out",
        )
    write_lines(attempt_lines(found, options.report, only=options.output))
