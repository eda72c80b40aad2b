# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many of a repeat's independent outputs pass, where masses of rates are given.

The count is a mixture of binomials, one for each rate. A walk over the counts
multiplies what each rate adds by its odds, so that a count costs a multiplication a
rate. Sums of counts between two edges are wanted; the longest needs no walk, since
all of them sum to 1.
"""

from __future__ import annotations

from itertools import pairwise
from math import comb, exp, log
from operator import mul

from garak_tbsa.tbsa.rate_grid import LOG_HIT, LOG_PASS, RATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NEGLIGIBLE = 1e-16
ODDS = (
    *(one / other for one, other in zip(RATES[:-1], RATES[:0:-1], strict=True)),
    0.0,
)
"""Of a pass. Where passes are certain there is a single count and nothing to walk."""


def below_edges(
    edges: Sequence[int], total: int, masses: Sequence[float]
) -> list[float]:
    """Return the probabilities that a repeat has fewer passes than each edge.

    Parameters
    ----------
    edges : sequence of int
        Pass counts, ascending, 0 to ``total + 1``.
    total : int
        Independent outputs, 1 to a thousand.
    masses : sequence of float
        One for each of :data:`~garak_tbsa.tbsa.rate_grid.RATES`, once the passes
        of as many outputs were seen; they sum to 1.

    Notes
    -----
    Exact, except for rates and counts whose probability is below 1e-16. Rates that are
    possible after the same hundreds of outputs are near each other, so that no
    binomial of one is below the smallest float where that of another is not.
    """
    possible = [place for place, mass in enumerate(masses) if mass > NEGLIGIBLE]
    first, last = possible[0], possible[-1]
    low, high = _longest_part(
        (0, *edges, total + 1), total * RATES[first], total * RATES[last] + 1
    )
    over = _chances_from(high, total, masses, slice(first, last + 1))
    # the same of hits, whose rates are those of passes from the other end
    mirrored = slice(len(RATES) - 1 - last, len(RATES) - first)
    under = _chances_from(total + 1 - low, total, masses[::-1], mirrored)
    return [
        sum(under[low - edge :]) if edge <= low else 1.0 - sum(over[edge - high :])
        for edge in edges
    ]


def _longest_part(bounds: Sequence[int], least: float, most: float) -> tuple[int, int]:
    """Return the two neighbours between which most of ``least`` to ``most`` lies."""
    return max(
        pairwise(bounds),
        key=lambda part: min(part[1], most) - max(part[0], least),
    )


def _chances_from(
    first: int, total: int, masses: Sequence[float], possible: slice
) -> list[float]:
    """Return the probabilities of ``first``, ``first + 1``, ... passes.

    Those after the last one are negligible.
    """
    if first > total:
        return []
    ways, hits = log(comb(total, first)), total - first
    weights = [
        mass * exp(ways + first * log_pass + hits * log_hit)
        for mass, log_pass, log_hit in zip(
            masses[possible], LOG_PASS[possible], LOG_HIT[possible], strict=True
        )
    ]
    odds, highest = ODDS[possible], RATES[possible][-1]
    chances, more_ways = [sum(weights)], 1.0
    for count in range(first, total):
        weights = list(map(mul, weights, odds))
        more_ways *= (total - count) / (count + 1)
        chances.append(more_ways * sum(weights))
        # from the highest rate on, no rate's binomial rises any more
        if chances[-1] < NEGLIGIBLE and count >= total * highest:
            return chances
    if first < total and highest == 1.0:
        chances[-1] += masses[-1]
    return chances
