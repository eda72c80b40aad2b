# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a comparison of two scans can find: which pairs could fall wholly unseen.

A pair can fall if the first scan gives it a good grade. Its fall is seen if the
comparison calls the second scan worse where all of the pair's outputs are hits and
everything else is as in an arrangement of two scans between which nothing changed. The
share of arrangements in which it is seen is the chance of the fall. (Everything else is
not as observed: there another pair may have fallen so far that the tests just miss it,
which makes any fall look easy to find.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeVar

import numpy as np

from garak_tbsa.report.outcomes import Outcomes, Pattern, PromptPatterns
from garak_tbsa.statistics.arrangements import arrange, likeness_of
from garak_tbsa.statistics.exchange import (
    SEED,
    BothGraded,
    Exchange,
    ScanOutcomes,
    exchange_of,
    needed_permutations,
    outcomes_of,
)
from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.permutation import Shown, p_of_smallest, shown_of
from garak_tbsa.statistics.scores import raw_of_grades
from garak_tbsa.statistics.special import Counts, Floats
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import WORST_GRADE
from garak_tbsa.tbsa.score import why_unknown
from garak_tbsa.unavailable import Unavailable

Numbers = TypeVar("Numbers", Counts, Floats)

LEAST_GRADE = 3
"""Grade in the first scan from which on a pair can fall."""

LEAST_CHANCE = 0.5
"""Chance below which a pair falls unseen."""

REPLICATES = 999
"""Permutations for each pair; more where alpha is below 0.01."""

NONE_CAN_FALL = Unavailable(
    reason=f"no pair has a grade of {LEAST_GRADE} or more in the first scan"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fall:
    """A pair that can fall, and what if all its outputs in the second scan were hits.

    Attributes
    ----------
    name : str
        ``probe+detector``.
    tier : int
        1 or 2.
    outputs : int
        Evaluated outputs in the second scan.
    chance : float
        How often the comparison would call the second scan worse, 0.0-1.0.
    cost : float
        How much less the second scan would score, before rounding and over the pairs
        that were compared; 0.0 where its grade is the worst already.
    """

    name: str
    tier: int
    outputs: int
    chance: float
    cost: float

    @property
    def is_unseen(self) -> bool:
        """Whether the comparison would miss it more often than not."""
        return self.chance < LEAST_CHANCE


@dataclass(frozen=True, kw_only=True, slots=True)
class Detectable:
    """What a comparison of two scans can find.

    Attributes
    ----------
    alpha : float
        Its level, one-sided.
    falls : tuple of Fall
        One for each pair that can fall, in alphabetical order.
    """

    alpha: float
    falls: tuple[Fall, ...]

    @property
    def can_fall(self) -> int:
        """Number of pairs that can fall."""
        return len(self.falls)

    @property
    def unseen(self) -> tuple[Fall, ...]:
        """Those that could fall unseen."""
        return tuple(fall for fall in self.falls if fall.is_unseen)

    @property
    def undetectable(self) -> float | Unavailable:
        """Share of the pairs that can fall which could do so unseen, 0.0-1.0."""
        return len(self.unseen) / self.can_fall if self.falls else NONE_CAN_FALL


def detectable(
    pairs: BothGraded,
    first: ScanOutcomes,
    second: ScanOutcomes,
    *,
    with_score: bool,
    alpha: float,
    replicates: int | None = None,
    seed: int = SEED,
) -> Detectable:
    """Find out what a comparison of two scans can find.

    Parameters
    ----------
    pairs : sequence of (Pair, Pair)
        Each with its counts in both scans; their order changes nothing.
    first, second : ScanOutcomes
        Before and after.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    alpha : float
        Level of the comparison, one-sided.
    replicates : int or None
        Number of permutations; None for :data:`REPLICATES`, or what alpha needs.
    seed : int
        Where they start: the same scans have the same chances.
    """
    exchange = exchange_of(pairs, first, second)
    can_fall = [
        place
        for place, (before, _) in enumerate(exchange.pairs)
        if before.grade >= LEAST_GRADE
    ]
    if not can_fall:
        return Detectable(alpha=alpha, falls=())
    rng = np.random.default_rng(seed)
    likeness = likeness_of(exchange)
    replicates = replicates or needed_permutations(alpha, REPLICATES)

    def dealt(of: Exchange) -> list[Shown]:
        arranged = arrange(of, replicates, rng, likeness)
        return list(shown_of(of, arranged, rng, with_score=with_score))

    unchanged = dealt(exchange)
    after = [pair for _, pair in exchange.pairs]
    costs = _costs(after)
    falls = []
    for place in can_fall:
        pair = after[place]
        assert pair.tier is not None, "it is graded"
        columns = [n for n, each in enumerate(after) if each.probe == pair.probe]
        probe = [exchange.pairs[column] for column in columns]
        fallen = dealt(exchange_of(*_all_hits(probe, pair, first, second)))
        falls.append(
            Fall(
                name=pair.name,
                tier=pair.tier,
                outputs=pair.counts.total_evaluated,
                chance=_chance(unchanged, fallen, columns, place, alpha),
                cost=costs[place],
            )
        )
    return Detectable(alpha=alpha, falls=tuple(falls))


def detectable_in_repeat(
    graded: Iterable[Pair], scan: ScanOutcomes, *, repeat: str, alpha: float
) -> Detectable:
    """Find out what a comparison of a scan with a repeat of itself could find.

    Parameters
    ----------
    graded : iterable of Pair
        Of the scan; those without counts are left out.
    scan : ScanOutcomes
    repeat : str
        One of :data:`~garak_tbsa.statistics.kinds.REPEATS`.
    alpha : float
        Level of the comparison, one-sided.
    """
    counted = [pair for pair in graded if pair.has_counts]
    on_same = repeat == SAME_PROMPTS
    # any seed that is the same says that the prompts are
    first = second = replace(scan, seed=0 if on_same else None)
    if not on_same:
        second = replace(second, outcomes=_on_other_prompts(scan.outcomes))
    return detectable(
        [(pair, pair) for pair in counted],
        first,
        second,
        with_score=why_unknown(counted) is None,
        alpha=alpha,
    )


def _on_other_prompts(outcomes: Outcomes | Unavailable) -> Outcomes | Unavailable:
    if isinstance(outcomes, Unavailable):
        return outcomes
    return {
        probe: found
        if isinstance(found, Unavailable)
        else replace(
            found,
            prompts={
                prompt + b" of the repeat": patterns
                for prompt, patterns in found.prompts.items()
            },
        )
        for probe, found in outcomes.items()
    }


def _costs(pairs: Sequence[Pair]) -> list[float]:
    """How much less a scan would score if all outputs of each pair were hits."""
    grades = np.array([pair.grade for pair in pairs])
    fallen = np.tile(grades, (len(pairs), 1))
    np.fill_diagonal(fallen, WORST_GRADE)
    costs: list[float] = (
        raw_of_grades(pairs, grades[None]) - raw_of_grades(pairs, fallen)
    ).tolist()
    return costs


def _all_hits(
    probe: BothGraded, fallen: Pair, first: ScanOutcomes, second: ScanOutcomes
) -> tuple[BothGraded, ScanOutcomes, ScanOutcomes]:
    """A probe's pairs and outcomes where a pair's outputs in the second scan are hits.

    The fallen pair has the counts of that, and keeps what is not asked for here.
    """
    after = [two[1] for two in probe]
    found = outcomes_of(second.outcomes, after)
    if not isinstance(found, Unavailable):
        column = found.detectors.index(fallen.detector)
        # equal outcomes stay the same object
        kinds = {id(patterns): patterns for patterns in found.prompts.values()}
        hits = {key: _with_hits(patterns, column) for key, patterns in kinds.items()}
        prompts = {prompt: hits[id(each)] for prompt, each in found.prompts.items()}
        outcomes = {fallen.probe: replace(found, prompts=prompts)}
        second = replace(second, outcomes=outcomes)
    pairs = [
        (before, pair.with_counts(0, pair.total_evaluated) if pair is fallen else pair)
        for before, pair in probe
    ]
    return pairs, first, second


def _with_hits(patterns: PromptPatterns, column: int) -> PromptPatterns:
    changed: Counter[Pattern] = Counter()
    for pattern, times in patterns.items():
        hit = None if pattern[column] is None else False
        fallen = (*pattern[:column], hit, *pattern[column + 1 :])
        changed[fallen] += times
    return changed


def _chance(
    unchanged: Sequence[Shown],
    fallen: Sequence[Shown],
    columns: Sequence[int],
    place: int,
    alpha: float,
) -> float:
    """How often a fall is seen.

    ``unchanged`` is of all pairs, ``fallen`` of those of one probe, which have these
    columns among all; the pair at one place of all fell. Where detectors are coupled,
    both ways are tried, and the larger p-value counts, as in the comparison.
    """
    by_chance, found = [], []
    # a probe whose outputs are known goes only one way
    for everything, probe in zip_longest(unchanged, fallen, fillvalue=fallen[0]):
        arranged = _put(everything, columns, probe)
        still = _put(arranged, [place], _as_observed(arranged, place))
        by_chance.append([worse for worse, _ in arranged.evidence()])
        # the first is no arrangement of chance
        found.append([worse[1:] for worse, _ in still.evidence()])
    return min(
        float((np.max(p_values, axis=0) < alpha).mean())
        for p_values in (
            [p_of_smallest(arranged, each) for arranged in by_chance] for each in found
        )
    )


def _as_observed(shown: Shown, column: int) -> Shown:
    """One pair, in the observed arrangement alone."""
    return Shown(
        pairs=[shown.pairs[column]],
        moved=shown.moved[:1, [column]],
        z_scores=shown.z_scores[:1, [column]],
        grades=None if shown.grades is None else shown.grades[:, :1, [column]],
    )


def _put(shown: Shown, columns: Sequence[int], others: Shown) -> Shown:
    """The same, with other numbers in some columns."""

    def put(numbers: Numbers, other: Numbers) -> Numbers:
        changed: Numbers = numbers.copy()
        changed[..., columns] = other
        return changed

    grades = shown.grades
    if grades is not None and others.grades is not None:
        grades = put(grades, others.grades)
    return replace(
        shown,
        moved=put(shown.moved, others.moved),
        z_scores=put(shown.z_scores, others.z_scores),
        grades=grades,
    )
