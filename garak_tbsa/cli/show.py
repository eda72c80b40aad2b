# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa show``."""

from __future__ import annotations

import argparse
from typing import Annotated

from garak_tbsa.cli import parsers
from garak_tbsa.errors import ReportError
from garak_tbsa.option import Option
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
    parsers.add_options_of(parser, show)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    write_lines(show(**parsers.arguments_for(show, options)))


def show(
    report: str,
    attempt: Annotated[str, Option(kind=str, metavar="UUID")],
    output: Annotated[int | None, Option(kind=int, metavar="N")] = None,
) -> list[str]:
    """Return the lines that show an attempt.

    Parameters
    ----------
    report : str
        garak's .report.jsonl, also compressed (.gz, .zst), - for standard input, or an
        address such as s3://...
    attempt : str
        The attempt's uuid, or its first 4 characters or more; 'line N' for the attempt
        in a line of the report.
    output : int, optional
        Show only this output, counted from 0.

    Raises
    ------
    ReportError
        The report cannot be read, or has no such attempt or output.
    """
    found = find_attempt(report, attempt)
    count = found.attempt.output_count
    if output is not None and output >= count:
        has = f"outputs 0 to {count - 1}" if count > 1 else "output 0 alone"
        raise ReportError(
            report,
            f"attempt {attempt!r} has {has if count else 'no output'}, and no output"
            f" {output}",
            "give --output another number, or leave it out",
        )
    return [*attempt_lines(found, report, only=output)]
