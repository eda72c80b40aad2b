# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that numpy lacks; scipy would take longer to import than a score takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

SHIFT = 8
"""How far Stirling's series is from its argument: it errs less the larger that is."""

NORMAL_QUANTILE = 1.959963984540054
"""Of the standard normal distribution at 0.975."""

SMALLEST = 1e-9
"""Pass rate, shape of a beta distribution, and correlation, in place of 0."""


def log_gamma(x: Floats) -> Floats:
    """Return the logarithm of the gamma function.

    Parameters
    ----------
    x : array of float
        Above 0.

    Notes
    -----
    Stirling's series (Abramowitz and Stegun, 6.1.41) at ``x + 8``, and the recurrence
    back to ``x``. It errs by less than 1e-9 of itself, or by less than 1e-9.
    """
    y = x + SHIFT
    series = (1 / 12 - (1 / 360 - 1 / (1260 * y * y)) / (y * y)) / y
    stirling = (y - 0.5) * np.log(y) - y + 0.5 * math.log(2 * math.pi) + series
    rising = x.copy()
    for step in range(1, SHIFT):
        rising *= x + step
    result: Floats = stirling - np.log(rising)
    return result


def drawn_passes(
    total: int | Counts, rates: Floats, inflation: Floats, rng: np.random.Generator
) -> Counts:
    """Draw pass counts with a given mean and variance.

    Parameters
    ----------
    total : int or array of int
        Outputs.
    rates : array of float
        The mean, as a share of the outputs; this or ``total`` has the shape that is
        drawn.
    inflation : array of float
        The variance, in variances of as many independent outputs; 0 to ``total``.
    rng : numpy.random.Generator

    Notes
    -----
    Above 1 the counts are beta-binomial, with the correlation of two outputs for which
    the variance is right (Williams, Biometrics 31 (1975) 949). Below 1 a share of the
    outputs are always the same, and the others are independent.
    """
    varying = np.rint(total * np.minimum(inflation, 1)).astype(np.int64)
    constant = np.rint((total - varying) * rates).astype(np.int64)
    shares = (total * rates - constant) / np.maximum(varying, 1)
    shares = np.clip(shares, SMALLEST, 1 - SMALLEST)
    if (inflation > 1).any():
        correlation = np.clip((inflation - 1) / np.maximum(total - 1, 1), SMALLEST, 1)
        strength = 1 / correlation - 1
        shapes = (shares * strength, (1 - shares) * strength)
        shares = rng.beta(*(np.maximum(shape, SMALLEST) for shape in shapes))
    return np.asarray(constant + rng.binomial(varying, shares))


def passes_of_prompts(
    prompts: int | Counts,
    size: int,
    rates: Floats,
    alike: Floats,
    rng: np.random.Generator,
) -> Counts:
    """Draw the passes of prompts whose pass rates are beta-distributed.

    Parameters
    ----------
    prompts : int or array of int
        How many; this or ``rates`` has the shape that is drawn.
    size : int
        Outputs of each.
    rates, alike : array of float
        Mean of their pass rates, and correlation of two outputs of one prompt.
    rng : numpy.random.Generator

    Notes
    -----
    Prompts of which all outputs pass are drawn by how likely they are: no smooth count
    passes as a whole as often. The others are drawn by their mean and variance.
    """
    strength = 1 / np.clip(alike, SMALLEST, 1 - SMALLEST) - 1
    whole = np.ones_like(rates)
    for passed in range(size):
        whole = whole * (rates * strength + passed) / (strength + passed)
    left = np.maximum(1 - whole, SMALLEST)
    mean = np.clip((rates - whole) / left, SMALLEST, 1 - SMALLEST)
    squares = rates**2 + rates * (1 - rates) * (1 + (size - 1) * alike) / size
    variance = np.maximum((squares - whole) / left - mean**2, 0)
    inflation = np.minimum(size * variance / (mean * (1 - mean)), size)
    passing = rng.binomial(prompts, whole)
    others = drawn_passes(size * (prompts - passing), mean, inflation, rng)
    return np.asarray(size * passing + others)


def rise_together(
    groups: Iterable[Sequence[NDArray[np.generic]]],
    ties: Floats,
    rng: np.random.Generator,
) -> list[NDArray[np.generic]]:
    """Let draws of one group rise and fall together, each as often as alone.

    Parameters
    ----------
    groups : iterable of sequence of array
        All of one shape. Draws change places along the last axis.
    ties : array of float
        Correlation of the normal variables that the draws are ranked by, 0-1.
    rng : numpy.random.Generator

    Notes
    -----
    Iman and Conover, Communications in Statistics B11 (1982) 311.
    """
    found: list[NDArray[np.generic]] = []
    for group in groups:
        if len(group) == 1:
            found += group
            continue
        factor = rng.standard_normal(group[0].shape)
        for drawn in group:
            own = rng.standard_normal(drawn.shape)
            places = np.argsort(np.sqrt(ties) * factor + np.sqrt(1 - ties) * own)
            tied = np.empty_like(drawn)
            np.put_along_axis(tied, places, np.sort(drawn), axis=-1)
            found.append(tied)
    return found


def wilson_interval(passed: int, total: int) -> tuple[float, float]:
    """Return Wilson's score interval of a pass rate, 95 %.

    The rates that a two-sided score test would not reject, E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22 (1927). It
    counts outputs as if they were independent; it is for looking at one pair, and the
    repeat interval does not use it.

    Parameters
    ----------
    passed, total : int
        Outputs, ``total`` at least 1.
    """
    squared = NORMAL_QUANTILE**2
    rate = passed / total
    centre = (rate + squared / (2 * total)) / (1 + squared / total)
    spread = math.sqrt(rate * (1 - rate) / total + squared / (4 * total**2))
    half = NORMAL_QUANTILE * spread / (1 + squared / total)
    # exact at the ends, where rounding would leave 1e-17 or 1 - 1e-16
    lower = 0.0 if passed == 0 else max(0.0, centre - half)
    return lower, 1.0 if passed == total else min(1.0, centre + half)
