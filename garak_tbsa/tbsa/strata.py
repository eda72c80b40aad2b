# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Counts of two scans, in the strata within which outputs may change places.

A stratum is a prompt of a pair where both reports hold all of its attempts, else
the pair.
"""

from __future__ import annotations

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.pairs import Counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.garak_files.attempts import PromptOutcomes
    from garak_tbsa.tbsa.grades import GradedPair

    BothOutcomes = tuple[PromptOutcomes | None, PromptOutcomes | None]

REPLICATES = 5000
SEED = 42
"""Permutations, and where they start, unless told otherwise."""


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
    outcomes : tuple of two PromptOutcomes or None

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
    if outcomes[0] is None or outcomes[1] is None:
        return None
    name = both[0].name
    first, second = outcomes[0].get(name), outcomes[1].get(name)
    if first is None or second is None or first.keys() != second.keys():
        return None
    for found, graded in zip((first, second), both, strict=True):
        passed = sum(outcome.passed for outcome in found.values())
        total = sum(outcome.total for outcome in found.values())
        if Counts(passed=passed, total_evaluated=total) != counts_of(graded):
            return None
    return [
        (
            (first[prompt].passed, second[prompt].passed),
            (first[prompt].total, second[prompt].total),
        )
        for prompt in first
    ]
