# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa explain``."""

from __future__ import annotations

import argparse
from inspect import signature

from garak_tbsa.api.evidence import evidence_of
from garak_tbsa.api.score import repeat, score
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.garak_api.own_number import garak_tbsa_of
from garak_tbsa.outputs import explanation
from garak_tbsa.outputs.registry import EXPLANATION_FORMATS
from garak_tbsa.outputs.view import ScoredReport
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
    parsers.add_switches(parser, {"--all": ALL})
    wanted = {"report", "calibration", "tiers", "hits", "metrics"}
    parsers.add_options_of(parser, score, but={*signature(score).parameters} - wanted)
    outputs.add_form_options(parser, EXPLANATION_FORMATS)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    inputs = [options.report, options.metrics, *parsers.scoring_files(options)]
    paths = outputs.claimed_forms(options, EXPLANATION_FORMATS, inputs)
    assessment = parsers.assess_with(options.report, options)
    evidence = evidence_of(assessment, hits=options.hits, metrics=options.metrics)
    scored = ScoredReport(
        assessment=assessment,
        evidence=evidence,
        repeat=repeat(assessment),
        garak_tbsa=garak_tbsa_of(assessment.report),
    )
    write_lines(explanation.lines(scored, most=None if options.all else SHOWN))
    if options.hits is not None:
        most = None if options.all else SHOWN_WITH_HITS
        write_lines(explanation.evidence_lines(scored, most=most))
    if paths:
        outputs.write_forms(paths, scored)
