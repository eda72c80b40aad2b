# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa explain``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.parsers import (
    REPORT_HELP,
    add_evidence_options,
    add_scoring_options,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.errors import EXIT_DONE
from garak_tbsa.files import write_whole
from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tasks.evidence import evidence_of
from garak_tbsa.tasks.scoring import (
    assess_path,
    chosen_calibration,
    scoring_files,
    scoring_options,
)
from garak_tbsa.tbsa.outputs import evidence_text, json_document
from garak_tbsa.tbsa.outputs import explanation as output
from garak_tbsa.tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.terminal import write_lines

SHOWN, SHOWN_WITH_HITS = 10, 3


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa explain",
        description="Say which pairs lower a report's score, and what to fix first.",
    )
    parser.add_argument("report", metavar="REPORT", help=REPORT_HELP)
    parser.add_argument(
        "--all",
        action="store_true",
        help=f"name every pair, not only {SHOWN}, and show hits of all, not only of the"
        f" {SHOWN_WITH_HITS} worst",
    )
    parser.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the result as JSON"
    )
    add_evidence_options(parser, None)
    add_scoring_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command."""
    options = build_parser().parse_args(argv)
    claim_outputs(
        {"-j": options.json_output},
        [options.report, options.metrics, *scoring_files(options)],
    )
    scoring = scoring_options(options)
    calibration = chosen_calibration(scoring.calibration)
    assessment = assess_path(options.report, scoring, calibration)
    scored = ScoredReport(
        assessment=assessment,
        repeat=NOT_ASKED_FOR,
        verdict=None,
        evidence=evidence_of(
            assessment,
            hits=options.hits,
            seed=options.hits_seed,
            metrics=options.metrics,
        ),
    )
    write_lines(output.lines(scored, most=None if options.all else SHOWN))
    if options.hits is not None:
        most = None if options.all else SHOWN_WITH_HITS
        write_lines(evidence_text.lines(scored, most=most))
    if options.json_output:
        bare = replace(scored, evidence=NOT_ASKED_FOR)
        known = replace(bare, repeat=repeat_of_scan(assessment))
        write_whole(options.json_output, json_document.render(known))
    return EXIT_DONE
