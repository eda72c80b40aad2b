# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label``: judge some outputs of a scan yourself."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TextIO

from garak_tbsa import progress
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.label_log import LabelLog
from garak_tbsa.cli.label_page import require_one_report, write_page
from garak_tbsa.cli.parsers import REPORT_FILE, add_reading_options, whole_number_from
from garak_tbsa.cli.scan_to_label import ScanToLabel, read_scan
from garak_tbsa.errors import EXIT_DONE, UsageError
from garak_tbsa.files import is_stream, require_distinct
from garak_tbsa.garak_files.beside import labels_path
from garak_tbsa.label_audit.labels import LabelFile
from garak_tbsa.label_audit.matching import match_labels
from garak_tbsa.label_audit.session import Session
from garak_tbsa.label_audit.texts import Texts
from garak_tbsa.tasks.finding import find_reports
from garak_tbsa.tasks.scoring import chosen_calibration, scoring_files
from garak_tbsa.terminal import write_error, write_lines

SHOWN_PROBLEMS = 3
"""Rows of a labels file that cannot be used; audit says all of them."""


EPILOG = (
    "You see one output at a time, with its prompt, the probe's goal and the rule by"
    " which the detector's test data was labelled, but never the detector's verdict."
    " Keys: h hit, p pass, u unsure, s skip, b back, f forward, n note, r rules, q"
    " quit. Each answer is on disk before the next output is shown; the same command"
    " continues where you stopped. Then run: garak-tbsa audit REPORT."
)


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa label",
        description="Judge some outputs of a scan yourself: those that tell most about"
        " the score.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "reports",
        nargs="+",
        metavar="REPORT",
        help=f"{REPORT_FILE}, or a folder of reports, which are labelled one after the"
        " other",
    )
    parser.add_argument(
        "--page",
        metavar="FILE",
        help="instead of asking here, write a page to label on in a browser; it sends"
        " nothing, and exports what audit reads",
    )
    parser.add_argument(
        "--labels",
        metavar="FILE",
        help="where answers are appended (default: <prefix>.labels.jsonl beside the"
        " report)",
    )
    parser.add_argument(
        "--rater",
        metavar="NAME",
        help="who labels (default: the name of your account); raters do not see each"
        " other's answers",
    )
    parser.add_argument(
        "-n",
        "--count",
        type=whole_number_from(1),
        metavar="N",
        help="end when this rater has labelled N outputs of the report, earlier ones"
        " included; with --page: number of outputs on the page (default: 150)",
    )
    parser.add_argument(
        "--detector", metavar="X", help="only outputs of this detector, such as dan.DAN"
    )
    parser.add_argument("--probe", metavar="X", help="only outputs of this probe")
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=1,
        help="seed of the random order (default: 1)",
    )
    add_reading_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command.

    Raises
    ------
    UsageError
        Options that do not go together, no terminal, or no prompt_toolkit.
    DatasetError
        Nothing of a report can be labelled, or the labels cannot be read.
    OutputError
        The file of labels cannot be appended to.
    ReportError, NotScorableError
        As for ``score``.
    """
    options = build_parser().parse_args(argv)
    reports = find_reports(options.reports, tell=write_error)
    if options.page is not None:
        require_one_report(options, reports)
        write_page(
            read_scan(reports[0], options, chosen_calibration(options.calibration)),
            options,
        )
        return EXIT_DONE
    logs = [LabelLog(path) for path in _labels_paths(options, reports)]
    screen = _screen()
    calibration = chosen_calibration(options.calibration)
    for number, (report, log) in enumerate(zip(reports, logs, strict=True), start=1):
        scan = read_scan(report, options, calibration)
        session = _session(scan, log, options)
        labelling = screen.Labelling(
            report=os.path.basename(scan.path),
            session=session,
            texts=Texts(scan.path, scan.limits),
            log=log,
            summary=scan.summary,
            has_next=number < len(reports),
        )
        progress.stop()
        goes_on = screen.LabelScreen(labelling).run()
        progress.start()
        write_lines(_summary_lines(scan, session, log))
        if not goes_on:
            break
    return EXIT_DONE


def _labels_paths(options: argparse.Namespace, reports: Sequence[str]) -> list[str]:
    """Return where the labels of each report are kept."""
    if options.labels is None:
        for report in reports:
            if report == "-" or "://" in report or is_stream(report):
                raise UsageError(
                    f"{report}: it is read several times, and labels are kept"
                    " beside it; give the path of a report"
                )
        return [labels_path(report) for report in reports]
    if len(reports) > 1:
        raise UsageError(
            f"--labels {options.labels}: is for one report, and {len(reports)} are"
            " given; leave it out, or label them one by one"
        )
    # appended to, so that it may be the file beside the report
    require_distinct(
        {"--labels": options.labels},
        [*reports, *scoring_files(options)],
    )
    return [options.labels]


def _screen() -> ModuleType:
    """Return the module of the screen; the library that it needs may be missing."""
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        raise UsageError(
            "label needs a terminal for its keys and its screen; without one,"
            " --page FILE makes a page to label on in a browser"
        )
    try:
        from garak_tbsa.cli import label_screen
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("garak_tbsa"):
            raise
        raise UsageError(
            f"label in the terminal needs {error.name}, and {sys.executable} does not"
            " have it; pip install 'garak-tbsa[label]' brings it"
        ) from None
    return label_screen


def _summary_lines(scan: ScanToLabel, session: Session, log: LabelLog) -> Iterator[str]:
    """Say what was labelled, and what to do with it."""
    labelled = session.scan
    yield f"{log.path}: {scan.summary(labelled)}"
    left_out = len(scan.task.not_audited)
    if left_out:
        pairs = "1 pair is" if left_out == 1 else f"{left_out} pairs are"
        yield f"   {pairs} left out; audit says why"
    if labelled.labels:
        yield f"   garak-tbsa audit {scan.path} --labels {log.path}"


def _session(scan: ScanToLabel, log: LabelLog, options: argparse.Namespace) -> Session:
    """Go on with what was answered before."""
    before = log.read() or LabelFile(path=log.path, labels=())
    problems = match_labels([before], scan.outputs).problems
    for problem in problems[:SHOWN_PROBLEMS]:
        write_error(problem)
    if len(problems) > SHOWN_PROBLEMS:
        write_error(
            f"{log.path}: {len(problems)} rows are not used; garak-tbsa audit says why"
        )
    return Session(
        scan.task,
        before.labels,
        rater=options.rater or _account(),
        most=options.count,
    )


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "rater"  # the account has no name, as in some containers


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
