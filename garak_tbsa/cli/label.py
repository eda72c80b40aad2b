# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label``: judge some outputs of a scan yourself, on a page or a sheet."""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import socket
import sys
import webbrowser
from collections.abc import Iterator

from garak_tbsa import progress
from garak_tbsa.api.arguments import scoring_of
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.detector_eval.rows import detector_name
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.files import is_stream, require_distinct, write_whole
from garak_tbsa.labels import label_page, label_sheet, questions
from garak_tbsa.labels.audit import number_of, summary
from garak_tbsa.labels.label_log import LabelLog
from garak_tbsa.labels.label_server import HOST, Labelling, LabelServer
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import ScanOutputs, read_outputs
from garak_tbsa.report.attempts import stated_settings
from garak_tbsa.report.places import labels_path
from garak_tbsa.report.settings import bare_name
from garak_tbsa.terminal import flush, write_error, write_line, write_lines

SCORE, DETECTORS = "score", "detectors"
OUTPUTS_OF_SHEET = 150
"""Worth an hour or two; they bring the error of the score under 0.2."""

PAGE_SEED, SHEET_SEED = 1, 42

EPILOG = (
    "A page in your browser shows one output at a time, with its prompt, the probe's"
    " goal and the rule by which the detector's test data was labelled, but never the"
    " detector's verdict. Only this machine can open the page, and it loads nothing"
    " from elsewhere. Each answer is on disk before the next output is shown. Ctrl-C"
    " ends; the same command continues where you stopped. Then run: garak-tbsa audit"
    " REPORT. With --sheet there is no page: write hit, pass, skip or ? (unsure) into"
    " the empty `label` column of the file. Then run: garak-tbsa audit REPORT --labels"
    " FILE, or garak-tbsa detectors evaluate --data REPORT --labels FILE. Where a"
    " text has = + - or @ at its start or behind a delimiter, the sheet has an"
    " apostrophe before it, so that no spreadsheet runs it; reading the sheet removes"
    " it."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Judge some outputs of a scan yourself: those that tell most about the score."
    )
    parser.epilog = EPILOG
    parser.add_argument("report", metavar="REPORT", help=parsers.REPORT_FILE)
    parser.add_argument(
        "-n",
        "--count",
        type=parsers.number(int, 1),
        metavar="N",
        help="end when this rater has labelled N outputs of the report, earlier ones"
        " included; with --sheet: number of its outputs (default:"
        f" {OUTPUTS_OF_SHEET})",
    )
    parser.add_argument(
        "--detector", metavar="X", help="only outputs of this detector, such as dan.DAN"
    )
    parser.add_argument("--probe", metavar="X", help="only outputs of this probe")
    page = parser.add_argument_group("page")
    page.add_argument(
        "--labels",
        metavar="FILE",
        help="where answers are appended (default: <prefix>.labels.jsonl beside the"
        " report)",
    )
    page.add_argument(
        "--rater",
        metavar="NAME",
        help="who labels (default: the name of your account); raters do not see each"
        " other's answers",
    )
    page.add_argument(
        "--disputed",
        action="store_true",
        help="only outputs about which the answers so far differ, for a further rater",
    )
    sheet = parser.add_argument_group("sheet")
    sheet.add_argument(
        "--sheet",
        metavar="FILE",
        help="write outputs to label into a CSV file, for people with a spreadsheet",
    )
    sheet.add_argument(
        "--for",
        dest="purpose",
        choices=(SCORE, DETECTORS),
        help="score: those whose labels narrow the audited score's range most (the"
        " default); detectors: as many flagged as unflagged outputs of each detector,"
        " of whichever probes (the default with --detector)",
    )
    sheet.add_argument(
        "--seed",
        type=parsers.number(int, 0),
        metavar="N",
        help=f"seed of the random draw (default {SHEET_SEED})",
    )
    parsers.add_options_of(parser, scoring_of)


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    UsageError
        Options that do not go together; the sheet would replace a file.
    DatasetError
        Nothing of the report can be labelled, or the labels cannot be read.
    OutputError
        The sheet or the file of labels cannot be written.
    ReportError, NotScorableError
        As for ``score``.
    """
    report = options.report
    if is_stream(report):
        raise UsageError(f"{report}: is read several times; give a report's path")
    _require_one_way(options)
    if options.sheet is None:
        _serve(report, options)
    else:
        _write_sheet(report, options)


def _require_one_way(options: argparse.Namespace) -> None:
    """Refuse options of the page with a sheet, and of the sheet without one."""
    if options.sheet is None:
        others = {"--for": options.purpose, "--seed": options.seed}
        advice = "is for a sheet; give --sheet FILE too, or leave it out"
    else:
        others = {"--labels": options.labels, "--rater": options.rater}
        others |= {"--disputed": options.disputed or None}
        advice = f"is for the page, not for --sheet {options.sheet}; leave it out"
    for option, value in others.items():
        if value is not None:
            raise UsageError(f"{option}: {advice}")


def _write_sheet(report: str, options: argparse.Namespace) -> None:
    """Write the sheet, and say what to do with it."""
    path = options.sheet
    if is_stream(path):
        raise UsageError(f"--sheet {path}: is no file; give the path of one to fill in")
    inputs = [report, *parsers.scoring_files(options)]
    outputs.claim_outputs({"--sheet": path}, inputs)
    if os.path.lexists(path) and (os.path.isdir(path) or os.path.getsize(path)):
        raise UsageError(
            f"--sheet {path}: exists, and may hold labels; remove it, or choose another"
            " name"
        )
    count = options.count or OUTPUTS_OF_SHEET
    seed = SHEET_SEED if options.seed is None else options.seed
    purpose = options.purpose or (SCORE if options.detector is None else DETECTORS)
    if purpose == SCORE:
        _, task = _read(report, options, seed)
        drawn = task.at_once(count)
        reader = ["audit", report]
    else:
        drawn = _drawn_for_detectors(report, options, count, seed)
        reader = ["detectors", "evaluate", "--data", report]
    write_whole(path, label_sheet.sheet(report, drawn))
    write_line(
        f"{path}: {number_of(len(drawn), 'output')} to label; fill its label column"
        " with hit, pass, skip or ?, then"
    )
    write_line(f"   {shlex.join(['garak-tbsa', *reader, '--labels', path])}")
    if options.count and len(drawn) < count:
        write_error(f"{path}: the report has no more outputs to label")


def _drawn_for_detectors(
    report: str, options: argparse.Namespace, count: int, seed: int
) -> list[questions.Question]:
    """Draw outputs of a report, which need not have a score.

    Raises
    ------
    DatasetError
        There is nothing to draw.
    """
    judged = _judged(report, stated_settings(report).eval_threshold)
    only = _only(options)
    drawn = label_sheet.evenly_drawn(judged, count, seed=seed, **only)
    if drawn:
        return drawn
    of_probe = f" of {only['probe']}" if only["probe"] else ""
    name = "probe" if only["probe"] and not only["detector"] else "detector"
    known = ", ".join(sorted({getattr(key, name) for key in judged.strata}))
    scored = f"; the {name}s with scores are {known}" if known else ""
    raise DatasetError(
        f"{report}: no output{of_probe} was scored by"
        f" {only['detector'] or 'a detector'}{scored}"
    )


def _judged(report: str, threshold: float) -> ScanOutputs:
    """Read the outputs, and say which verdicts are of none of them."""
    judged = read_outputs(report, threshold)
    for text in judged.unattributed_texts:
        write_error(f"{report}: {text}, and are not asked about")
    return judged


def _only(options: argparse.Namespace) -> dict[str, str | None]:
    """Return the detector and the probe of which alone outputs are wanted."""
    return {
        "detector": options.detector and detector_name(options.detector),
        "probe": options.probe and bare_name(options.probe),
    }


def _read(
    report: str, options: argparse.Namespace, seed: int
) -> tuple[ScanOutputs, questions.LabellingTask]:
    """Read a report, and put its outputs into the order in which they are labelled.

    Raises
    ------
    DatasetError
        No output of it can be labelled.
    """
    assessment = parsers.assess_with(report, options)
    threshold = assessment.report.settings.eval_threshold
    judged = _judged(report, threshold)
    only = _only(options)
    task = questions.labelling_task(assessment.graded, judged, seed=seed, **only)
    if not task.outputs:
        raise DatasetError(f"{report}: {questions.why_nothing(task, **only)}")
    return judged, task


def _serve(report: str, options: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C."""
    path = options.labels or _log_beside(report)
    if options.labels is not None:
        # appended to, so that it may be the file beside the report
        require_distinct({"--labels": path}, [report, *parsers.scoring_files(options)])
    with LabelLog(path) as log:
        judged, task = _read(report, options, PAGE_SEED)
        matched = match_labels([log.before], judged)
        outputs.tell_problems(matched.problems)
        if options.disputed:
            task = task.of(matched.disputed)
        if not task.outputs:
            raise DatasetError(f"{path}: answers differ about none of its outputs")
        left_out = len(task.scan.not_audited)
        if left_out:
            pairs = "1 pair is" if left_out == 1 else f"{left_out} pairs are"
            write_line(f"{report}: {pairs} left out; audit says why")
        session = questions.Session(task, log.before.labels, most=options.count)
        command = shlex.join(("garak-tbsa", "audit", report, "--labels", path))
        labelling = Labelling(session, label_page.Texts(report), log.append, command)
        effort = label_page.effort_text(
            judged.lengths.values(), options.count or label_page.USUAL_LABELS
        )
        page = os.path.basename(report), options.rater or _account(), effort
        with LabelServer(labelling, page, write_error) as server:
            log.tell(server.address)
            progress.stop()
            try:
                write_line(f"Label {page[0]} on this page; Ctrl-C ends")
                write_line(f"   {server.address}")
                write_line(f"   {effort}")
                if _has_display():
                    webbrowser.open(server.invite())
                else:
                    write_lines(_forwarding(server.server_port))
                flush()
                server.serve_forever()
            except KeyboardInterrupt:
                write_line("")
    write_line(f"{path}: {summary(session.scan)}")
    if session.scan.labels:
        write_line(f"   {command}")


def _log_beside(report: str) -> str:
    if "://" in report:
        raise UsageError(
            f"{report}: labels are kept beside a report, and this one is elsewhere;"
            " give them a file with --labels"
        )
    return labels_path(report)


def _forwarding(port: int) -> Iterator[str]:
    """Say how the page is reached from another machine."""
    yield "This machine has no display. Forward the port from one that has, and"
    yield "open the address there:"
    yield f"   ssh -N -L {port}:{HOST}:{port} {_account()}@{socket.gethostname()}"


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
