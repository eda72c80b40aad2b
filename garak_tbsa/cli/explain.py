# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa explain``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from garak_tbsa.api.score import evidence_of
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.parsers import (
    REPORT_HELP,
    add_evidence_options,
    add_scoring_options,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.cli.scoring_arguments import assess_with, scoring_files
from garak_tbsa.errors import EXIT_DONE
from garak_tbsa.files import write_whole
from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.tbsa.outputs import evidence_text, json_document
from garak_tbsa.tbsa.outputs import explanation as output
from garak_tbsa.tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.terminal import write_lines

SHOWN = 10


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa explain",
        description="Say which pairs lower a report's score, and what to fix first.",
    )
    parser.add_argument("report", metavar="REPORT", help=REPORT_HELP)
    parser.add_argument(
        "--all", action="store_true", help=f"list every pair, not only {SHOWN}"
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
    assessment = assess_with(options.report, options)
    explanation = explain(assessment)
    most = None if options.all else SHOWN
    write_lines(output.lines(assessment, explanation, most=most))
    scored = ScoredReport(assessment=assessment, repeat=NOT_ASKED_FOR, verdict=None)
    if options.hits is not None:
        write_lines(_evidence_lines(scored, options, most))
    if options.json_output:
        known = replace(scored, repeat=repeat_of_scan(assessment))
        write_whole(options.json_output, json_document.render(known))
    return EXIT_DONE


def _evidence_lines(
    scored: ScoredReport, options: argparse.Namespace, most: int | None
) -> list[str]:
    evidence = evidence_of(
        scored.assessment,
        hits=options.hits,
        seed=options.hits_seed,
        metrics=options.metrics,
    )
    shown = replace(scored, evidence=evidence)
    return evidence_text.lines(shown, evidence, most=most)
