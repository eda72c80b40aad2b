# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Probabilities of a pair's grades in a repeat."""

from __future__ import annotations

from garak_tbsa.tbsa.beta_binomial import count_distribution
from garak_tbsa.tbsa.grade_counts import counts_of, grade_edges, shares_between
from garak_tbsa.tbsa.independent_repeat import below_edges
from garak_tbsa.tbsa.rate_grid import MANY_OUTPUTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.beta_binomial import BetaShape
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.rate_prior import TierPriors
    from garak_tbsa.tbsa.repeat_assumptions import RepeatAssumptions


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
            return self._below_many(edges, outputs, total, shape)
        masses = prior.after((passed, outputs), pair.distribution)
        if outputs == total:
            return self._below_independent(edges, total, masses)
        return _below_alike(edges, total, max(1, round(outputs)), masses)

    def _below_many(
        self, edges: Sequence[int], outputs: float, total: int, shape: BetaShape
    ) -> list[float]:
        return below_edges_of_many(edges, outputs, total, shape)

    def _below_independent(
        self, edges: Sequence[int], total: int, masses: Sequence[float]
    ) -> list[float]:
        return below_edges(edges, total, masses)


def _below_alike(
    edges: Sequence[int], total: int, size: int, masses: Sequence[float]
) -> list[float]:
    """The same of ``total`` alike outputs, by ``size`` independent ones.

    A count between two of theirs is as far between their probabilities.
    """
    places = [place_among(edge, size, total) for edge in edges]
    lower = [int(place) for place in places]
    upper = [min(low + 1, size + 1) for low in lower]
    bounds = sorted({*lower, *upper})
    below = dict(zip(bounds, below_edges(bounds, size, masses), strict=True))
    return [
        below[low] + (place - low) * (below[high] - below[low])
        for place, low, high in zip(places, lower, upper, strict=True)
    ]


def place_among(edge: int, size: int, total: int) -> float:
    """Return where an edge of ``total`` outputs is among those of ``size``.

    None, one, all and more than all stay what they are.
    """
    if edge <= 1:
        return edge
    if edge >= total:
        return size + edge - total
    return 1 + (edge - 1) * (size - 1) / (total - 1)


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
