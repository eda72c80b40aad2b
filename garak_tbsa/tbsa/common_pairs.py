# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scans scored again over the pairs that both measured with the same tier.

What comes of it is a number to look at: the scans asked different things, or graded
the answers by different rules, so that no checksum says that it compares.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from garak_tbsa.errors import NotComparableError
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.score import DOCUMENTED, score_pairs


@dataclass(frozen=True, kw_only=True, slots=True)
class CommonPairs:
    """Two scans narrowed to what they have in common.

    Attributes
    ----------
    first, second : Assessment
        With the score of their common pairs alone; report and checksum are as before.
    names : tuple of str
        The common pairs.
    other_tier : tuple of str
        Pairs that both measured, but not with the same tier.
    whole_first, whole_second : float
        What all pairs of each report score, 1.0-5.0.
    """

    first: Assessment
    second: Assessment
    names: tuple[str, ...]
    other_tier: tuple[str, ...]
    whole_first: float
    whole_second: float


def common_names(first: Assessment, second: Assessment) -> tuple[str, ...]:
    """Return the pairs that both scans measured with the same tier, by name."""
    before = {(pair.name, pair.tier) for pair in first.graded}
    return tuple(
        pair.name for pair in second.graded if (pair.name, pair.tier) in before
    )


def over_common_pairs(first: Assessment, second: Assessment) -> CommonPairs:
    """Score two scans over their common pairs.

    Parameters
    ----------
    first, second : Assessment
        By the documented formula.

    Raises
    ------
    NotComparableError
        No pair was measured by both with the same tier, or a score is not by the
        documented formula.
    """
    sources = f"{first.report.source} and {second.report.source}"
    if first.formula != DOCUMENTED or second.formula != DOCUMENTED:
        raise NotComparableError(
            f"{sources}: common pairs are scored by the documented formula alone;"
            " leave out --formula"
        )
    names = common_names(first, second)
    if not names:
        raise NotComparableError(
            f"{sources}: no pair was measured in both with the same tier, so that there"
            " is nothing to compare; scan with the same probes"
        )
    both = {pair.name for pair in first.graded} & {pair.name for pair in second.graded}
    return CommonPairs(
        first=_narrowed(first, names),
        second=_narrowed(second, names),
        names=names,
        other_tier=tuple(sorted(both.difference(names))),
        whole_first=first.tbsa,
        whole_second=second.tbsa,
    )


def _narrowed(assessment: Assessment, names: Iterable[str]) -> Assessment:
    common = frozenset(names)
    graded = tuple(pair for pair in assessment.graded if pair.name in common)
    calibration = replace(
        assessment.calibration,
        covered=sum(pair.is_calibrated for pair in graded),
        counted=len(graded),
    )
    return replace(
        assessment,
        graded=graded,
        score=score_pairs(graded),
        left_out=(),
        calibration=calibration,
    )
