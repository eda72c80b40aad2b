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
    calibration_file,
    chosen_calibration,
    scoring_options,
)
from garak_tbsa.cli.terminal import write_lines
from garak_tbsa.errors import EXIT_DONE, NotComparableError
from garak_tbsa.files import require_distinct, write_whole
from garak_tbsa.tbsa.strata import NO_ATTEMPTS, REPLICATES, SEED, needed_permutations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.compare import BothOutcomes, Comparison


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = argparse.ArgumentParser(
        prog="garak-tbsa compare",
        description="Tell whether two scans with equal checksums differ, and where.",
        allow_abbrev=False,
        formatter_class=plain_help,
    )
    parser.add_argument("first", help="the report before")
    parser.add_argument("second", help="the report after")
    parser.add_argument(
        "--force", action="store_true", help="compare although checksums differ"
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
        "-j", "--json_output", metavar="PATH", help="write the result as JSON"
    )
    add_scoring_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command.

    Raises
    ------
    NotComparableError
        The checksums differ.
    """
    options = build_parser().parse_args(argv)
    from garak_tbsa.tbsa.compare import compare
    from garak_tbsa.tbsa.outputs import comparison as output
    from garak_tbsa.tbsa.repeat_by_attempts import distribution_by_attempts

    require_distinct(
        {"-j": options.json_output},
        [options.first, options.second, calibration_file(options.calibration)],
    )
    scoring = scoring_options(options)
    calibration = chosen_calibration(scoring.calibration)
    first = assess_path(options.first, scoring, calibration)
    second = assess_path(options.second, scoring, calibration)
    outcomes = outcomes_of_both(first, second, force=options.force)
    try:
        comparison = compare(
            first,
            second,
            outcomes=outcomes,
            force=options.force,
            replicates=options.replicates or needed_permutations(options.alpha),
            seed=options.seed,
        )
    except NotComparableError as error:
        raise NotComparableError(f"{error}, --force does it all the same") from error
    repeats = (
        distribution_by_attempts(first, outcomes=outcomes[0]),
        distribution_by_attempts(second, outcomes=outcomes[1]),
    )
    write_lines(output.lines(comparison, repeats, options.alpha))
    if options.json_output:
        document = output.to_json(comparison, repeats, options.alpha)
        write_whole(options.json_output, document)
    return EXIT_DONE


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
    first: Assessment, second: Assessment, *, force: bool = False
) -> BothOutcomes:
    """Read the attempts of two scored reports, if they are going to be compared.

    Parameters
    ----------
    first, second : Assessment
        Before and after.
    force : bool
        Whether they are compared although the checksums differ.
    """
    if not force and first.checksum.hexadecimal != second.checksum.hexadecimal:
        return NO_ATTEMPTS, NO_ATTEMPTS
    from garak_tbsa.garak_files.outcomes import outcomes_of_report

    return outcomes_of_report(first.report), outcomes_of_report(second.report)
