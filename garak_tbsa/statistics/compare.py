# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether two scans differ, and the pairs that the verdict is due to.

The verdict is that of one test over all pairs; no cause changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garak_tbsa.errors import NotComparableError
from garak_tbsa.report.outcomes import Outcomes
from garak_tbsa.statistics.detectable import Detectable, detectable
from garak_tbsa.statistics.exchange import (
    NO_ATTEMPTS,
    REPLICATES,
    Exchange,
    ScanOutcomes,
    exchange_of,
)
from garak_tbsa.statistics.permutation import PairMove, TestResults, permutation_tests
from garak_tbsa.statistics.vanished import VanishedPairs, vanished_pairs
from garak_tbsa.tbsa.checksum import (
    PartDifference,
    differences_in_words,
    part_differences,
)
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import (
    CommonPairs,
    Scan,
    common_names,
    over_common_pairs,
)
from garak_tbsa.tbsa.score import why_unknown
from garak_tbsa.unavailable import Unavailable

BothOutcomes = tuple[Outcomes | Unavailable, Outcomes | Unavailable]

WORSE, BETTER, BOTH_WAYS = "worse", "better", "worse and better"
NO_EVIDENCE, UNTESTED = "no evidence of a difference", "not tested"
VERDICTS = (WORSE, BETTER, BOTH_WAYS, NO_EVIDENCE, UNTESTED)
"""What one comparison says, by the one test that a baseline's gate asks too."""

LEAST_MOVABLE = 0.5
"""Share of a pair's outputs that a test of it has to see, in either scan."""

NO_COUNTS = "a report has no counts"
NO_TEST = Unavailable(reason="no pair has counts in both reports")
FEW_MOVABLE = (
    "fewer than half of the outputs of a scan can change places with the other's, which"
    " takes the same prompt, or prompts that each scan sent alone"
)

