# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa compare``."""

from __future__ import annotations

import argparse

from garak_tbsa.cli.parsers import (
    add_alpha,
    add_scoring_options,
    plain_help,
    whole_number_from,
)
from garak_tbsa.cli.scoring import (
    assess_path,
    chosen_calibration,
    scoring_files,
    scoring_options,
)
from garak_tbsa.cli.terminal import write_error, write_lines
from garak_tbsa.errors import (
    EXIT_DONE,
    EXIT_GATE_FAILED,
    NotComparableError,
    UsageError,
)
from garak_tbsa.files import is_stream, require_distinct, write_whole
from garak_tbsa.tbsa.assessment import held_against_rows
from garak_tbsa.tbsa.outputs.comparison.compared_scans import COMPARISON_FORMATS
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.tbsa.strata import NO_ATTEMPTS, REPLICATES, SEED, needed_permutations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.compare import BothOutcomes, Comparison
    from garak_tbsa.tbsa.outputs.comparison.compared_scans import ComparedScans

WORSE = "worse"


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = argparse.ArgumentParser(
        prog="garak-tbsa compare",
        description="Tell whether the second of two scans with equal checksums is worse"
        " or better, and because of which pairs.",
        allow_abbrev=False,
        formatter_class=plain_help,
    )
    parser.add_argument("first", help="the report before")
    parser.add_argument("second", help="the report after")
    unequal = parser.add_mutually_exclusive_group()
    unequal.add_argument(
        "--common",
        action="store_true",
        help="compare over the pairs that both measured with the same tier, whatever"
        " the checksums: numbers to look at",
    )
    unequal.add_argument(
        "--force", action="store_true", help="compare although checksums differ"
    )
    parser.add_argument(
        "--fail-on",
        choices=(WORSE,),
        help="exit code 3 where the second scan is worse, could not be tested, or a"
        " digest contradicts its report",
    )
    add_alpha(parser, of="verdict")
    parser.add_argument(
        "--replicates",
        type=whole_number_from(1),
        metavar="N",
        help=f"permutations (default {REPLICATES}, more where --alpha needs them)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=SEED,
        metavar="N",
        help=f"where the permutations start (default {SEED})",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print the verdict alone"
    )
    for form in COMPARISON_FORMATS:
        parser.add_argument(
            *form.options, dest=form.name, metavar="PATH", help=f"write {form.purpose}"
        )
    add_scoring_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command.

    Raises
    ------
    NotComparableError
        The checksums differ, or there is no common pair.
    UsageError
        Common pairs by garak's own formula.
    """
    options = build_parser().parse_args(argv)
    from garak_tbsa.tbsa.compare import compare

    scoring = scoring_options(options)
    if options.common and scoring.formula != DOCUMENTED:
        raise UsageError(
            "--common scores common pairs by the documented formula alone;"
            " leave out --formula"
        )
    paths = {form.name: getattr(options, form.name) for form in COMPARISON_FORMATS}
    require_distinct(
        {form.options[0]: paths[form.name] for form in COMPARISON_FORMATS},
        [options.first, options.second, *scoring_files(options)],
    )
    calibration = chosen_calibration(scoring.calibration)
    first = assess_path(options.first, scoring, calibration)
    second = assess_path(options.second, scoring, calibration)
    outcomes = outcomes_of_both(first, second, unequal=options.force or options.common)
    try:
        comparison = compare(
            first,
            second,
            outcomes=outcomes,
            force=options.force,
            common=options.common,
            replicates=options.replicates or needed_permutations(options.alpha),
            seed=options.seed,
        )
    except NotComparableError as error:
        if options.common:
            raise
        raise NotComparableError(
            f"{error}; --common compares over these, --force over all that there is"
        ) from error
    from garak_tbsa.tbsa.outputs.comparison import text
    from garak_tbsa.tbsa.outputs.comparison.compared_scans import compared_scans
    from garak_tbsa.tbsa.repeat_by_attempts import distribution_by_attempts

    repeats = (
        distribution_by_attempts(comparison.first, outcomes=outcomes[0]),
        distribution_by_attempts(comparison.second, outcomes=outcomes[1]),
    )
    compared = compared_scans(comparison, options.alpha, repeats)
    if not options.quiet:
        write_lines(text.lines(compared))
    elif not any(path and is_stream(path) for path in paths.values()):
        write_lines(text.quiet_lines(compared))
    for form in COMPARISON_FORMATS:
        if paths[form.name]:
            write_whole(paths[form.name], form.render(compared))
    problem = _problem(first, second, compared) if options.fail_on else None
    if problem is None:
        return EXIT_DONE
    write_error(f"{options.second}: --fail-on {options.fail_on}: {problem}")
    return EXIT_GATE_FAILED


def _problem(
    first: Assessment, second: Assessment, compared: ComparedScans
) -> str | None:
    """Say why a gate does not let the second scan pass, None where it does."""
    from garak_tbsa.tbsa.gate import inconsistencies
    from garak_tbsa.tbsa.outputs.comparison.sentences import not_comparable

    if compared.comparison.may_be_worse(compared.alpha):
        marked = not_comparable(compared.comparison)
        return compared.headline + ("" if marked is None else f" ({marked})")
    for assessment in (first, second):
        found = inconsistencies(held_against_rows(assessment))
        if found is not None:
            return f"{assessment.report.source}: {found}"
    return None


def compare_assessments(
    first: Assessment, second: Assessment, *, replicates: int = REPLICATES
) -> Comparison:
    """Compare two scored reports, by prompt where their attempts allow it.

    Parameters
    ----------
    first, second : Assessment
        Before and after. Their reports are read again for the attempts.
    replicates : int
        Number of permutations.

    Raises
    ------
    NotComparableError
        The checksums differ.
    """
    from garak_tbsa.tbsa.compare import compare

    outcomes = outcomes_of_both(first, second)
    return compare(first, second, outcomes=outcomes, replicates=replicates)


def outcomes_of_both(
    first: Assessment, second: Assessment, *, unequal: bool = False
) -> BothOutcomes:
    """Read the attempts of two scored reports, if they are going to be compared.

    Parameters
    ----------
    first, second : Assessment
        Before and after.
    unequal : bool
        Whether they are compared although the checksums differ.
    """
    if not unequal and first.checksum.hexadecimal != second.checksum.hexadecimal:
        return NO_ATTEMPTS, NO_ATTEMPTS
    from garak_tbsa.garak_files.outcomes import outcomes_of_report

    return outcomes_of_report(first.report), outcomes_of_report(second.report)
