# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The grid of pass rates, and how likely outputs are at each of them."""

from __future__ import annotations

import sys
from math import exp, log, pi, sin
from operator import mul, sub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Rows = Iterable[Sequence[float]]

if sys.version_info >= (3, 12):
    # three times as quick as sum and map
    from math import sumprod

    def products(rows: Rows, vector: Sequence[float]) -> list[float]:
        """Return the sum of each row's products with the vector."""
        return [sumprod(row, vector) for row in rows]

else:

    def products(rows: Rows, vector: Sequence[float]) -> list[float]:
        """Return the sum of each row's products with the vector."""
        return [sum(map(mul, row, vector)) for row in rows]


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

LEAST = 1e-12
"""No mass is lower, so that what was seen is never impossible."""


def likelihood(passed: float, outputs: float) -> Sequence[float]:
    """Return how likely that is at each rate, 1 at the likeliest."""
    failed = outputs - passed
    logs = [
        passed * one + failed * other
        for one, other in zip(LOG_PASS, LOG_HIT, strict=True)
    ]
    most = max(logs)
    return [exp(each - most) for each in logs]


def masses_between(below: Sequence[float]) -> list[float]:
    """Return the shares that those below each of :data:`BETWEEN` leave to each rate.

    They sum to 1; before that, none is lower than :data:`LEAST`.
    """
    shares = [
        share if share > LEAST else LEAST
        for share in map(sub, (*below, 1.0), (0.0, *below))
    ]
    total = sum(shares)
    return [share / total for share in shares]
