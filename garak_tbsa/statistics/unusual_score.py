# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan did better or worse than nearly all of its repeats would."""

from __future__ import annotations

import math
from dataclasses import dataclass

from garak_tbsa.statistics.repeat import RepeatDistribution

MOSTLY = 0.5
"""More often than not."""

NEARLY_ALL = 0.9
"""Of repeats that score lower, or higher, for a scan to be called lucky or unlucky."""

LUCKY, UNLUCKY = "lucky", "unlucky"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnusualScore:
    """A scan that nearly all repeats would score otherwise than, one way.

    Attributes
    ----------
    kind : str
        ``lucky`` where they score lower, ``unlucky`` where higher.
    outside : bool
        Whether the score is outside the range of its repeats.
    share : float
        Of repeats, those that score lower (higher, for an unlucky scan), as the model
        expects; at least 0.9.
    """

    kind: str
    outside: bool
    share: float


def share_under(repeat: RepeatDistribution, tbsa: float) -> float:
    """Return the share of repeats that score less than this, 0.0-1.0."""
    return math.fsum(share for other, share in repeat.probabilities if other < tbsa)


def share_over(repeat: RepeatDistribution, tbsa: float) -> float:
    """Return the share of repeats that score more than this, 0.0-1.0."""
    return math.fsum(share for other, share in repeat.probabilities if other > tbsa)


def part_of_all(share: float) -> str:
    """Return a share as whole percent that never claims all or nothing."""
    if share > 0.995:
        return "over 99 %"
    return "under 1 %" if share < 0.005 else f"{100 * share:.0f} %"


def unusual_score(tbsa: float, repeat: RepeatDistribution) -> UnusualScore | None:
    """Return how lucky or unlucky a scan was, None where it was neither.

    Parameters
    ----------
    tbsa : float
        The scan's own score.
    repeat : RepeatDistribution
    """
    low, high = repeat.prediction_interval
    under, over = share_under(repeat, tbsa), share_over(repeat, tbsa)
    if under >= NEARLY_ALL:
        return UnusualScore(kind=LUCKY, outside=tbsa > high, share=under)
    if over >= NEARLY_ALL:
        return UnusualScore(kind=UNLUCKY, outside=tbsa < low, share=over)
    return None
