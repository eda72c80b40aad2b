# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The regularised incomplete beta function, a Beta's distribution function.

With ``math`` alone.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p

SMALLEST = 1e-300
CLOSE = 1e-15
MOST_TERMS = 100_000


def regularized_incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the share of a Beta(a, b) distribution below x.

    Parameters
    ----------
    a, b : float
        Above 0.
    x : float
        0-1.

    Notes
    -----
    The continued fraction of DLMF 8.17.22, evaluated by Lentz's method on the side
    where it converges quickly; the number of terms grows with the root of a and b.
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    upper, lower = 1.0, 1.0 - (a + b) * x / (a + 1)
    lower = 1.0 / (lower if abs(lower) > SMALLEST else SMALLEST)
    value = lower
    for m in range(1, MOST_TERMS):
        even = a + 2 * m
        for term in (
            m * (b - m) * x / ((even - 1) * even),
            -(a + m) * (a + b + m) * x / (even * (even + 1)),
        ):
            lower = 1.0 + term * lower
            lower = 1.0 / (lower if abs(lower) > SMALLEST else SMALLEST)
            upper = 1.0 + term / upper
            upper = upper if abs(upper) > SMALLEST else SMALLEST
            value *= lower * upper
        if abs(lower * upper - 1.0) < CLOSE:
            break
    return value
