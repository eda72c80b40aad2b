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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from garak_tbsa.report.outcomes import Outcomes
from garak_tbsa.statistics.arrangements import arrange, likeness_of
from garak_tbsa.statistics.draws import Floats
from garak_tbsa.statistics.exchange import (
    SEED,
    BothGraded,
    Exchange,
    ScanOutcomes,
    exchange_of,
    needed_permutations,
)
from garak_tbsa.statistics.permutation import evidence_in, p_of_smallest
from garak_tbsa.statistics.repeat_prompts import SAME_PROMPTS
from garak_tbsa.statistics.scores import raw_of_grades
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import WORST_GRADE
from garak_tbsa.tbsa.score import why_unknown
from garak_tbsa.unavailable import Unavailable

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
    exchange: Exchange | None = None,
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
    exchange : Exchange, optional
        What may change places in these scans, where it is known already.
    """
    if exchange is None:
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

    def dealt(of: Exchange) -> list[Floats]:
        return arrange(of, replicates, rng, likeness, with_score=with_score).ways

    unchanged = dealt(exchange)
    after = [pair for _, pair in exchange.pairs]
    grades = np.array([pair.grade for pair in after])
    worst = np.tile(grades, (len(after), 1))
    np.fill_diagonal(worst, WORST_GRADE)
    costs = raw_of_grades(after, grades[None]) - raw_of_grades(after, worst)
    falls = []
    for place in can_fall:
        pair = after[place]
        assert pair.tier is not None, "it is graded"
        probe = [n for n, each in enumerate(after) if each.probe == pair.probe]
        own = [exchange.pairs[n] for n in probe]
        fallen = dealt(exchange_of(own, first, second, fallen=pair.name))
        ways = []
        # a probe whose outputs are known goes only one way
        for everything, theirs in zip_longest(unchanged, fallen, fillvalue=fallen[0]):
            way = everything.copy()
            way[:, :, probe] = theirs
            ways.append(way)
        falls.append(
            Fall(
                name=pair.name,
                tier=pair.tier,
                outputs=pair.counts.total_evaluated,
                chance=_chance(after, ways, place, alpha),
                cost=float(costs[place]),
            )
        )
    return Detectable(alpha=alpha, falls=tuple(falls))


def _chance(
    pairs: Sequence[Pair], ways: Sequence[Floats], place: int, alpha: float
) -> float:
    """How often the fall of the pair at a place is seen.

    Where detectors are coupled, both ways are tried, and the larger p-value counts, as
    in the comparison.
    """
    by_chance = [[worse for worse, _ in evidence_in(pairs, way)] for way in ways]
    chances = []
    for way in ways:
        fell = way.copy()
        # the pair as observed, all others as in each arrangement; the first of these
        # is no arrangement of chance
        fell[:, :, place] = way[:, :1, place]
        found = [worse[1:] for worse, _ in evidence_in(pairs, fell)]
        p_values = [p_of_smallest(arranged, found) for arranged in by_chance]
        chances.append(float((np.max(p_values, axis=0) < alpha).mean()))
    return min(chances)


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
        One of :data:`~garak_tbsa.statistics.repeat_prompts.REPEATS`.
    alpha : float
        Level of the comparison, one-sided.
    """
    counted = [pair for pair in graded if pair.has_counts]
    on_same = repeat == SAME_PROMPTS
    # any seed that is the same says that the prompts are
    first = second = replace(scan, seed=0 if on_same else None)
    if not on_same and not isinstance(scan.outcomes, Unavailable):
        second = replace(second, outcomes=_on_other_prompts(scan.outcomes))
    return detectable(
        [(pair, pair) for pair in counted],
        first,
        second,
        with_score=why_unknown(counted) is None,
        alpha=alpha,
    )


def _on_other_prompts(outcomes: Outcomes) -> Outcomes:
    found = dict(outcomes)
    for probe, known in outcomes.items():
        if not isinstance(known, Unavailable):
            prompts = {b"of the repeat " + key: p for key, p in known.prompts.items()}
            found[probe] = replace(known, prompts=prompts)
    return found
