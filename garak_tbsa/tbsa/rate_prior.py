# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What pass rates the pairs of one scan have: masses on a grid, of no given shape."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log, pi, sin
from operator import mul

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.beta_binomial import FEWEST_TO_FIT, BetaShape, fit_prior
from garak_tbsa.tbsa.incomplete_beta import regularized_incomplete_beta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.pairs import Counts

    Seen = tuple[float, float]

STEPS = 103
RATES = (*(sin(pi / 2 * step / STEPS) ** 2 for step in range(STEPS)), 1.0)
"""From 0 to 1, in equal steps of the arcsine of their root.

On that scale a share of n outputs varies by as much at every rate, by 1 / (2 root n).
"""

BETWEEN = tuple(sin(pi / 2 * (step + 0.5) / STEPS) ** 2 for step in range(STEPS))
"""Where one rate's part of the line ends and the next one's begins."""

IMPOSSIBLE = -1e9
LOG_PASS = tuple(log(rate) if rate else IMPOSSIBLE for rate in RATES)
LOG_HIT = LOG_PASS[::-1]

MANY_OUTPUTS = 1000
"""Beyond that many a pair varies by less than a step or two of the grid."""

SMOOTHING = 2.0
"""Pairs' worth of the fitted Beta that the masses are smoothed with."""

ROUNDS = 40


@record
class RatePrior:
    """Masses of the rates, and the Beta that they are smoothed with.

    Attributes
    ----------
    masses : tuple of float
        One for each of :data:`RATES`; they sum to 1.
    beta : BetaShape
        It serves alone for pairs of more than :data:`MANY_OUTPUTS` outputs.
    """

    masses: tuple[float, ...]
    beta: BetaShape

    def after(self, passed: float, outputs: float) -> list[float]:
        """Return the masses once ``passed`` of ``outputs`` were seen to pass."""
        masses = list(map(mul, likelihood(passed, outputs), self.masses))
        total = sum(masses)
        return [mass / total for mass in masses]

    def beta_after(self, passed: float, outputs: float) -> BetaShape:
        """Return the Beta once ``passed`` of ``outputs`` were seen to pass."""
        return BetaShape(
            alpha=self.beta.alpha + passed, beta=self.beta.beta + outputs - passed
        )


def fit_rates(counts: Sequence[Counts], seen: Iterable[Seen]) -> RatePrior:
    """Fit the masses to what was seen of the pairs.

    Parameters
    ----------
    counts : sequence of Counts
        Of each pair, for the Beta.
    seen : iterable of (float, float)
        Passed and all outputs of each pair, as many as independent ones would be.

    Notes
    -----
    The EM algorithm for the largest likelihood over all distributions on the grid,
    with :data:`SMOOTHING` more pairs that are distributed as the Beta fitted to all.
    With fewer than five pairs the Beta is all there is.
    """
    beta = fit_prior(counts)
    base = beta_masses(beta)
    if len(counts) < FEWEST_TO_FIT:
        return RatePrior(masses=tuple(base), beta=beta)
    times: dict[Seen, int] = {}
    for each in seen:
        times[each] = times.get(each, 0) + 1
    rows = [likelihood(*each) for each in times]
    columns = list(zip(*rows, strict=True))
    repeated = list(times.values())
    share = 1 / (SMOOTHING + len(counts))
    smooth = [SMOOTHING * share * mass for mass in base]
    masses = base
    for _ in range(ROUNDS):
        weights = [
            share * many / sum(map(mul, row, masses))
            for many, row in zip(repeated, rows, strict=True)
        ]
        masses = [
            least + mass * sum(map(mul, column, weights))
            for least, mass, column in zip(smooth, masses, columns, strict=True)
        ]
    return RatePrior(masses=tuple(masses), beta=beta)


def likelihood(passed: float, outputs: float) -> list[float]:
    """Return how likely that is at each rate, 1 at the likeliest."""
    failed = outputs - passed
    logs = [
        passed * one + failed * other
        for one, other in zip(LOG_PASS, LOG_HIT, strict=True)
    ]
    most = max(logs)
    return [exp(each - most) for each in logs]


def beta_masses(shape: BetaShape) -> list[float]:
    """Return a Beta's share around each rate."""
    below = [
        0.0,
        *(
            regularized_incomplete_beta(shape.alpha, shape.beta, place)
            for place in BETWEEN
        ),
        1.0,
    ]
    # none is 0, so that what was seen is never impossible
    shares = [max(upto - before, 1e-12) for before, upto in pairwise(below)]
    total = sum(shares)
    return [share / total for share in shares]
