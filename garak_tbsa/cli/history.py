# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa history``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.parsers import (
    REPORTS_HELP,
    add_alpha,
    add_scoring_options,
    add_worker_options,
    chosen_workers,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE
from garak_tbsa.files import write_whole
from garak_tbsa.progress import with_progress
from garak_tbsa.tasks.finding import find_reports, folder_of
from garak_tbsa.tasks.history import HistoryOptions, history_of
from garak_tbsa.tasks.scoring import chosen_calibration, scoring_files, scoring_options
from garak_tbsa.tbsa.history import ManyScored
from garak_tbsa.tbsa.outputs.history import json_lines, not_scored_lines, text_lines
from garak_tbsa.tbsa.outputs.history_page import to_page
from garak_tbsa.terminal import terminal_width, write_error, write_line, write_lines
from garak_tbsa.workers.backends import IN_PROCESS, LOKY, Workers

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
        help="read the digests alone: neither compute what repeats would score nor test"
        " changes; for folders of many thousand reports",
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
    options = build_parser().parse_args(argv)
    paths = find_reports(options.reports, tell=write_error, must_exist=True)
    claim_outputs(
        {"--jsonl": options.jsonl, "--html": options.html},
        [*paths, *scoring_files(options)],
    )
    scoring = scoring_options(options)
    history_options = HistoryOptions(
        scoring=scoring,
        calibration=chosen_calibration(scoring.calibration),
        with_interval=not options.no_interval,
        alpha=options.alpha,
    )
    found = history_of(
        paths,
        history_options,
        workers=_workers(options, len(paths)),
        merge=options.merge,
        folder=folder_of(options.reports),
        watch=with_progress,
    )
    _tell(found)
    if options.jsonl:
        write_whole(options.jsonl, json_lines(found.targets))
    if options.html:
        write_whole(options.html, to_page(found))
    return EXIT_DONE if found.targets else EXIT_COULD_NOT


def _tell(found: ManyScored) -> None:
    write_lines(text_lines(found, width=terminal_width()))
    write_lines(found.merging)
    if found.not_scored:
        told = f"{len(found.not_scored)} of {found.reports} reports"
        write_line(f"{told} could not be scored")
    for line in not_scored_lines(found):
        write_error(line)


def _workers(options: argparse.Namespace, reports: int) -> Workers:
    few = reports < WORTH_WORKERS or options.jobs == 1
    return chosen_workers(options, otherwise=IN_PROCESS if few else LOKY)
