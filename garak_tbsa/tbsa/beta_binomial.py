# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The Beta-binomial distribution of a count, and the Beta that fits many counts.

Written with ``math`` alone: importing numpy would take longer than all of it.
"""

from __future__ import annotations

import math
from math import lgamma

from garak_tbsa.lean.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Point = tuple[float, float]

FEWEST_TO_FIT = 5
SMALLEST, LARGEST = 1e-3, 1e6
NEGLIGIBLE = 1e-18
ITERATIONS = 200
TOLERANCE = 1e-7


@record
class BetaShape:
    """The two shapes of a Beta distribution, each above 0."""

    alpha: float
    beta: float

    def mode_of_count(self, total: int) -> int:
        """Return a most probable Beta-binomial count of ``total`` outputs."""
        if self.alpha + self.beta <= 2:
            return 0
        mode = math.floor((total + 1) * (self.alpha - 1) / (self.alpha + self.beta - 2))
        return min(total, max(0, mode))


JEFFREYS = BetaShape(alpha=0.5, beta=0.5)


@record
class CountDistribution:
    """Probabilities of consecutive counts; those left out are negligible.

    Attributes
    ----------
    first : int
        The lowest count.
    probabilities : list of float
        Of ``first``, ``first + 1``, ...; they sum to 1.
    """

    first: int
    probabilities: list[float]

    @property
    def cumulated(self) -> list[float]:
        """Probability of a count below ``first + i``, one entry more than counts."""
        reached = [0.0]
        for probability in self.probabilities:
            reached.append(reached[-1] + probability)
        return reached


def count_distribution(total: int, shape: BetaShape) -> CountDistribution:
    """Return the Beta-binomial distribution of a count.

    Parameters
    ----------
    total : int
        Number of outputs, >= 1.
    shape : BetaShape
        The Beta that the pass rate follows.

    Notes
    -----
    Walks from the mode outwards with the ratio of neighbours,
    ``(n - j)(alpha + j) / ((j + 1)(beta + n - j - 1))``, until nothing is left.
    """
    alpha, beta = shape.alpha, shape.beta
    mode = shape.mode_of_count(total)
    upwards = [1.0]
    for count in range(mode, total):
        ratio = (total - count) * (alpha + count)
        ratio /= (count + 1) * (beta + total - count - 1)
        weight = upwards[-1] * ratio
        if weight < NEGLIGIBLE and total > 2:
            break
        upwards.append(weight)
    downwards: list[float] = []
    weight = 1.0
    for count in range(mode, 0, -1):
        ratio = count * (beta + total - count)
        ratio /= (total - count + 1) * (alpha + count - 1)
        weight *= ratio
        if weight < NEGLIGIBLE and total > 2:
            break
        downwards.append(weight)
    weights = downwards[::-1] + upwards
    sum_of_weights = math.fsum(weights)
    return CountDistribution(
        first=mode - len(downwards),
        probabilities=[weight / sum_of_weights for weight in weights],
    )


def fit_prior(counts: Sequence[tuple[float, float]]) -> BetaShape:
    """Fit a Beta to passed and evaluated counts by maximum likelihood.

    Parameters
    ----------
    counts : sequence of (float, float)
        Passed and evaluated outputs of each pair; not whole where so many independent
        ones say as much.

    Returns
    -------
    BetaShape
        Within 0.001 and 1,000,000. With fewer than 5 pairs there is nothing to
        fit and Jeffreys' Beta(1/2, 1/2) is returned.

    Notes
    -----
    Where every output passed, or none did, the likelihood rises without end and
    the fit would claim that no repeat can differ. Then all outputs together are
    one sample, and Jeffreys' posterior for it is returned.
    """
    if len(counts) < FEWEST_TO_FIT:
        return JEFFREYS
    passes = sum(passed for passed, _ in counts)
    outputs = sum(total for _, total in counts)
    if passes in (0, outputs):
        return BetaShape(
            alpha=JEFFREYS.alpha + passes, beta=JEFFREYS.beta + outputs - passes
        )
    # the likelihood is a sum over passes, hits and totals, each of which repeats
    passed = _times(passed for passed, _ in counts)
    failed = _times(total - passed for passed, total in counts)
    totals = _times(total for _, total in counts)

    def cost(point: Point) -> float:
        shape = _shape(point)
        a, b = shape.alpha, shape.beta
        log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
        terms = [len(counts) * log_beta]
        terms += [times * lgamma(a + b + n) for n, times in totals]
        terms += [-times * lgamma(a + k) for k, times in passed]
        terms += [-times * lgamma(b + k) for k, times in failed]
        return math.fsum(terms)

    share = passes / outputs
    start = (math.log(2 * max(share, 0.05)), math.log(2 * max(1 - share, 0.05)))
    return _shape(_minimum(cost, start))


def _times(values: Iterable[float]) -> list[tuple[float, int]]:
    found: dict[float, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return sorted(found.items())


def _shape(point: Point) -> BetaShape:
    return BetaShape(
        alpha=min(max(math.exp(point[0]), SMALLEST), LARGEST),
        beta=min(max(math.exp(point[1]), SMALLEST), LARGEST),
    )


def _minimum(cost: Callable[[Point], float], start: Point) -> Point:
    """Minimise over the plane by Nelder and Mead's simplex, started around a point."""
    corners = [start, (start[0] + 0.7, start[1]), (start[0], start[1] + 0.7)]
    simplex = sorted((cost(corner), corner) for corner in corners)
    for _ in range(ITERATIONS):
        (best_cost, best), (middle_cost, middle), (worst_cost, worst) = simplex
        if worst_cost - best_cost < TOLERANCE * (1 + abs(best_cost)) * 1e-3:
            break
        centre = ((best[0] + middle[0]) / 2, (best[1] + middle[1]) / 2)
        reflected = _tried(cost, centre, worst, 1.0)
        if reflected[0] < best_cost:
            expanded = _tried(cost, centre, worst, 2.0)
            simplex[2] = min(expanded, reflected)
        elif reflected[0] < middle_cost:
            simplex[2] = reflected
        else:
            side = 0.5 if reflected[0] < worst_cost else -0.5
            contracted = _tried(cost, centre, worst, side)
            if contracted[0] < min(worst_cost, reflected[0]):
                simplex[2] = contracted
            else:
                simplex[1:] = [
                    _tried(cost, best, corner, -0.5) for corner in (middle, worst)
                ]
        simplex.sort()
    return simplex[0][1]


def _tried(
    cost: Callable[[Point], float], centre: Point, corner: Point, step: float
) -> tuple[float, Point]:
    """Cost at ``centre + step * (centre - corner)``, within reasonable exponents."""
    point = (
        min(max(centre[0] + step * (centre[0] - corner[0]), -20.0), 20.0),
        min(max(centre[1] + step * (centre[1] - corner[1]), -20.0), 20.0),
    )
    return cost(point), point
