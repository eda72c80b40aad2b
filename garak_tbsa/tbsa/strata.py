# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Counts of two scans, in the strata within which outputs may change places.

A stratum is a prompt of a pair where both reports hold all of its attempts, else
the pair.
"""

from __future__ import annotations

import math

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.garak_files.outcomes import Outcomes
    from garak_tbsa.tbsa.grades import GradedPair

    BothOutcomes = tuple[Outcomes | Unavailable, Outcomes | Unavailable]

NO_ATTEMPTS = Unavailable(reason="its attempts were not read")

REPLICATES = 5000
SEED = 42
"""Permutations, and where they start, unless told otherwise."""


def needed_permutations(alpha: float) -> int:
    """Return how many are needed for a p-value to come well below ``alpha``."""
    return max(REPLICATES, math.ceil(10 / alpha))


@record
class Stratum:
    """Counts of one stratum in the first and in the second scan.

    Attributes
    ----------
    pair : int
        Which pair it belongs to.
    passed, total : (int, int)
        ``0 <= passed <= total`` in each scan.
    """

    pair: int
    passed: tuple[int, int]
    total: tuple[int, int]

    def moments(self) -> tuple[float, float]:
        """Mean and variance of the second scan's pass count, given the margins.

        Of the hypergeometric distribution: outputs may change places between scans.
        """
        passed, total = sum(self.passed), sum(self.total)
        if total < 2:
            return float(self.passed[1]), 0.0
        mean = self.total[1] * passed / total
        variance = self.total[0] * self.total[1] * passed * (total - passed)
        return mean, variance / (total**2 * (total - 1))


def make_strata(
    pairs: Sequence[tuple[GradedPair, GradedPair]], outcomes: BothOutcomes
) -> tuple[list[Stratum], int]:
    """Divide pairs into strata.

    Parameters
    ----------
    pairs : sequence of (GradedPair, GradedPair)
        Each with its counts in both scans.
    outcomes : tuple of two (Outcomes or Unavailable)

    Returns
    -------
    strata : list of Stratum
    by_prompt : int
        Number of pairs whose prompts are the same in both scans and account for
        all their counts.
    """
    strata: list[Stratum] = []
    by_prompt = 0
    for index, both in enumerate(pairs):
        prompts = _matched_prompts(both, outcomes)
        if prompts is None:
            prompts = [_counts_of(both)]
        else:
            by_prompt += 1
        strata += [
            Stratum(pair=index, passed=passed, total=total) for passed, total in prompts
        ]
    return strata, by_prompt


def _counts_of(
    both: tuple[GradedPair, GradedPair],
) -> tuple[tuple[int, int], tuple[int, int]]:
    first, second = (counts_of(graded) for graded in both)
    return (
        (first.passed, second.passed),
        (first.total_evaluated, second.total_evaluated),
    )


def _matched_prompts(
    both: tuple[GradedPair, GradedPair], outcomes: BothOutcomes
) -> list[tuple[tuple[int, int], tuple[int, int]]] | None:
    """Counts per prompt, None where the attempts do not account for the counts."""
    from garak_tbsa.garak_files.outcomes import by_detector

    found = []
    for outcomes_of_scan, graded in zip(outcomes, both, strict=True):
        if isinstance(outcomes_of_scan, Unavailable):
            return None
        probe = outcomes_of_scan.get(graded.probe)
        if probe is None or isinstance(probe, Unavailable):
            return None
        if probe.counts().get(graded.detector) != (
            graded.passed,
            graded.total_evaluated,
        ):
            return None
        found.append(by_detector(probe, graded.detector))
    first, second = found
    if first.keys() != second.keys():
        return None
    return [
        (
            (first[prompt][0], second[prompt][0]),
            (first[prompt][1], second[prompt][1]),
        )
        for prompt in first
    ]
