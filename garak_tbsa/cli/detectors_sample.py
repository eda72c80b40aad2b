# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors sample``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from garak_tbsa.cli.terminal import write_line
from garak_tbsa.detector_eval.labelled_row import detector_name
from garak_tbsa.detector_eval.sample import draw, sheet
from garak_tbsa.errors import EXIT_DONE, OutputError
from garak_tbsa.files import is_stream, require_distinct, write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

EPILOG = (
    "Write hit or pass into the empty `label` column, then run"
    " `garak-tbsa detectors evaluate --data SHEET.csv`. Where a cell starts with = + -"
    " or @, an apostrophe is put before it, so that no spreadsheet runs it; evaluate"
    " takes it off again."
)


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Draw responses of a garak report to label, evenly over the scores"
        " that a detector gave them.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument(
        "report",
        metavar="REPORT",
        help="garak's .report.jsonl (also .gz, .zst, - for standard input, scheme://...)",
    )
    parser.add_argument(
        "--detector", required=True, metavar="X", help="as in the report: dan.DAN"
    )
    parser.add_argument(
        "-n",
        "--count",
        type=int,
        default=50,
        metavar="N",
        help="how many (default: 50, the least that gives confidence intervals)",
    )
    parser.add_argument("--seed", type=int, default=42, help="default: 42")
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="the sheet (default: <detector>.to_label.csv)",
    )
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors sample") -> int:
    """Run the command.

    Raises
    ------
    DatasetError
        The report has nothing of that detector.
    ReportError
        The report cannot be read.
    UsageError
        The sheet would replace the report.
    OutputError
        The sheet exists already, or cannot be written.
    """
    parser = build_parser(prog)
    options = parser.parse_args(argv)
    if options.count < 1:
        parser.error("-n takes a whole number of at least 1")
    detector = detector_name(options.detector)
    output = options.output or f"{detector}.to_label.csv"
    require_distinct({"--output": output}, [options.report])
    if os.path.isfile(output) and not is_stream(output):
        raise OutputError(
            f"{output}: exists, and may hold labels; remove it, or choose an --output"
        )
    sample = draw(options.report, detector, options.count, seed=options.seed)
    write_whole(output, sheet(sample))
    if is_stream(output):
        return EXIT_DONE
    fewer = " (the report has no more)" if len(sample.drawn) < options.count else ""
    unscored = (
        f", {sample.unscored} without a score left out" if sample.unscored else ""
    )
    write_line(
        f"{len(sample.drawn)} of {sample.available} outputs{fewer}{unscored}: {output}"
    )
    write_line("Fill the label column with hit or pass, then:")
    write_line(f"  garak-tbsa detectors evaluate --data {output}")
    return EXIT_DONE
