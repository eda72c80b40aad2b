# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Probabilities of a pair's grades in a repeat."""

from __future__ import annotations

from bisect import bisect_left
from operator import mul

from garak_tbsa.tbsa.beta_binomial import count_distribution
from garak_tbsa.tbsa.grade_counts import counts_of, grade_edges, shares_between
from garak_tbsa.tbsa.incomplete_beta import count_below
from garak_tbsa.tbsa.independent_repeat import below_edges
from garak_tbsa.tbsa.rate_grid import MANY_OUTPUTS, RATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.beta_binomial import BetaShape
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.rate_prior import TierPriors
    from garak_tbsa.tbsa.repeat_assumptions import RepeatAssumptions

NEGLIGIBLE = 1e-13


def by_probe(graded: Iterable[GradedPair]) -> list[list[GradedPair]]:
    """Return the pairs that judge the same outputs together."""
    probes: dict[tuple[str, int], list[GradedPair]] = {}
    for pair in graded:
        probes.setdefault((pair.probe, pair.tier), []).append(pair)
    return list(probes.values())


class GradeChances:
    """Probabilities of grades 1 to 5; what recurs is worked out once.

    Parameters
    ----------
    priors : TierPriors
        What pass rates the pairs have.
    assumed : RepeatAssumptions
        How outputs go together.
    """

    def __init__(self, priors: TierPriors, assumed: RepeatAssumptions) -> None:
        self.priors = priors
        self.assumed = assumed
        self._known: dict[object, list[float]] = {}
        self._tails: dict[tuple[int, float, int], _Tail] = {}

    def of(self, pair: GradedPair) -> list[float]:
        """Return those of a pair."""
        by_prompt = self.assumed.prompt_counts_of(pair)
        outputs = by_prompt or self.assumed.outputs_of(pair)
        counted = (pair.passed, pair.total_evaluated, outputs)
        key = (pair.tier, *counted, pair.distribution)
        if key not in self._known:
            self._known[key] = shares_between(self.below(pair))
        return self._known[key]

    def below(self, pair: GradedPair) -> list[float]:
        """Return the probabilities of a grade below 2, 3, 4 and 5."""
        edges, prior = grade_edges(pair), self.priors.of(pair)
        by_prompt = self.assumed.prompt_counts_of(pair)
        if by_prompt is not None:
            return by_prompt.below(edges, prior.after(by_prompt, pair.distribution))
        total = counts_of(pair).total_evaluated
        passed, outputs = self.assumed.seen_of(pair)
        if total > MANY_OUTPUTS:
            shape = prior.beta_after(passed, outputs)
            return below_edges_of_many(edges, outputs, total, shape)
        masses = prior.after((passed, outputs), pair.distribution)
        if outputs == total:
            return below_edges(edges, total, masses)
        return [self._tail(edge, outputs, total).over(masses) for edge in edges]

    def _tail(self, edge: int, outputs: float, total: int) -> _Tail:
        key = (edge, outputs, total)
        if key not in self._tails:
            self._tails[key] = _Tail(edge, outputs, total)
        return self._tails[key]


def below_edges_of_many(
    edges: Sequence[int], outputs: float, total: int, shape: BetaShape
) -> list[float]:
    """Return the probabilities of a count below each edge, given the rate's Beta."""
    count = count_distribution(max(1, round(outputs)), shape)
    cumulated, found = count.cumulated, []
    for edge in edges:
        place = scaled_edge(edge, outputs, total) - count.first
        found.append(cumulated[min(max(place, 0), len(cumulated) - 1)])
    return found


def scaled_edge(edge: int, outputs: float, total: int) -> int:
    """Return the edge among as many counts as independent outputs would have."""
    if edge > total:
        return round(outputs) + 1
    return round((edge - 0.5) * outputs / total + 0.5)


class _Tail:
    """Probability of a count below an edge at each rate: 1, then falling, then 0."""

    def __init__(self, edge: int, outputs: float, total: int) -> None:
        falling: list[float] = []
        middle = bisect_left(RATES, min(1.0, max(0.0, edge / total)))
        first = middle
        while first > 0:
            tail = count_below(edge, outputs, total, RATES[first - 1])
            if tail > 1 - NEGLIGIBLE:
                break
            falling.append(tail)
            first -= 1
        falling.reverse()
        for rate in RATES[middle:]:
            tail = count_below(edge, outputs, total, rate)
            if tail < NEGLIGIBLE:
                break
            falling.append(tail)
        self._first, self._falling = first, falling

    def over(self, masses: Sequence[float]) -> float:
        """Return the probability where the rates have these masses."""
        first = self._first
        certain = sum(masses[:first])
        total: float = certain + sum(map(mul, self._falling, masses[first:]))
        return total
