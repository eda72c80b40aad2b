# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far the pass rates of a tier may all be from those that were fitted to it.

Where nearly all pairs are clean, a handful of hits says how rarely they fail. A scan
with fewer of them by chance would be taken for a target that fails more rarely, and
the range of its repeats would be too narrow. So the level of the rates is uncertain:
the odds of a hit are multiplied by one factor for all of them, and what the scan saw
says which factors are likely.
"""

from __future__ import annotations

from math import atan, exp, inf, pi, sqrt, tan

from garak_tbsa.tbsa.rate_grid import LEAST, STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT_ODDS = (*(tan(pi / 2 * step / STEPS) for step in range(STEPS)), inf)
"""Root of the odds of a pass at each rate: the tangent of its place on the grid."""

SHIFT = 0.4
"""How far to either side the likelihood is asked for."""

MOST = 1.0
"""Deviation of the level at most, also where the likelihood does not fall."""


def level_deviation(
    masses: Sequence[float], log_likelihood: Callable[[Sequence[float]], float]
) -> float:
    """Return how far the level may be from the fitted one, as a standard deviation.

    Parameters
    ----------
    masses : sequence of float
        As fitted.
    log_likelihood : callable
        Of what was seen, for any masses.

    Returns
    -------
    float
        Of the logarithm of the factor on the odds of a hit, above 0, at most 1.

    Notes
    -----
    The log-likelihood is taken as the parabola through three of its points, all levels
    being alike beforehand (Laplace's approximation). Its middle is taken to be the
    fitted level, from which only the smoothing of the masses keeps it away.
    """
    below, fitted, above = (
        log_likelihood(shifted(masses, by)) for by in (-SHIFT, 0.0, SHIFT)
    )
    curvature = (2 * fitted - below - above) / SHIFT**2
    return 1 / sqrt(max(curvature, 1 / MOST**2))


def shifted(masses: Sequence[float], by: float) -> list[float]:
    """Return the masses with all rates at another level.

    Parameters
    ----------
    masses : sequence of float
    by : float
        Logarithm of the factor on the odds of a hit.

    Notes
    -----
    A mass that falls between two rates of the grid is divided between them.
    """
    found, factor = [LEAST] * (STEPS + 1), exp(-by / 2)
    for mass, root in zip(masses, ROOT_ODDS, strict=True):
        place = atan(root * factor) * (2 / pi) * STEPS
        below = min(int(place), STEPS - 1)
        part = place - below
        found[below] += mass * (1 - part)
        found[below + 1] += mass * part
    return found
