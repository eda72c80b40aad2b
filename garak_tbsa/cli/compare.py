# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa compare``."""

from __future__ import annotations

import argparse

from garak_tbsa.api.compare import ComparisonResult, compare
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED
from garak_tbsa.files import is_stream
from garak_tbsa.gates.against_baseline import not_worse
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.gates.verdict import verdict_without_garak
from garak_tbsa.outputs import compared
from garak_tbsa.outputs.registry import (
    COMPARISON_FORMATS,
    DEFAULT_HITS,
    ask_for_evidence,
)
from garak_tbsa.report.garak_here import has_garak
from garak_tbsa.statistics.compare import WORSE
from garak_tbsa.terminal import write_error, write_lines

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
    parsers.add_options_of(parser, compare, hits=DEFAULT_HITS)
    parser.add_argument(
        "--fail-on",
        choices=(WORSE,),
        help="exit with 3 if the second scan is worse or could not be tested, if most"
        " of the pairs that can fall could do so unseen, or if a digest contradicts its"
        " report",
    )
    for name in ("max_undetectable", "constant_target"):
        parsers.add_gate_option(parser, name)
    parsers.add_switches(parser, SWITCHES)
    outputs.add_form_options(parser, COMPARISON_FORMATS)


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
    found = compare(**parsers.arguments_for(compare, options, hits=hits))
    if not options.quiet:
        write_lines(compared.text_lines(found))
        if options.verbose:
            write_lines(compared.fallen_lines(found))
    elif not any(map(is_stream, paths.values())):
        write_lines([found.with_reservation(found.headline)])
    outputs.write_forms(paths, found)
    if options.fail_on is None:
        return EXIT_DONE
    failed = _verdict(found, options).failed
    for outcome in failed:
        write_error(f"{options.second}: --fail-on {options.fail_on}: {outcome.found}")
    return EXIT_GATE_FAILED if failed else EXIT_DONE


def _verdict(found: ComparisonResult, options: argparse.Namespace) -> GateVerdict:
    """Judge whether the second scan is not worse, as ``score --baseline`` does."""
    comparison = found.comparison
    first, second = comparison.first, comparison.second
    rules = GateRules(
        alpha=options.alpha,
        constant_target=options.constant_target,
        max_undetectable=options.max_undetectable,
    )
    said = found.with_reservation(found.headline)
    outcome = not_worse(comparison, rules, said, [first, second])
    verdict = GateVerdict(outcomes=(outcome,))
    return verdict if has_garak() else verdict_without_garak(verdict, second, first)
