# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scans, and whether the second is worse or better."""

from __future__ import annotations

from dataclasses import replace

from garak_tbsa.api import arguments
from garak_tbsa.api.arguments import PathLike, Tiers
from garak_tbsa.errors import NotComparableError, UsageError
from garak_tbsa.evidence.fallen import fallen_outputs
from garak_tbsa.gates.options import DEFAULT_ALPHA, LARGEST_ALPHA, SMALLEST_ALPHA
from garak_tbsa.outputs.registry import MOST_HITS
from garak_tbsa.result import ComparisonResult
from garak_tbsa.statistics import compare as statistics
from garak_tbsa.statistics.compare import outcomes_of_both
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan, common_names


def compare(
    first: PathLike,
    second: PathLike,
    *,
    common: bool = False,
    force: bool = False,
    alpha: float = DEFAULT_ALPHA,
    calibration: PathLike = AS_IN_REPORT,
    tiers: Tiers | None = None,
    hits: int | None = None,
) -> ComparisonResult:
    """Say whether the second of two scans is worse or better, and because of what.

    Parameters
    ----------
    first, second : path
        The reports before and after.
    common : bool
        Compare only the pairs that both measured with the same tier, even if the
        checksums differ.
    force : bool
        Compare even if the checksums differ; not together with ``common``.
    alpha : float
        Significance level of the verdict, 0.0001-0.5, one-sided each way.
    calibration, tiers
        As in :func:`score`.
    hits : int, optional
        Number of prompts of each pair that fell to collect, 0-100, with an output
        before and one after, up to 20 pairs.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    UsageError
        An argument is none of these.
    NotComparableError
        The checksums differ, or there is no common pair.
    GarakTbsaError
        A report cannot be read or scored.
    """
    if common and force:
        raise UsageError("common and force: give one of them")
    arguments.require_number("alpha", alpha, SMALLEST_ALPHA, LARGEST_ALPHA)
    if hits is not None:
        arguments.require_number("hits", hits, 0, MOST_HITS, whole=True)
    scoring = arguments.scoring_of(calibration, tiers)
    before, after = (
        scoring.assess_path(arguments.path_of(name, path), whole=True)
        for name, path in (("first", first), ("second", second))
    )
    outcomes = outcomes_of_both(before, after, unequal=force or common)
    try:
        comparison = statistics.compare(
            before,
            after,
            outcomes=outcomes,
            force=force,
            common=common,
            replicates=needed_permutations(alpha),
        )
    except NotComparableError as error:
        if common:
            raise
        raise NotComparableError(f"{error}; {_what_works(before, after)}") from error
    repeats = (
        repeat_of_scan(comparison.first, outcomes=outcomes[0]),
        repeat_of_scan(comparison.second, outcomes=outcomes[1]),
    )
    result = ComparisonResult(comparison=comparison, repeats=repeats, alpha=alpha)
    if not hits:
        return result
    outputs = fallen_outputs(comparison, result.fallen, hits)
    return replace(result, outputs=outputs)


def _what_works(first: Scan, second: Scan) -> str:
    """What to do where checksums differ."""
    if common_names(first, second):
        return "--common compares only these, --force compares all"
    return "scan with the same probes"
