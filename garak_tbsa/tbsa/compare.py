# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether two scans differ, and where."""

from __future__ import annotations

from garak_tbsa.errors import NotComparableError
from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.exchange_in_words import assumption_in_words, unmatched_in_words
from garak_tbsa.tbsa.grade_counts import why_unknown
from garak_tbsa.tbsa.permutation import permutation_tests
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.tbsa.strata import (
    NO_ATTEMPTS,
    REPLICATES,
    SEED,
    ScanOutcomes,
    exchange_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.garak_files.outcomes import Outcomes
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.permutation import TestResults
    from garak_tbsa.tbsa.strata import Exchange
    from garak_tbsa.unavailable import Unavailable

    BothOutcomes = tuple[Outcomes | Unavailable, Outcomes | Unavailable]

WORSE, BETTER, BOTH_WAYS = "worse", "better", "both ways"
NO_CHANGE, UNTESTED = "no change", "untested"
VERDICTS = {
    WORSE: "the second scan is worse",
    BETTER: "the second scan is better",
    BOTH_WAYS: "the second scan is worse at some and better at other pairs",
    NO_CHANGE: "no change beyond what a repeat shows",
    UNTESTED: "not tested, no pair has counts in both reports",
}
"""What one comparison says, by the one test that a baseline's gate asks too."""


@record
class GradeChange:
    """A pair whose grade is not the same in both scans."""

    first: GradedPair
    second: GradedPair


@record
class Comparison:
    """Two scans and what tells them apart.

    Attributes
    ----------
    first, second : Assessment
    differing_parts : tuple of str
        Parts of the checksum that differ; not empty only when forced.
    compared : int
        Pairs in both scans with counts.
    exchange : Exchange
        What could change places between the scans, and for which pairs.
    only_in_one : tuple of str
        Pairs that were measured in one of the scans alone; no test sees them.
    changes : tuple of GradeChange
        By name.
    tests : TestResults or None
        None where no pair has counts in both.
    """

    first: Assessment
    second: Assessment
    differing_parts: tuple[str, ...]
    compared: int
    exchange: Exchange
    only_in_one: tuple[str, ...]
    changes: tuple[GradeChange, ...]
    tests: TestResults | None

    @property
    def tbsa_difference(self) -> float:
        """Second minus first score, in whole tenths."""
        return round(self.second.tbsa - self.first.tbsa, 1)

    @property
    def by_prompt(self) -> int:
        """Pairs whose prompts are the same in both scans."""
        return len(self.exchange.by_prompt)

    @property
    def assumption(self) -> str:
        """What was taken to be exchangeable, for how many pairs, in words."""
        return assumption_in_words(self.exchange)

    @property
    def not_matched(self) -> list[str]:
        """Which pairs could not be matched prompt by prompt and why, in words."""
        return unmatched_in_words(self.exchange)

    def verdict(self, alpha: float) -> str:
        """Return the key of :data:`VERDICTS` at this level, one-sided each way."""
        if self.tests is None:
            return UNTESTED
        better = self.tests.p_better < alpha
        if self.is_worse(alpha):
            return BOTH_WAYS if better else WORSE
        return BETTER if better else NO_CHANGE

    def is_worse(self, alpha: float) -> bool:
        """Whether the second scan is significantly worse at this level."""
        return self.tests is not None and self.tests.p_worse < alpha

    def in_words(self, alpha: float) -> str:
        """Return the scores, the verdict at this level, and p, in one phrase.

        And how many pairs had to be compared with less than all that is needed.
        """
        scores = f"{self.first.tbsa:.1f} before, {self.second.tbsa:.1f} now"
        said = VERDICTS[self.verdict(alpha)]
        if self.tests is None:
            return f"{scores}; {said}"
        p_value = f"p = {self.tests.p_worse:.3g} for worse"
        by_counts = len(self.exchange.unmatched)
        if by_counts:
            p_value += f", {by_counts} of {self.compared} pairs by their counts alone"
        return f"{scores}; {said} ({p_value})"


def compare(
    first: Assessment,
    second: Assessment,
    *,
    outcomes: BothOutcomes = (NO_ATTEMPTS, NO_ATTEMPTS),
    force: bool = False,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Comparison:
    """Compare two scans.

    Parameters
    ----------
    first, second : Assessment
        Before and after.
    outcomes : tuple of two (Outcomes or Unavailable)
        Per prompt, where the reports hold their attempts.
    force : bool
        Compare although the checksums differ.
    replicates, seed : int
        Number of permutations, and where they start.

    Raises
    ------
    NotComparableError
        The checksums differ.
    """
    differing = first.checksum.differing_parts(second.checksum)
    if differing and not force:
        raise NotComparableError(
            f"{first.report.source} and {second.report.source}: checksums"
            f" {first.checksum.text} and {second.checksum.text} differ in"
            f" {', '.join(differing)}; only equal checksums compare"
        )
    before = {pair.name: pair for pair in first.graded}
    common = [
        (before[pair.name], pair) for pair in second.graded if pair.name in before
    ]
    counted = [(one, two) for one, two in common if one.has_counts and two.has_counts]
    exchange = exchange_of(
        counted, _outputs_of(first, outcomes[0]), _outputs_of(second, outcomes[1])
    )
    return Comparison(
        first=first,
        second=second,
        differing_parts=differing,
        compared=len(counted),
        exchange=exchange,
        only_in_one=tuple(
            sorted(before.keys() ^ {pair.name for pair in second.graded})
        ),
        changes=tuple(
            GradeChange(first=one, second=two)
            for one, two in common
            if one.grade != two.grade
        ),
        tests=(
            permutation_tests(
                counted,
                exchange,
                with_score=_score_can_be_tested(first, counted),
                replicates=replicates,
                seed=seed,
            )
            if counted
            else None
        ),
    )


def _outputs_of(
    assessment: Assessment, outcomes: Outcomes | Unavailable
) -> ScanOutcomes:
    settings = assessment.report.settings
    generations = settings.configuration.get("run.generations")
    return ScanOutcomes(
        outcomes=outcomes,
        seed=settings.seed,
        generations=generations if isinstance(generations, int) else None,
    )


def _score_can_be_tested(
    first: Assessment, counted: Sequence[tuple[GradedPair, GradedPair]]
) -> bool:
    """Whether any counts give a score, and by the formula asked for."""
    return first.formula == DOCUMENTED and not any(
        why_unknown(side) for side in zip(*counted, strict=True)
    )
