# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa explain``."""

from __future__ import annotations

import argparse

from garak_tbsa.api.score import explain
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.outputs import explanation
from garak_tbsa.outputs.registry import EXPLANATION_FORMATS
from garak_tbsa.terminal import write_lines

SHOWN, SHOWN_WITH_HITS = 10, 3
ALL = (
    f"name every pair, not only {SHOWN}, and show hits of all, not only of the"
    f" {SHOWN_WITH_HITS} worst"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say which pairs lower a report's score, and what to fix first."
    )
    parsers.add_options_of(parser, explain)
    parsers.add_switches(parser, {"--all": ALL})
    outputs.add_form_options(parser, EXPLANATION_FORMATS)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    inputs = [options.report, options.metrics, *parsers.scoring_files(options)]
    paths = outputs.claimed_forms(options, EXPLANATION_FORMATS, inputs)
    scored = explain(**parsers.arguments_for(explain, options))
    most = None if options.all else SHOWN
    write_lines(explanation.lines(scored, most=most))
    if options.hits is not None:
        most = None if options.all else SHOWN_WITH_HITS
        write_lines(explanation.evidence_lines(scored, most=most))
    outputs.write_forms(paths, scored)
