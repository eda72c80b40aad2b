# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa plan``."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from garak_tbsa.cli import outputs, parsers
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_files.outcomes import outcomes_of_report
from garak_tbsa.outputs.planning import PlannedComparison, lines
from garak_tbsa.outputs.registry import PLAN_FORMATS
from garak_tbsa.progress import counting
from garak_tbsa.safe_text import shown
from garak_tbsa.statistics.exchange import SEED
from garak_tbsa.statistics.kinds import usual_repeat
from garak_tbsa.statistics.plan import MOST_DESIGNS, plan
from garak_tbsa.statistics.trials import Change
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.terminal import write_lines

SMALLEST_CHANGE, LARGEST_CHANGE = 0.01, 4.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say how many generations and prompts two scans of a target like"
        " this one need, so that 80 % of comparisons show a change."
    )
    parser.add_argument("report", metavar="REPORT", help=parsers.REPORT_HELP)
    parser.add_argument(
        "--detect",
        type=parsers.number_within(SMALLEST_CHANGE, LARGEST_CHANGE),
        metavar="D",
        help="the change to find: all pairs become worse, and the score falls by D",
    )
    parser.add_argument(
        "--pair",
        metavar="PROBE+DETECTOR",
        help="the change to find: only this pair becomes worse",
    )
    parser.add_argument(
        "--drop",
        type=parsers.number_within(SMALLEST_CHANGE, 1.0),
        metavar="R",
        help="with --pair: by how much its pass rate falls, such as 0.2",
    )
    parsers.add_alpha(parser, of="test")
    parsers.add_repeat(parser, of="the second scan")
    parsers.add_seed(parser, SEED)
    outputs.add_form_options(parser, PLAN_FORMATS)
    parsers.add_scoring_options(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    UsageError
        It is not said what to find, or the report has no such pair.
    NotPlannableError
        The scan has no counts, or cannot change by that much.
    """
    of_pair = options.pair is not None, options.drop is not None
    if any(of_pair) if options.detect is not None else not all(of_pair):
        raise UsageError(
            "say what to find: --detect D for the score, or --pair PROBE+DETECTOR with"
            " --drop R for one pair"
        )
    inputs = [options.report, *parsers.scoring_files(options)]
    paths = outputs.claimed_forms(options, PLAN_FORMATS, inputs)
    assessment = parsers.assess_with(options.report, options)
    _require_pair(options.pair, assessment)
    outcomes = outcomes_of_report(assessment.report)
    with counting(MOST_DESIGNS) as tried:
        tried(0, "trying designs")
        found = plan(
            assessment,
            outcomes,
            Change(
                score_drop=options.detect, pair=options.pair, rate_drop=options.drop
            ),
            alpha=options.alpha,
            repeat=options.repeat or usual_repeat(assessment.report.settings),
            seed=options.seed,
            tell=lambda: tried(1, ""),
        )
    planned = PlannedComparison(assessment=assessment, plan=found)
    write_lines(lines(planned))
    outputs.write_forms(paths, planned)


def _require_pair(pair: str | None, assessment: Assessment) -> None:
    names = [each.name for each in assessment.graded if each.has_counts]
    if pair is not None and pair not in names:
        near = get_close_matches(pair, names, n=1, cutoff=0.3)
        hint = f"did you mean {near[0]}?" if near else "score -v lists them"
        raise UsageError(
            f"{assessment.report.source}: no pair with counts is called"
            f" {shown(pair)!r}; {hint}"
        )
