# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors sample``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence

from garak_tbsa.cli.outputs import claim_outputs, tell_problems
from garak_tbsa.cli.parsers import (
    REPORT_HELP,
    add_reading_options,
    add_seed,
    assess_with,
    scoring_files,
    whole_number_from,
)
from garak_tbsa.detector_eval.labelled_row import detector_name
from garak_tbsa.detector_eval.sources import keep_standard_input
from garak_tbsa.errors import DatasetError, OutputError
from garak_tbsa.files import is_stream, write_whole
from garak_tbsa.garak_files.attempts import stated_settings
from garak_tbsa.garak_files.source import STANDARD_INPUT, ReadLimits
from garak_tbsa.labels.label_files import LabelReading, read_label_file
from garak_tbsa.labels.matching import Judged, match_labels
from garak_tbsa.labels.outputs import ScanOutputs, read_outputs
from garak_tbsa.labels.sample import (
    DrawnSample,
    SampledOutput,
    draw_for_detectors,
    draw_for_score,
    sampled_outputs,
)
from garak_tbsa.labels.sheets import (
    LABEL_STUDIO_CONFIG,
    label_studio_tasks,
    sheet,
    strata_table,
)
from garak_tbsa.labels.strata import Said
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
        help=REPORT_HELP,
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
        type=whole_number_from(1),
        default=COUNT,
        metavar="N",
        help="how many outputs to draw, beside those that are labelled already"
        f" (default: {COUNT})",
    )
    add_seed(parser)
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
    add_reading_options(parser)


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
    places = {
        "--output": options.output,
        "--label-studio": options.label_studio,
        "--label-studio's configuration": _beside(options.label_studio, CONFIG_ENDING),
        "the table of strata": None
        if is_stream(main)
        else _beside(main, STRATA_ENDING),
    }
    claim_outputs(places, [options.report, *scoring_files(options), *options.labels])
    for path in places.values():
        if path is not None and os.path.isfile(path) and not is_stream(path):
            raise OutputError(
                f"{path}: exists, and may hold labels; remove it, or choose another"
                " name"
            )
    is_piped = options.report == STANDARD_INPUT
    report = keep_standard_input() if is_piped else options.report
    sample, sampled = _drawn(options, report)
    contents = {
        "--label-studio": label_studio_tasks,
        "--label-studio's configuration": lambda _: LABEL_STUDIO_CONFIG,
        "the table of strata": lambda _: strata_table(sample.strata),
        "--output": sheet,
    }
    for option, made in contents.items():
        path = places[option]
        if path is not None:
            write_whole(path, made(sampled))
    if not is_stream(main):
        write_lines(_next_steps(options, sample, len(sampled), main))


def _beside(path: str | None, ending: str) -> str | None:
    return None if path is None else os.path.splitext(path)[0] + ending


def _drawn(
    options: argparse.Namespace, path: str
) -> tuple[DrawnSample, tuple[SampledOutput, ...]]:
    limits = ReadLimits(decoded=options.max_decoded_size, line=options.max_line_size)
    threshold = stated_settings(path, limits).eval_threshold
    outputs = read_outputs(path, threshold, limits)
    detector = None if options.detector is None else detector_name(options.detector)
    _check_any(options.report, outputs, detector)
    said = _labelled_already(options.labels, outputs)
    if options.purpose == DETECTORS:
        sample = draw_for_detectors(
            outputs, options.count, detector=detector, seed=options.seed, known=said
        )
    else:
        sample = draw_for_score(
            assess_with(path, options).graded,
            outputs,
            options.count,
            detector=detector,
            seed=options.seed,
            said=said,
        )
        if not sample.questions:
            raise DatasetError(
                f"{options.report}: no pair that counts in the score has all of its"
                " outputs in the report; draw with --for detectors"
            )
    return sample, sampled_outputs(path, sample.questions, limits)


def _labelled_already(
    labels: Sequence[str], outputs: ScanOutputs
) -> Mapping[Judged, Said]:
    if not labels:
        return {}
    files = [read_label_file(path, LabelReading()) for path in dict.fromkeys(labels)]
    matched = match_labels(files, outputs)
    tell_problems(matched.problems)
    return matched.said


def _check_any(report: str, outputs: ScanOutputs, detector: str | None) -> None:
    """Tell a detector that judged nothing.

    Raises
    ------
    DatasetError
        It did, or none did.
    """
    known = sorted({pair.detector for pair in outputs.pairs.values()})
    if known and detector in (None, *known):
        return
    unscored = sum(name == detector for _, name in outputs.unscored)
    if unscored:
        raise DatasetError(
            f"{report}: {detector} gave no score to any of its {unscored} outputs"
        )
    by = detector or "a detector"
    scored = f"; the detectors with scores are {', '.join(known)}" if known else ""
    raise DatasetError(f"{report}: no output was scored by {by}{scored}")


def _next_steps(
    options: argparse.Namespace, sample: DrawnSample, drawn: int, main: str
) -> Iterator[str]:
    fewer = " (the report has no more)" if drawn < options.count else ""
    strata = sum(stratum.drawn > 0 for stratum in sample.strata)
    yield (
        f"{drawn} of {sample.available} outputs{fewer}, from {strata} of"
        f" {len(sample.strata)} strata: {main}"
    )
    if options.output is not None:
        yield "Fill the label column with hit, pass, skip or ?, then:"
    else:
        config = _beside(options.label_studio, CONFIG_ENDING)
        yield f"Import it with the labelling configuration {config}; then, with"
        yield "its JSON export for --labels:"
    labels = " ".join([*options.labels, main])
    if options.purpose == SCORE:
        yield f"  garak-tbsa audit {options.report} --labels {labels}"
    else:
        data = f"--data {options.report} --labels {labels}"
        yield f"  garak-tbsa detectors evaluate {data}"
