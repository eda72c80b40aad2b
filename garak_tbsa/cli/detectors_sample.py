# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors sample``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from garak_tbsa.cli import outputs, parsers
from garak_tbsa.detector_eval.labelled_row import detector_name
from garak_tbsa.detector_eval.sources import keep_standard_input
from garak_tbsa.errors import DatasetError, OutputError
from garak_tbsa.files import is_stream, write_whole
from garak_tbsa.garak_files.attempts import stated_settings
from garak_tbsa.garak_files.opening import STANDARD_INPUT
from garak_tbsa.labels import sample
from garak_tbsa.labels.label_files import read_label_file
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.sample import DrawnSample
from garak_tbsa.labels.scan import ScanOutputs, read_outputs
from garak_tbsa.terminal import write_lines

SCORE, DETECTORS = "score", "detectors"
COUNT = 150
SHEET = "to_label.csv"
STRATA_ENDING = ".cells.csv"
CONFIG_ENDING = ".config.xml"

EPILOG = (
    "Write hit, pass, skip or ? (unsure) into the empty `label` column. Then run"
    " `garak-tbsa audit REPORT --labels SHEET.csv`, or `garak-tbsa detectors evaluate"
    " --data REPORT --labels SHEET.csv`. Beside the sheet is a table of the strata"
    " (outputs of a probe and detector with the same verdict) from which it was drawn;"
    " do not show it to the raters. If a text starts with = + - or @, the sheet has an"
    " apostrophe before it, so that no spreadsheet runs it; reading the sheet removes"
    " it."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Draw outputs of a garak report to label, without the detectors' verdicts."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "report",
        metavar="REPORT",
        help=parsers.REPORT_HELP,
    )
    parser.add_argument(
        "--for",
        dest="purpose",
        choices=(SCORE, DETECTORS),
        help="score: those whose labels narrow the audited score's range most (the"
        " default); detectors: as many flagged as unflagged outputs of each detector,"
        " of whichever probes (the default with --detector)",
    )
    parser.add_argument(
        "--detector",
        metavar="X",
        help="only outputs of this detector, named as in the report (default: all)",
    )
    parser.add_argument(
        "-n",
        "--count",
        type=parsers.whole_number_from(1),
        default=COUNT,
        metavar="N",
        help="how many outputs to draw, beside those that are labelled already"
        f" (default: {COUNT})",
    )
    parsers.add_seed(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        help=f"where to write the sheet (default: {SHEET}, or no sheet with"
        " --label-studio)",
    )
    parser.add_argument(
        "--label-studio",
        metavar="FILE",
        help="write tasks for Label Studio, and its labelling configuration beside"
        " them",
    )
    parser.add_argument(
        "--labels",
        nargs="+",
        default=[],
        metavar="FILE",
        help="labels that you have: these outputs are not drawn again, and the labels"
        " decide where further outputs are drawn",
    )
    parsers.add_scoring_options(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    DatasetError
        The report has nothing to draw.
    NotScorableError
        The report has no score, which labels could be drawn for.
    ReportError
        The report cannot be read.
    UsageError
        An output would replace the report or another output.
    OutputError
        The sheet exists already, or cannot be written.
    """
    if options.purpose is None:
        options.purpose = SCORE if options.detector is None else DETECTORS
    # the one that says how to go on, and beside which the table of strata is
    main = options.output or options.label_studio or SHEET
    if options.label_studio is None:
        options.output = main
    table = None if is_stream(main) else _beside(main, STRATA_ENDING)
    config = _beside(options.label_studio, CONFIG_ENDING)
    places = {
        "--output": options.output,
        "--label-studio": options.label_studio,
        "--label-studio's configuration": config,
        "the table of strata": table,
    }
    outputs.claim_outputs(
        places, [options.report, *parsers.scoring_files(options), *options.labels]
    )
    for path in places.values():
        if path is not None and os.path.isfile(path) and not is_stream(path):
            raise OutputError(
                f"{path}: exists, and may hold labels; remove it, or choose another"
                " name"
            )
    is_piped = options.report == STANDARD_INPUT
    report = keep_standard_input() if is_piped else options.report
    drawn = _drawn(options, report)
    sampled = sample.read_sampled(report, drawn.questions)
    for path, content in (
        (options.label_studio, sample.label_studio_tasks(sampled)),
        (config, sample.LABEL_STUDIO_CONFIG),
        (table, sample.strata_table(drawn)),
        (options.output, sample.sheet(sampled)),
    ):
        if path is not None:
            write_whole(path, content)
    if not is_stream(main):
        write_lines(_next_steps(options, main, config, drawn))


def _beside(path: str | None, ending: str) -> str | None:
    return None if path is None else os.path.splitext(path)[0] + ending


def _drawn(options: argparse.Namespace, path: str) -> DrawnSample:
    """Draw outputs of a report.

    Raises
    ------
    DatasetError
        There is nothing to draw.
    """
    judged = read_outputs(path, stated_settings(path).eval_threshold)
    detector = None if options.detector is None else detector_name(options.detector)
    known = judged.detectors
    if not known or (detector is not None and detector not in known):
        raise DatasetError(f"{options.report}: {_why_nothing(judged, detector)}")
    files = [read_label_file(each) for each in dict.fromkeys(options.labels)]
    matched = match_labels(files, judged)
    outputs.tell_problems(matched.problems)
    graded = None
    if options.purpose == SCORE:
        graded = parsers.assess_with(path, options).graded
    drawn = sample.draw(
        judged,
        options.count,
        graded=graded,
        detector=detector,
        seed=options.seed,
        said=matched.said,
    )
    if not drawn.strata:
        raise DatasetError(
            f"{options.report}: no pair that counts in the score has all of its"
            " outputs in the report; draw with --for detectors"
        )
    if not drawn.questions:
        raise DatasetError(
            f"{options.report}: every output that could be drawn is labelled already"
        )
    return drawn


def _why_nothing(outputs: ScanOutputs, detector: str | None) -> str:
    """Say why no output was judged."""
    unscored = sum(name == detector for _, name in outputs.unscored)
    if unscored:
        return f"{detector} gave no score to any of its {unscored} outputs"
    known = ", ".join(sorted(outputs.detectors))
    scored = f"; the detectors with scores are {known}" if known else ""
    return f"no output was scored by {detector or 'a detector'}{scored}"


def _next_steps(
    options: argparse.Namespace, main: str, config: str | None, found: DrawnSample
) -> Iterator[str]:
    drawn = [count for _, _, count in found.sizes]
    available = sum(judged for _, judged, _ in found.sizes)
    fewer = " (the report has no more)" if sum(drawn) < options.count else ""
    yield (
        f"{sum(drawn)} of {available} outputs{fewer}, from"
        f" {sum(map(bool, drawn))} of {len(drawn)} strata: {main}"
    )
    if options.output is not None:
        yield "Fill the label column with hit, pass, skip or ?, then:"
    else:
        yield f"Import it with the labelling configuration {config}; then, with"
        yield "its JSON export for --labels:"
    labels = " ".join([*options.labels, main])
    if options.purpose == SCORE:
        yield f"  garak-tbsa audit {options.report} --labels {labels}"
    else:
        data = f"--data {options.report} --labels {labels}"
        yield f"  garak-tbsa detectors evaluate {data}"
