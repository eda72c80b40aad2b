# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether two scans differ, and the pairs that the verdict is due to.

The verdict is that of one test over all pairs; no cause changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from garak_tbsa.errors import NotComparableError
from garak_tbsa.statistics.detectable import Detectable, detectable
from garak_tbsa.statistics.exchange import (
    Exchange,
    ScanOutcomes,
    exchange_of,
    needed_permutations,
)
from garak_tbsa.statistics.permutation import PairMove, TestResults, permutation_tests
from garak_tbsa.tbsa.checksum import (
    PartDifference,
    differences_in_words,
    part_differences,
)
from garak_tbsa.tbsa.pairs import Culprit, Pair
from garak_tbsa.tbsa.scan import CommonPairs, Scan, common_names, over_common_pairs
from garak_tbsa.tbsa.score import why_unknown
from garak_tbsa.unavailable import Unavailable

WORSE, BETTER, BOTH_WAYS = "worse", "better", "worse and better"
NO_EVIDENCE, UNTESTED = "no evidence of a difference", "not tested"
"""What a comparison says, by the one test that a baseline's gate asks too."""

FELL, ROSE = "fell", "rose"
PAIRS, MANY_PAIRS, SCORE = "pairs", "many pairs", "score"
MOST_LISTED = 5
"""Pairs that are listed where none of them stands out."""

LEAST_MOVABLE = 0.5
"""Share of a pair's outputs that a test of it has to see, in either scan."""

NO_COUNTS = "a report has no counts"
NO_TEST = Unavailable(reason="no pair has counts in both reports")
FEW_MOVABLE = (
    "fewer than half of the outputs of a scan can change places with the other's, which"
    " takes the same prompt, or prompts that each scan sent alone"
)


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
    move: PairMove | None = None
    not_tested: str | None = None
    units: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        """``probe+detector``, as elsewhere."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What a verdict in one direction is due to.

    Attributes
    ----------
    direction : str
        :data:`FELL` or :data:`ROSE`.
    kind : str
        :data:`PAIRS` where pairs stand out by themselves, with an allowance for all
        that were tested; :data:`MANY_PAIRS` where none does and
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


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two scans and what tells them apart.

    Attributes
    ----------
    first, second : Scan
        Where common pairs were asked for, with the score of these alone.
    alpha : float
        Level of the verdict, one-sided each way.
    differences : tuple of PartDifference
        Parts of the checksum that differ; not empty only when forced, or over common
        pairs.
    common : CommonPairs or None
        None unless the common pairs were asked for.
    pairs : tuple of ComparedPair
        Pairs that both scans measured.
    not_measured : tuple of Culprit
        Pairs that the first scan alone measured although the second attempted them,
        or selected their probe: what each was, and why it is not measured now. No test
        sees them.
    not_selected : tuple of Culprit
        The same of pairs of which the second scan says nothing.
    added : tuple of str
        Pairs that the second scan alone measured.
    scans : tuple of two ScanOutcomes
        What is known of the outputs of each.
    exchange : Exchange
        What could change places between the scans, and for which pairs.
    tests : TestResults or None
        None where no pair has counts in both.
    score_not_tested : Unavailable or None
        Why the score's move was not tested, though others were; None if it was.
    """

    first: Scan
    second: Scan
    alpha: float
    differences: tuple[PartDifference, ...]
    common: CommonPairs | None
    pairs: tuple[ComparedPair, ...]
    not_measured: tuple[Culprit, ...]
    not_selected: tuple[Culprit, ...]
    added: tuple[str, ...]
    scans: tuple[ScanOutcomes, ScanOutcomes]
    exchange: Exchange
    tests: TestResults | None
    score_not_tested: Unavailable | None

    @property
    def only_in_one(self) -> list[str]:
        """Names of the pairs that only one scan measured."""
        gone = (*self.not_measured, *self.not_selected)
        return sorted([*(each.pair for each in gone), *self.added])

    @property
    def tbsa_difference(self) -> float:
        """Second minus first score, in whole tenths."""
        return round(self.second.tbsa - self.first.tbsa, 1)

    @property
    def p_worse(self) -> float | None:
        """p-value of worse; None if nothing could be tested."""
        return None if self.tests is None else self.tests.p_worse

    @property
    def p_better(self) -> float | None:
        """p-value of better; None if nothing could be tested."""
        return None if self.tests is None else self.tests.p_better

    @property
    def changed(self) -> list[ComparedPair]:
        """Pairs with another grade."""
        return [pair for pair in self.pairs if pair.changed_grade]

    @property
    def untested_differences(self) -> list[ComparedPair]:
        """Pairs that differ between the scans while no test says if that is chance."""
        return [pair for pair in self.pairs if pair.is_untested_difference]

    @cached_property
    def verdict(self) -> str:
        """One of :data:`WORSE` and the others.

        What was tested can show that a scan is worse. It cannot show that it is not
        worse, where pairs that differ were not tested, or were not measured now.
        """
        if self.tests is None:
            return UNTESTED
        better = self.tests.p_better < self.alpha
        if self.tests.p_worse < self.alpha:
            return BOTH_WAYS if better else WORSE
        if self.untested_differences or self.not_measured:
            return UNTESTED
        return BETTER if better else NO_EVIDENCE

    @property
    def may_be_worse(self) -> bool:
        """Whether a gate has to stop it: worse, or nobody knows that it is not.

        Pairs that the second scan did not select are left aside only where the common
        pairs were asked for.
        """
        fewer = self.common is None and bool(self.not_selected)
        return fewer or self.verdict in (WORSE, BOTH_WAYS, UNTESTED)

    @cached_property
    def detectable(self) -> Detectable | Unavailable:
        """What a comparison of these scans can find; it takes about a second."""
        if self.tests is None:
            return NO_TEST
        return detectable(
            self.exchange.pairs,
            *self.scans,
            with_score=self.score_not_tested is None,
            alpha=self.alpha,
            exchange=self.exchange,
        )

    @cached_property
    def causes(self) -> list[Cause]:
        """What the verdict is due to, falls first, one entry for each direction.

        Empty where there is no evidence of a difference, or it was not tested.
        """
        tests = self.tests
        if tests is None or self.verdict == UNTESTED:
            return []
        ways = (
            (FELL, tests.p_worse, tests.p_less),
            (ROSE, tests.p_better, tests.p_more),
        )
        return [
            self._cause(direction, together)
            for direction, p_value, together in ways
            if p_value < self.alpha
        ]

    def _cause(self, direction: str, together: float) -> Cause:
        """Attribute a change; ``together`` is the p-value of all passes together."""
        sign = -1 if direction == FELL else 1
        moved = sorted(
            (pair for pair in self.pairs if sign * pair.z > 0),
            key=lambda pair: (-sign * pair.z, pair.name),
        )
        outstanding = [
            pair
            for pair in moved
            if pair.move is not None
            and (pair.move.p_fell if sign < 0 else pair.move.p_rose) < self.alpha
        ]
        many = MANY_PAIRS if together < self.alpha else SCORE
        return Cause(
            direction=direction,
            kind=PAIRS if outstanding else many,
            pairs=tuple(outstanding or moved[:MOST_LISTED]),
            moved=len(moved),
            against=sum(sign * pair.z < 0 for pair in self.pairs),
        )


