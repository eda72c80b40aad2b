# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label``: judge some outputs of a scan yourself, on a page."""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import socket
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from functools import partial

from garak_tbsa import progress
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.detector_eval.labelled_row import detector_name
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.files import STANDARD_OUTPUT, is_stream, require_distinct, write_whole
from garak_tbsa.garak_files.measurement import bare_probe
from garak_tbsa.garak_files.places import find_reports, labels_path
from garak_tbsa.garak_files.report import Report
from garak_tbsa.labels import label_page, questions
from garak_tbsa.labels.audit import summary
from garak_tbsa.labels.label_log import append_to_log, read_log
from garak_tbsa.labels.label_server import LabelServer, ReportToLabel
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import ScanOutputs, read_outputs
from garak_tbsa.terminal import flush, write_error, write_line, write_lines

OUTPUTS_OF_PAGE = 150
"""Worth an hour or two; they bring the error of the score under 0.2."""

EPILOG = (
    "A page in your browser shows one output at a time, with its prompt, the probe's"
    " goal and the rule by which the detector's test data was labelled, but never the"
    " detector's verdict. Only this machine can open the page, and it loads nothing"
    " from elsewhere. Each answer is on disk before the next output is shown. Ctrl-C"
    " ends; the same command continues where you stopped. Then run: garak-tbsa audit"
    " REPORT."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Judge some outputs of a scan yourself: those that tell most about the score."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "reports",
        nargs="+",
        metavar="REPORT",
        help=f"{parsers.REPORT_FILE}, or a folder of reports, which are labelled one"
        " after the other",
    )
    parser.add_argument(
        "--page",
        metavar="FILE",
        help="write the page into a file, for people who get it by mail; it sends"
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
        type=parsers.whole_number_from(1),
        metavar="N",
        help="end when this rater has given N labels of the report, earlier ones and"
        " second looks included; with --page: number of outputs on the page (default:"
        " 150)",
    )
    parser.add_argument(
        "--disputed",
        action="store_true",
        help="only outputs about which the answers so far differ, for a further rater",
    )
    parser.add_argument(
        "--detector", metavar="X", help="only outputs of this detector, such as dan.DAN"
    )
    parser.add_argument("--probe", metavar="X", help="only outputs of this probe")
    parsers.add_seed(parser, 1, of="random order")
    parsers.add_scoring_options(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    UsageError
        Options that do not go together.
    DatasetError
        Nothing of a report can be labelled, or the labels cannot be read.
    OutputError
        The page or the file of labels cannot be written.
    ReportError, NotScorableError
        As for ``score``.
    """
    reports = find_reports(options.reports, tell=write_error)
    for report in reports:
        if report == STANDARD_OUTPUT or is_stream(report):
            raise UsageError(f"{report}: is read several times; give a report's path")
    for option in ("page", "labels"):
        path = getattr(options, option)
        if path is not None and len(reports) > 1:
            raise UsageError(
                f"--{option} {path}: is for one report, and {len(reports)} are given;"
                " take them one by one"
            )
    if options.page is not None:
        _write_page(reports[0], options)
    else:
        _serve(reports, options)


def _write_page(report: str, options: argparse.Namespace) -> None:
    """Write the page, and say what to do with it."""
    if options.labels is not None or options.disputed:
        given = "--disputed" if options.disputed else f"--labels {options.labels}"
        raise UsageError(
            f"{given}: is not for --page, which keeps answers in the browser, where"
            " earlier ones can be imported"
        )
    inputs = [report, *parsers.scoring_files(options)]
    outputs.claim_outputs({"--page": options.page}, inputs)
    read, _, task = _read(report, options)
    questions = task.at_once({}, options.count or OUTPUTS_OF_PAGE)
    texts = label_page.Texts(report)
    page = label_page.page_text(
        report, read.run_uuid, task, questions, texts, options.rater or ""
    )
    write_whole(options.page, page)
    if is_stream(options.page):
        return
    count = "1 output" if len(questions) == 1 else f"{len(questions)} outputs"
    write_line(f"{options.page}: {count} to label; open it in a browser, then")
    write_line(f"   garak-tbsa audit {report} --labels EXPORTED-FILE")
    if options.count and len(questions) < options.count:
        write_error(f"{options.page}: the report has no more outputs to label")


def _read(
    report: str, options: argparse.Namespace
) -> tuple[Report, ScanOutputs, questions.LabellingTask]:
    """Read a report, and put its outputs into the order in which they are labelled.

    Raises
    ------
    DatasetError
        No output of it can be labelled.
    """
    assessment = parsers.assess_with(report, options)
    read = assessment.report
    judged = read_outputs(report, read.settings.eval_threshold)
    only = {
        "detector": options.detector and detector_name(options.detector),
        "probe": options.probe and bare_probe(options.probe),
    }
    task = questions.labelling_task(
        assessment.graded, judged, seed=options.seed, **only
    )
    if not task.outputs:
        raise DatasetError(f"{report}: {questions.why_nothing(task, **only)}")
    return read, judged, task


def _serve(reports: Sequence[str], options: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C."""
    logs = [options.labels or _log_beside(report) for report in reports]
    if options.labels is not None:
        # appended to, so that it may be the file beside the report
        inputs = [*reports, *parsers.scoring_files(options)]
        require_distinct({"--labels": options.labels}, inputs)

    def opened(number: int) -> ReportToLabel:
        path, log = reports[number], logs[number]
        _, judged, task = _read(path, options)
        before = read_log(log)
        matched = match_labels([before], judged)
        outputs.tell_problems(matched.problems)
        if options.disputed:
            task = task.of(matched.disputed)
        if not task.outputs:
            raise DatasetError(f"{log}: answers differ about none of its outputs")
        left_out = len(task.scan.not_audited)
        if left_out:
            pairs = "1 pair is" if left_out == 1 else f"{left_out} pairs are"
            write_line(f"{path}: {pairs} left out; audit says why")
        return ReportToLabel(
            name=os.path.basename(path),
            session=questions.Session(task, before.labels, most=options.count),
            texts=label_page.Texts(path),
            append=partial(append_to_log, log),
            command=shlex.join(("garak-tbsa", "audit", path, "--labels", log)),
            effort=label_page.effort_text(
                judged.lengths.values(), options.count or label_page.USUAL_LABELS
            ),
        )

    rater = options.rater or _account()
    with LabelServer(len(reports), opened, rater, write_error) as server:
        first = server.report(0)  # what is wrong with it ends the command
        progress.stop()
        try:
            write_lines(_opening(server, first))
            flush()
            if _has_display():
                webbrowser.open(server.invitation())
            server.serve_forever()
        except KeyboardInterrupt:
            write_line("")
    for number, report in sorted(server.reports.items()):
        labelled = report.session.scan
        write_line(f"{logs[number]}: {summary(labelled)}")
        if labelled.labels:
            write_line(f"   {report.command}")


def _log_beside(report: str) -> str:
    if "://" in report:
        raise UsageError(
            f"{report}: labels are kept beside a report, and this one is elsewhere;"
            " give them a file with --labels"
        )
    return labels_path(report)


def _opening(server: LabelServer, first: ReportToLabel) -> Iterator[str]:
    """Say where the page is, and how it is reached from another machine."""
    yield f"Label {first.name} on this page; Ctrl-C ends"
    yield f"   {server.address}"
    yield f"   {first.effort}"
    if not _has_display():
        port, here = server.server_port, f"{_account()}@{socket.gethostname()}"
        yield "This machine has no display. Forward the port from one that has, and"
        yield "open the address there:"
        yield f"   ssh -N -L {port}:127.0.0.1:{port} {here}"


def _has_display() -> bool:
    """Whether a browser that is opened here is seen by who is at the terminal."""
    if "SSH_CONNECTION" in os.environ:
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "rater"  # the account has no name, as in some containers
