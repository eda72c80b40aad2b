# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa history``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.parsers import (
    REPORTS_HELP,
    add_alpha,
    add_scoring_options,
    add_worker_options,
    asked_workers,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.cli.progress import with_progress
from garak_tbsa.cli.terminal import terminal_width, write_error, write_line, write_lines
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, ReportError
from garak_tbsa.files import write_whole
from garak_tbsa.tasks.finding import ADDRESS, find_reports, folder_of
from garak_tbsa.tasks.history import history_of
from garak_tbsa.tasks.history_work import (
    BY_ATTEMPTS,
    NO_TESTS,
    TESTS,
    HistoryOptions,
)
from garak_tbsa.tasks.scoring import (
    chosen_calibration,
    scoring_files,
    scoring_options,
)
from garak_tbsa.tbsa.outputs.history import json_lines, text_lines
from garak_tbsa.workers.backends import IN_PROCESS, LOKY, Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.tasks.history import ManyScored

WORTH_WORKERS = 40


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa history",
        description="Score many reports, such as all below a folder: how each target"
        " developed over time, and how targets compare.",
    )
    parser.add_argument("reports", nargs="+", metavar="REPORT", help=REPORTS_HELP)
    parser.add_argument(
        "--jsonl", metavar="PATH", help="write one JSON object for each scan"
    )
    parser.add_argument("--html", metavar="PATH", help="write a page with charts")
    parser.add_argument(
        "--merge",
        action="store_true",
        help="join the parts of a scan: reports with the same target, garak version and"
        " settings, in the order of their start, until a pair occurs again",
    )
    parser.add_argument(
        "--no-interval",
        action="store_true",
        help="do not compute what repeats would score, and test changes only if --tests"
        " is given; for folders of many thousand reports",
    )
    parser.add_argument(
        "--tests",
        choices=TESTS,
        help="test each change as compare does: by the attempts, prompt by prompt"
        " (default), or by the counts alone, which is sooner done",
    )
    add_alpha(parser, of="verdicts")
    add_worker_options(
        parser,
        jobs="number of workers (default: one for each processor)",
        backend="where reports are scored; the result is the same (default: loky,"
        f" in-process for fewer than {WORTH_WORKERS} reports)",
    )
    add_scoring_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
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
    asked = build_parser().parse_args(argv)
    for given in asked.reports:
        if ADDRESS not in given and not os.path.exists(given):
            raise ReportError(
                given, "does not exist", "name a folder of reports, or reports"
            )
    paths = find_reports(asked.reports, tell=write_error)
    claim_outputs(
        {"--jsonl": asked.jsonl, "--html": asked.html},
        [*paths, *scoring_files(asked)],
    )
    scoring = scoring_options(asked)
    options = HistoryOptions(
        scoring=scoring,
        calibration=chosen_calibration(scoring.calibration),
        with_interval=not asked.no_interval,
        tests=asked.tests or (NO_TESTS if asked.no_interval else BY_ATTEMPTS),
        alpha=asked.alpha,
    )
    found = history_of(
        paths,
        options,
        workers=_workers(asked, len(paths)),
        merge=asked.merge,
        folder=folder_of(asked.reports),
        watch=with_progress,
    )
    _tell(found, len(paths))
    if asked.jsonl:
        write_whole(asked.jsonl, json_lines(found.shown.histories))
    if asked.html:
        from garak_tbsa.tbsa.outputs.history_page import to_page

        write_whole(asked.html, to_page(found.shown))
    return EXIT_DONE if found.shown.histories else EXIT_COULD_NOT


def _tell(found: ManyScored, reports: int) -> None:
    write_lines(text_lines(found.shown, width=terminal_width()))
    write_lines(found.merging)
    if found.unscored:
        write_line(f"{len(found.unscored)} of {reports} reports could not be scored")
    for line in found.shown.notes[len(found.merging) :]:
        write_error(line)


def _workers(asked: argparse.Namespace, reports: int) -> Workers:
    few = reports < WORTH_WORKERS or asked.jobs == 1
    return asked_workers(asked, otherwise=IN_PROCESS if few else LOKY)