FELL, ROSE = "fell", "rose"
PAIRS, MANY_PAIRS, SCORE = "pairs", "many pairs", "score"
MOST_LISTED = 5
"""Pairs that are listed where none of them stands out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedPair:
    """A pair that both scans measured.

    Attributes
    ----------
    first, second : Pair
        Before and after.
    move : PairMove or None
        None where nothing of it could change places between the scans.
    not_tested : str or None
        Why the test says nothing of it, None where it does.
    units : tuple of two int
        How many of its units could change places, of the first scan and the second:
        outputs of prompts that both sent, and whole prompts of one alone.
    """

    first: Pair
    second: Pair
    move: PairMove | None
    not_tested: str | None
    units: tuple[int, int]

    @property
    def name(self) -> str:
        """``probe+detector``."""
        return self.second.name

    @property
    def z(self) -> float:
        """Standardised change of its pass count, 0.0 where it was not tested."""
        return 0.0 if self.move is None else self.move.z

    @property
    def moved(self) -> float:
        """Below 0 where it fell, above 0 where it rose: by test, pass rate or grade."""
        first, second = self.first, self.second
        rates = second.pass_rate - first.pass_rate
        return self.z or rates or float(second.grade - first.grade)

    @property
    def changed_grade(self) -> bool:
        """Whether its grade is not the same in both scans."""
        return self.first.grade != self.second.grade

    @property
    def is_untested_difference(self) -> bool:
        """Whether it differs between the scans, and no test says if that is chance."""
        differs = self.first.pass_rate != self.second.pass_rate or self.changed_grade
        return differs and self.not_tested is not None

    def stands_out(self, direction: str, alpha: float) -> bool:
        """Whether it alone shows a change, allowing for all pairs that were tested.

        Parameters
        ----------
        direction : str
            :data:`FELL` or :data:`ROSE`.
        alpha : float
            One-sided level.
        """
        if self.move is None:
            return False
        p_value = self.move.p_fell if direction == FELL else self.move.p_rose
        return p_value < alpha


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What a verdict in one direction is due to.

    Attributes
    ----------
    direction : str
        :data:`FELL` or :data:`ROSE`.
    kind : str
        :data:`PAIRS` where pairs stand out, :data:`MANY_PAIRS` where none does and
        the passes of all together moved, :data:`SCORE` where only grades tell.
    pairs : tuple of ComparedPair
        All those that stand out, else up to :data:`MOST_LISTED` that moved most in
        this direction; the largest standardised change first.
    moved, against : int
        Tested pairs that moved in this direction, and in the other one.
    """

    direction: str
    kind: str
    pairs: tuple[ComparedPair, ...]
    moved: int
    against: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Two scans and what tells them apart.

    Attributes
    ----------
    first, second : Scan
        Where common pairs were asked for, with the score of these alone.
    differences : tuple of PartDifference
        Parts of the checksum that differ; not empty only when forced, or over common
        pairs.
    common : CommonPairs or None
        None unless the common pairs were asked for.
    pairs : tuple of ComparedPair
        Pairs that both scans measured.
    scans : tuple of two ScanOutcomes
        What is known of the outputs of each.
    exchange : Exchange
        What could change places between the scans, and for which pairs.
    vanished : VanishedPairs
        Pairs that were measured in one of the scans alone; no test sees them.
    tests : TestResults or None
        None where no pair has counts in both.
    """

    first: Scan
    second: Scan
    differences: tuple[PartDifference, ...]
    common: CommonPairs | None
    pairs: tuple[ComparedPair, ...]
    scans: tuple[ScanOutcomes, ScanOutcomes]
    exchange: Exchange
    vanished: VanishedPairs
    tests: TestResults | None

    @property
    def compared(self) -> int:
        """Pairs in both scans with counts."""
        return len(self.exchange.pairs)

    @property
    def changes(self) -> tuple[ComparedPair, ...]:
        """Pairs whose grade is not the same in both scans, by name."""
        return tuple(pair for pair in self.pairs if pair.changed_grade)

    @property
    def tbsa_difference(self) -> float:
        """Second minus first score, in whole tenths."""
        return round(self.second.tbsa - self.first.tbsa, 1)

    @property
    def untested_differences(self) -> tuple[ComparedPair, ...]:
        """Pairs that differ between the scans while no test says if that is chance."""
        return tuple(pair for pair in self.pairs if pair.is_untested_difference)

    @property
    def score_not_tested(self) -> Unavailable | None:
        """Why the score's move was not tested, though others were; None if it was."""
        if self.tests is None or self.tests.p_score is not None:
            return None
        unknown = map(why_unknown, zip(*self.exchange.pairs, strict=True))
        return next(filter(None, unknown), None)

    def verdict(self, alpha: float) -> str:
        """Return one of :data:`VERDICTS` at this level, one-sided each way.

        What was tested can show that a scan is worse. It cannot show that it is not
        worse, where pairs that differ were not tested, or were not measured now.
        """
        if self.tests is None:
            return UNTESTED
        better = self.tests.p_better < alpha
        if self.tests.p_worse < alpha:
            return BOTH_WAYS if better else WORSE
        if self.untested_differences or self.vanished.not_measured:
            return UNTESTED
        return BETTER if better else NO_EVIDENCE

    def may_be_worse(self, alpha: float) -> bool:
        """Whether a gate has to stop it: worse, or nobody knows that it is not.

        Pairs that the second scan did not select are left aside only where the common
        pairs were asked for.
        """
        fewer = self.common is None and bool(self.vanished.not_selected)
        return fewer or self.verdict(alpha) in (WORSE, BOTH_WAYS, UNTESTED)

    def detectable(self, alpha: float) -> Detectable | Unavailable:
        """Return what a comparison of these scans can find at this level."""
        if self.tests is None:
            return NO_TEST
        return detectable(
            self.exchange.pairs,
            *self.scans,
            with_score=self.tests.p_score is not None,
            alpha=alpha,
        )

    def because(self, alpha: float) -> tuple[Cause, ...]:
        """Return what the verdict at this level is due to, one for each direction.

        Empty where there is no evidence of a difference, or it was not tested.
        """
        if self.tests is None or self.verdict(alpha) == UNTESTED:
            return ()
        p_values = ((FELL, self.tests.p_worse), (ROSE, self.tests.p_better))
        return tuple(
            cause_of(direction, self.pairs, self.tests, alpha)
            for direction, p_value in p_values
            if p_value < alpha
        )


