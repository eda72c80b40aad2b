# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The beta-binomial law: its probabilities, and the Beta that fits many counts.

Written with ``math`` alone: importing numpy would take longer than all of it.
"""

from __future__ import annotations

import math
from math import lgamma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Point = tuple[float, float]

JEFFREYS = (0.5, 0.5)
FEWEST_TO_FIT = 5
SMALLEST, LARGEST = 1e-3, 1e6
NEGLIGIBLE = 1e-18
ITERATIONS = 200
TOLERANCE = 1e-7


def count_law(total: int, alpha: float, beta: float) -> tuple[int, list[float]]:
    """Return the law of a Beta-binomial count.

    Parameters
    ----------
    total : int
        Number of outputs, >= 1.
    alpha, beta : float
        Shape of the Beta, > 0.

    Returns
    -------
    first : int
        The lowest count with a probability worth keeping.
    weights : list of float
        Probabilities of ``first``, ``first + 1``, ...; they sum to 1.

    Notes
    -----
    Walks from the mode outwards with the ratio of neighbours,
    ``(n - j)(alpha + j) / ((j + 1)(beta + n - j - 1))``, until nothing is left.
    """
    mode = _mode(total, alpha, beta)
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
    return mode - len(downwards), [weight / sum_of_weights for weight in weights]


def _mode(total: int, alpha: float, beta: float) -> int:
    if alpha + beta <= 2:
        return 0
    mode = math.floor((total + 1) * (alpha - 1) / (alpha + beta - 2))
    return min(total, max(0, mode))


def fit_prior(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Fit a Beta(a, b) to passed and evaluated counts by maximum likelihood.

    Parameters
    ----------
    counts : sequence of (passed, total)
        One per pair, ``0 <= passed <= total``.

    Returns
    -------
    a, b : float
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
    passes, outputs = sum(k for k, _ in counts), sum(n for _, n in counts)
    if passes in (0, outputs):
        return JEFFREYS[0] + passes, JEFFREYS[1] + outputs - passes
    grouped: dict[tuple[int, int], int] = {}
    for passed, total in counts:
        grouped[passed, total] = grouped.get((passed, total), 0) + 1
    cells = [(times, k, n) for (k, n), times in grouped.items()]

    def cost(point: Point) -> float:
        a, b = shapes(point)
        log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
        return math.fsum(
            times * (log_beta - lgamma(a + k) - lgamma(b + n - k) + lgamma(a + b + n))
            for times, k, n in cells
        )

    def shapes(point: Point) -> Point:
        return _bounded(math.exp(point[0])), _bounded(math.exp(point[1]))

    share = passes / outputs
    start = (math.log(2 * max(share, 0.05)), math.log(2 * max(1 - share, 0.05)))
    return shapes(_minimum(cost, start))


def _bounded(shape: float) -> float:
    return min(max(shape, SMALLEST), LARGEST)


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
