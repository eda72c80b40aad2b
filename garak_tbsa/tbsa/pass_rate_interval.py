# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far a pair's pass rate may be from that of its target, from its counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from garak_tbsa.tbsa.pairs import Counts

WILSON_LEVEL = 0.95
NORMAL_QUANTILE = 1.959963984540054
"""Of the standard normal distribution at 0.975."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PassRateInterval:
    """Ends of an interval of pass rates, ``0 <= lower <= upper <= 1``."""

    lower: float
    upper: float


def wilson_interval(counts: Counts) -> PassRateInterval:
    """Return Wilson's score interval of a pass rate, 95 %.

    The rates that a two-sided score test would not reject, E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22 (1927). It
    counts outputs as if they were independent; it is for looking at one pair, and the
    repeat interval does not use it.

    Parameters
    ----------
    counts : Counts
        ``total_evaluated`` at least 1.
    """
    total, squared = counts.total_evaluated, NORMAL_QUANTILE**2
    rate = counts.passed / total
    centre = (rate + squared / (2 * total)) / (1 + squared / total)
    spread = sqrt(rate * (1 - rate) / total + squared / (4 * total**2))
    half = NORMAL_QUANTILE * spread / (1 + squared / total)
    # exact at the ends, where rounding would leave 1e-17 or 1 - 1e-16
    return PassRateInterval(
        lower=0.0 if counts.passed == 0 else max(0.0, centre - half),
        upper=1.0 if counts.passed == total else min(1.0, centre + half),
    )
