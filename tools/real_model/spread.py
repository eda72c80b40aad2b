# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far a share of one detector differs from population to population.

Random effects on the logit: the logits of the shares are normal around a mean, with a
standard deviation tau between populations, beside the error of each. tau is the
estimate of Paule and Mandel (1982, doi:10.6028/jres.087.022): with it the squared
distances from the mean, each in units of its variance, add up to their number. (That
of DerSimonian and Laird is too small here, as errors depend on the share.) The share of
a further population is within the prediction interval of Higgins, Thompson and
Spiegelhalter (2009, doi:10.1111/j.1467-985X.2008.00552.x), with Student's t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats
from scipy.special import expit, logit

from tools.real_model.scanned import Draws, Share

MOST_BETWEEN = 1000.0
"""Variance of logits that no shares have."""

LEAST_POPULATIONS = 3
"""Below which a further population may be anywhere."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Of a share between populations.

    Attributes
    ----------
    populations : int
        At least 2.
    lowest, highest : float
        Of the shares.
    tau : float
        Standard deviation between populations, on the logit.
    lower, upper : float or None
        Where a further population is expected, with 95 %; None for fewer than three.
    """

    populations: int
    lowest: float
    highest: float
    tau: float
    lower: float | None
    upper: float | None


def spread_of(shares: Sequence[Share]) -> Spread | None:
    """Return how far the shares differ beyond their errors; None of fewer than two."""
    count = len(shares)
    if count < 2:
        return None
    drawn = [logit(np.clip(share.draws, 1e-9, 1 - 1e-9)) for share in shares]
    means = np.array([each.mean() for each in drawn])
    variances = np.array([each.var() for each in drawn])
    between = _between(means, variances)
    lower = upper = None
    if count >= LEAST_POPULATIONS:
        weights = 1 / (variances + between)
        centre = (weights * means).sum() / weights.sum()
        reach = stats.t.ppf(0.975, count - 2) * np.sqrt(between + 1 / weights.sum())
        lower, upper = float(expit(centre - reach)), float(expit(centre + reach))
    values = [share.value for share in shares]
    return Spread(
        populations=count,
        lowest=min(values),
        highest=max(values),
        tau=float(np.sqrt(between)),
        lower=lower,
        upper=upper,
    )


def _between(means: Draws, variances: Draws) -> float:
    """The variance between populations; 0 where errors explain all differences."""

    def excess(between: float) -> float:
        weights = 1 / (variances + between)
        centre = (weights * means).sum() / weights.sum()
        return float((weights * (means - centre) ** 2).sum() - (len(means) - 1))

    if excess(0) <= 0:
        return 0.0
    return float(optimize.brentq(excess, 0, MOST_BETWEEN))
