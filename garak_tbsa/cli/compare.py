# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa compare``."""

from __future__ import annotations

import argparse

from garak_tbsa.api.compare import compare
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED
from garak_tbsa.files import is_stream
from garak_tbsa.gates.against_baseline import (
    constant_answers,
    inconsistencies,
    why_not_judged,
    why_undetectable,
)
from garak_tbsa.gates.options import (
    DEFAULT_ALPHA,
    LARGEST_ALPHA,
    SMALLEST_ALPHA,
    GateRules,
    level_in_words,
)
from garak_tbsa.gates.outcome import NOT_JUDGED
from garak_tbsa.gates.verdict import unknown_without_garak
from garak_tbsa.outputs import fallen
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.registry import (
    COMPARISON_FORMATS,
    DEFAULT_HITS,
    ask_for_evidence,
)
from garak_tbsa.report.garak_here import has_garak
from garak_tbsa.terminal import write_error, write_lines

WORSE = "worse"

SWITCHES = {
    "-v, --verbose": "say more: the pairs that fell, with outputs before and after",
    "-q, --quiet": "print only the verdict",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say whether the second of two scans with equal checksums is worse"
        " or better, and because of which pairs."
    )
    parser.add_argument("first", help="the report before")
    parser.add_argument("second", help="the report after")
    unequal = parser.add_mutually_exclusive_group()
    parsers.add_switches(
        unequal,
        {
            "--common": "compare only the pairs that both scans measured with the same"
            " tier, even if the checksums differ; use such numbers with caution",
            "--force": "compare even if the checksums differ",
        },
    )
    parser.add_argument(
        "--fail-on",
        choices=(WORSE,),
        help="exit with 3 if the second scan is worse or could not be tested, if most"
        " of the pairs that can fall could do so unseen, or if a digest contradicts its"
        " report",
    )
    parser.add_argument(
        "--alpha",
        type=parsers.number_within(SMALLEST_ALPHA, LARGEST_ALPHA),
        default=DEFAULT_ALPHA,
        metavar="P",
        help=f"significance level of the verdict (default {DEFAULT_ALPHA:g}):"
        f" {level_in_words(DEFAULT_ALPHA)}",
    )
    parsers.add_gate_option(parser, "max_undetectable")
    parsers.add_gate_option(parser, "constant_target")
    parsers.add_switches(parser, SWITCHES)
    outputs.add_form_options(parser, COMPARISON_FORMATS)
    parsers.add_hits(
        parser,
        DEFAULT_HITS,
        "show N prompts of each pair that fell, with an output before and one after;"
        " for -v, page and Markdown; 0 leaves all texts out",
    )
    parsers.add_scoring_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Raises
    ------
    NotComparableError
        The checksums differ, or there is no common pair.
    """
    inputs = [options.first, options.second, *parsers.scoring_files(options)]
    paths = outputs.claimed_forms(options, COMPARISON_FORMATS, inputs)
    is_verbose = options.verbose and not options.quiet
    shows_outputs = is_verbose or ask_for_evidence(form.name for form in paths)
    hits = options.hits if shows_outputs else None
    compared = compare(**parsers.arguments_for(compare, options, hits=hits))
    if not options.quiet:
        write_lines(compared.lines)
        if options.verbose:
            write_lines(fallen.lines(compared))
    elif not any(map(is_stream, paths.values())):
        write_lines([compared.quiet_line])
    outputs.write_forms(paths, compared)
    rules = GateRules(
        constant_target=options.constant_target,
        max_undetectable=options.max_undetectable,
    )
    problem = _problem(compared, rules) if options.fail_on else None
    if problem is None:
        return EXIT_DONE
    write_error(f"{options.second}: --fail-on {options.fail_on}: {problem}")
    return EXIT_GATE_FAILED


def _problem(compared: ComparedScans, rules: GateRules) -> str | None:
    """Say why a gate does not let the second scan pass, None where it does."""
    before, after = (side.assessment for side in compared.sides)
    not_judged = why_not_judged(before, after, rules) or constant_answers(after, rules)
    if not_judged is not None:
        return NOT_JUDGED + not_judged
    if compared.comparison.may_be_worse(compared.alpha):
        return compared.failure_line
    unseen = why_undetectable(compared.detectable, rules)
    if unseen is not None:
        return unseen
    if not has_garak():
        unknown = unknown_without_garak(before, after, compared=True)
        if unknown is not None:
            return unknown
    for side in compared.sides:
        found = inconsistencies(side.assessment)
        if found is not None:
            return f"{side.assessment.report.source}: {found}"
    return None
