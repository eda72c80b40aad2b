# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa history``."""

from __future__ import annotations

import argparse

from garak_tbsa.api.history import history, not_scored_lines, text_lines
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE
from garak_tbsa.outputs.registry import HISTORY_FORMATS
from garak_tbsa.progress import with_progress
from garak_tbsa.report.places import find_reports
from garak_tbsa.terminal import terminal_width, write_error, write_line, write_lines


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Score many reports, such as all below a folder: how each target"
        " developed over time, and how targets compare."
    )
    parser.add_argument(
        "reports", nargs="+", metavar="REPORT", help=parsers.REPORTS_HELP
    )
    outputs.add_form_options(parser, HISTORY_FORMATS)
    parsers.add_switches(parser, {"-v, --verbose": "also show checksums"})
    parsers.add_options_of(parser, history, but=("paths", "watch"), jobs=None)


def run(options: argparse.Namespace) -> int:
    """Run the command; reports that cannot be scored are counted, not the end.

    Raises
    ------
    ReportError
        A path does not exist, or a folder holds no report.
    UsageError
        An output would replace a report.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    reports = find_reports(options.reports, tell=write_error, must_exist=True)
    inputs = [*reports, *parsers.scoring_files(options)]
    paths = outputs.claimed_forms(options, HISTORY_FORMATS, inputs)
    arguments = parsers.arguments_for(
        history, options, paths=options.reports, watch=with_progress
    )
    found = history(**arguments)
    lines = text_lines(found, width=terminal_width(), checksums=options.verbose)
    write_lines(lines)
    if found.not_scored:
        counted = f"{len(found.not_scored)} of {found.reports} reports"
        write_line(f"{counted} could not be scored")
    for line in not_scored_lines(found):
        write_error(line)
    outputs.write_forms(paths, found)
    return EXIT_DONE if found.targets else EXIT_COULD_NOT
