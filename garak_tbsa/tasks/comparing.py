# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two reports -> whether the second scan is worse or better."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.errors import NotComparableError, UsageError
from garak_tbsa.garak_files.outcomes import outcomes_of_report
from garak_tbsa.statistics.compare import BothOutcomes, Comparison, compare
from garak_tbsa.statistics.exchange import (
    NO_ATTEMPTS,
    REPLICATES,
    SEED,
    needed_permutations,
)
from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tasks.scoring import ScoringOptions, assess_path, chosen_calibration
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.common_pairs import common_names
from garak_tbsa.tbsa.gate_options import DEFAULT_ALPHA
from garak_tbsa.tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    compared_scans,
)
from garak_tbsa.tbsa.score import DOCUMENTED


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparingOptions:
    """How two scans are compared.

    Attributes
    ----------
    alpha : float
        Level of the verdict.
    common : bool
        Over the pairs that both measured with the same tier, whatever the checksums.
    force : bool
        Although the checksums differ.
    replicates : int or None
        Permutations; None for as many as ``alpha`` needs.
    seed : int
        Where the permutations start.
    """

    alpha: float = DEFAULT_ALPHA
    common: bool = False
    force: bool = False
    replicates: int | None = None
    seed: int = SEED


def assess_both(
    first: str, second: str, scoring: ScoringOptions
) -> tuple[Assessment, Assessment]:
    """Read and score two reports.

    Parameters
    ----------
    first, second : str
        Paths of the reports before and after.
    scoring : ScoringOptions

    Raises
    ------
    GarakTbsaError
        A report or the calibration cannot be read, or a report not be scored.
    """
    calibration = chosen_calibration(scoring.calibration)
    return (
        assess_path(first, scoring, calibration),
        assess_path(second, scoring, calibration),
    )


def compare_both(
    first: Assessment, second: Assessment, options: ComparingOptions
) -> ComparedScans:
    """Compare two scored reports, with what a repeat of each would score.

    Parameters
    ----------
    first, second : Assessment
        Before and after. Their reports are read again for the attempts.
    options : ComparingOptions

    Raises
    ------
    NotComparableError
        The checksums differ, or there is no common pair.
    """
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
        raise NotComparableError(f"{error}; {_what_works(first, second)}") from error
    repeats = (
        repeat_of_scan(comparison.first, outcomes=outcomes[0]),
        repeat_of_scan(comparison.second, outcomes=outcomes[1]),
    )
    return compared_scans(comparison, repeats, options.alpha)


def _what_works(first: Assessment, second: Assessment) -> str:
    """What to do where checksums differ."""
    if first.formula != DOCUMENTED:
        return "--force compares all"
    if common_names(first, second):
        return "--common compares only these, --force compares all"
    return "scan with the same probes"


def require_comparable_formula(
    scoring: ScoringOptions, options: ComparingOptions
) -> None:
    """Refuse common pairs by garak's own formula.

    Raises
    ------
    UsageError
        They were asked for.
    """
    if options.common and scoring.formula != DOCUMENTED:
        raise UsageError(
            "--common scores common pairs by the documented formula alone;"
            " leave out --formula"
        )


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
    return outcomes_of_report(first.report), outcomes_of_report(second.report)