def compare(
    first: Scan,
    second: Scan,
    *,
    alpha: float,
    force: bool = False,
    common: bool = False,
) -> Comparison:
    """Compare two scans, by prompt where their attempts allow it.

    Parameters
    ----------
    first, second : Scan
        Before and after.
    alpha : float
        Level of the verdict; it decides how many permutations are drawn.
    force : bool
        Compare although the checksums differ.
    common : bool
        The same, over the pairs that both measured with the same tier: both scans
        are scored again over these.

    Raises
    ------
    NotComparableError
        The checksums differ, or there is no common pair.
    """
    differences = part_differences(first.checksum, second.checksum)
    if differences and not (force or common):
        raise NotComparableError(_refusal(first, second, differences))
    before = {pair.name: pair for pair in first.graded}
    now = {pair.name for pair in second.graded}
    not_measured, not_selected = _gone(first, second, now)
    narrowed = over_common_pairs(first, second) if common else None
    if narrowed is not None:
        first, second = narrowed.first, narrowed.second
    kept = {pair.name for pair in first.graded}
    both = [(before[pair.name], pair) for pair in second.graded if pair.name in kept]
    one, two = (
        ScanOutcomes(
            outcomes=scan.report.outcomes,
            seed=scan.report.settings.seed,
            generations=scan.report.settings.generations,
        )
        for scan in (first, second)
    )
    counted = [pair for pair in both if pair[0].has_counts and pair[1].has_counts]
    # whether any counts give a score
    unknown = filter(None, map(why_unknown, zip(*counted, strict=True)))
    score_not_tested = next(unknown, None)
    exchange, tests = exchange_of(counted, one, two), None
    if counted:
        tests = permutation_tests(
            exchange,
            with_score=score_not_tested is None,
            replicates=needed_permutations(alpha),
        )
    return Comparison(
        first=first,
        second=second,
        alpha=alpha,
        differences=differences,
        common=narrowed,
        pairs=_compared(both, exchange, tests),
        not_measured=not_measured,
        not_selected=not_selected,
        added=tuple(sorted(now - before.keys())),
        scans=(one, two),
        exchange=exchange,
        tests=tests,
        score_not_tested=score_not_tested,
    )


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


def _gone(
    first: Scan, second: Scan, now: set[str]
) -> tuple[tuple[Culprit, ...], tuple[Culprit, ...]]:
    """The pairs that the first scan alone measured: not measured now, not selected."""
    reasons = {pair.name: pair.reason_text for pair in second.left_out}
    not_measured: list[Culprit] = []
    not_selected: list[Culprit] = []
    for pair in sorted(first.graded, key=lambda pair: pair.name):
        if pair.name in now:
            continue
        found, reason = not_measured, reasons.get(pair.name)
        if reason is None and second.report.settings.selects(pair.probe):
            reason = "its probe was selected and left no such result"
        elif reason is None:
            found, reason = not_selected, "the scan has no result of it"
        known = f"grade {pair.grade}"
        if pair.has_counts:
            known = f"{pair.passed} of {pair.total_evaluated} passed"
        problem = f"({known} before; now {reason})"
        found.append(Culprit(pair=pair.name, problem=problem))
    return tuple(not_measured), tuple(not_selected)


def _compared(
    both: Sequence[tuple[Pair, Pair]], exchange: Exchange, tests: TestResults | None
) -> tuple[ComparedPair, ...]:
    """Each pair of both scans, with what the tests say of it."""
    places = {pair.name: place for place, (_, pair) in enumerate(exchange.pairs)}
    found = []
    for first, second in both:
        place = places.get(second.name)
        if tests is None or place is None:
            found.append(ComparedPair(first=first, second=second, not_tested=NO_COUNTS))
            continue
        # the smaller share of its outputs that can change places, of both scans
        movable = min(
            exchange.outputs[place, scan] / pair.counts.total_evaluated
            for scan, pair in enumerate((first, second))
        )
        found.append(
            ComparedPair(
                first=first,
                second=second,
                move=tests.moves[place] if movable else None,
                not_tested=None if movable >= LEAST_MOVABLE else FEW_MOVABLE,
                units=(exchange.units[place, 0], exchange.units[place, 1]),
            )
        )
    return tuple(found)