def compare(
    first: Scan,
    second: Scan,
    *,
    outcomes: BothOutcomes = (NO_ATTEMPTS, NO_ATTEMPTS),
    force: bool = False,
    common: bool = False,
    replicates: int = REPLICATES,
) -> Comparison:
    """Compare two scans.

    Parameters
    ----------
    first, second : Scan
        Before and after.
    outcomes : tuple of two (Outcomes or Unavailable)
        Per prompt, where the reports hold their attempts.
    force : bool
        Compare although the checksums differ.
    common : bool
        The same, over the pairs that both measured with the same tier: both scans
        are scored again over these.
    replicates : int
        Number of permutations.

    Raises
    ------
    NotComparableError
        The checksums differ, or there is no common pair.
    """
    differences = part_differences(first.checksum, second.checksum)
    if differences and not (force or common):
        raise NotComparableError(_refusal(first, second, differences))
    vanished = vanished_pairs(first, second)
    narrowed = over_common_pairs(first, second) if common else None
    if narrowed is not None:
        first, second = narrowed.first, narrowed.second
    before = {pair.name: pair for pair in first.graded}
    both = [(before[pair.name], pair) for pair in second.graded if pair.name in before]
    counted = [(one, two) for one, two in both if one.has_counts and two.has_counts]
    settings = first.report.settings, second.report.settings
    one, two = (
        ScanOutcomes(outcomes=known, seed=each.seed, generations=each.generations)
        for known, each in zip(outcomes, settings, strict=True)
    )
    exchange = exchange_of(counted, one, two)
    tests = None
    if counted:
        tests = permutation_tests(
            exchange,
            # any counts give a score
            with_score=not any(map(why_unknown, zip(*counted, strict=True))),
            replicates=replicates,
        )
    places = {pair.name: place for place, (_, pair) in enumerate(exchange.pairs)}
    return Comparison(
        first=first,
        second=second,
        differences=differences,
        common=narrowed,
        pairs=tuple(
            _compared_pair(pair, places.get(pair[1].name), exchange, tests)
            for pair in both
        ),
        scans=(one, two),
        exchange=exchange,
        vanished=vanished,
        tests=tests,
    )


def outcomes_of_both(
    first: Scan, second: Scan, *, unequal: bool = False
) -> BothOutcomes:
    """Return what attempts of two scans tell, if they are going to be compared.

    Parameters
    ----------
    first, second : Scan
        Before and after.
    unequal : bool
        Whether they are compared although the checksums differ.
    """
    if not unequal and first.checksum.hexadecimal != second.checksum.hexadecimal:
        return NO_ATTEMPTS, NO_ATTEMPTS
    return first.report.outcomes, second.report.outcomes


def compare_assessments(
    first: Scan, second: Scan, *, replicates: int = REPLICATES
) -> Comparison:
    """Compare two scored reports, by prompt where their attempts allow it.

    Parameters
    ----------
    first, second : Scan
        Before and after.
    replicates : int
        Number of permutations.

    Raises
    ------
    NotComparableError
        The checksums differ.
    """
    outcomes = outcomes_of_both(first, second)
    return compare(first, second, outcomes=outcomes, replicates=replicates)


def _refusal(first: Scan, second: Scan, differences: Sequence[PartDifference]) -> str:
    common = len(common_names(first, second))
    were = "pair was" if common == 1 else "pairs were"
    return (
        f"{first.report.source} and {second.report.source}: checksums"
        f" {first.checksum.text} and {second.checksum.text} differ in"
        f" {differences_in_words(differences)};"
        " only scans with equal checksums can be compared;"
        f" {common or 'no'} {were}"
        " measured in both with the same tier"
    )


def _compared_pair(
    two: tuple[Pair, Pair],
    place: int | None,
    exchange: Exchange,
    tests: TestResults | None,
) -> ComparedPair:
    """A pair and its place among those that were tested."""
    first, second = two
    if tests is None or place is None:
        return ComparedPair(
            first=first, second=second, move=None, not_tested=NO_COUNTS, units=(0, 0)
        )
    # the smaller share of its outputs that can change places, of both scans
    movable = min(
        exchange.outputs[place, scan] / pair.counts.total_evaluated
        for scan, pair in enumerate(two)
    )
    return ComparedPair(
        first=first,
        second=second,
        move=tests.moves[place] if movable else None,
        not_tested=None if movable >= LEAST_MOVABLE else FEW_MOVABLE,
        units=(exchange.units[place, 0], exchange.units[place, 1]),
    )


def cause_of(
    direction: str, pairs: Sequence[ComparedPair], tests: TestResults, alpha: float
) -> Cause:
    """Attribute a change in one direction to pairs.

    Parameters
    ----------
    direction : str
        :data:`FELL` or :data:`ROSE`.
    pairs : sequence of ComparedPair
    tests : TestResults
        Of these pairs; significant in this direction.
    alpha : float
        Level of the verdict.
    """
    sign = -1 if direction == FELL else 1
    moved = sorted(
        (pair for pair in pairs if sign * pair.z > 0),
        key=lambda pair: (-sign * pair.z, pair.name),
    )
    outstanding = [pair for pair in moved if pair.stands_out(direction, alpha)]
    kind = PAIRS
    if not outstanding:
        together = tests.p_less if direction == FELL else tests.p_more
        kind = MANY_PAIRS if together < alpha else SCORE
    return Cause(
        direction=direction,
        kind=kind,
        pairs=tuple(outstanding or moved[:MOST_LISTED]),
        moved=len(moved),
        against=sum(sign * pair.z < 0 for pair in pairs),
    )
