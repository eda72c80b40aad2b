# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What changed in a scan against the one before, by the tests of ``compare``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from garak_tbsa.garak_files.outcomes import outcomes_of_report
from garak_tbsa.statistics.compare import BothOutcomes, Comparison, compare
from garak_tbsa.statistics.exchange import (
    NO_ATTEMPTS,
    REPLICATES,
    needed_permutations,
)
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.common_pairs import common_names, over_common_pairs
from garak_tbsa.tbsa.comparison_in_words import headline
from garak_tbsa.tbsa.part_differences import part_differences
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.unavailable import Unavailable

NO_COMMON_PAIR = Unavailable(reason="no pair is in both scans with the same tier")
ANOTHER_FORMULA = Unavailable(
    reason="the checksums differ, and common pairs are scored by the documented"
    " formula alone"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What changed in a scan against the one before of the same target.

    Attributes
    ----------
    before, after : float
        The scores that compare: of the scans as they are where their checksums are
        equal, else of their common pairs.
    common_pairs : int or None
        Pairs that both measured with the same tier, where only these compare; None
        for equal checksums.
    differences : tuple of str
        What differs between the checksums.
    verdict : str or None
        One of ``compare.VERDICTS``; None where no test was asked for.
    p_worse, p_better : float or None
    permutations : int or None
        How many the p-values come from.
    pairs_by_attempts : int
        Pairs of which more than counts was compared.
    because : str or None
        The verdict and what it is due to, in one sentence.
    """

    before: float
    after: float
    common_pairs: int | None = None
    differences: tuple[str, ...] = ()
    verdict: str | None = None
    p_worse: float | None = None
    p_better: float | None = None
    permutations: int | None = None
    pairs_by_attempts: int = 0
    because: str | None = None

    @property
    def difference(self) -> float:
        """After minus before, in whole tenths."""
        return round(self.after - self.before, 1)


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


def change_between(
    first: Assessment,
    second: Assessment,
    *,
    alpha: float | None,
    outcomes: BothOutcomes = (NO_ATTEMPTS, NO_ATTEMPTS),
) -> Change | Unavailable:
    """Compare a scan with the one before.

    Parameters
    ----------
    first, second : Assessment
        Before and after.
    alpha : float or None
        Level of the verdict; None: no test.
    outcomes : tuple of two (Outcomes or Unavailable)
        Per prompt, where the attempts were read.

    Notes
    -----
    The tests are those of ``compare``, with its permutations; where the checksums
    differ, those of ``compare --common``.
    """
    differences = part_differences(first.checksum, second.checksum)
    common = None
    if differences:
        if first.formula != DOCUMENTED:
            return ANOTHER_FORMULA
        common = len(common_names(first, second))
        if not common:
            return NO_COMMON_PAIR
        narrowed = over_common_pairs(first, second)
        first, second = narrowed.first, narrowed.second
    change = Change(
        before=first.tbsa,
        after=second.tbsa,
        common_pairs=common,
        differences=tuple(f"{each.part} ({each.text})" for each in differences),
    )
    if alpha is None:
        return change
    permutations = needed_permutations(alpha)
    comparison = compare(
        first, second, outcomes=outcomes, force=True, replicates=permutations
    )
    change = replace(
        change,
        verdict=comparison.verdict(alpha),
        pairs_by_attempts=comparison.compared - len(comparison.exchange.unmatched),
        because=headline(comparison, alpha),
    )
    tests = comparison.tests
    if tests is None:
        return change
    return replace(
        change,
        p_worse=tests.p_worse,
        p_better=tests.p_better,
        permutations=permutations,
    )
