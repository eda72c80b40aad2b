# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What repeats of a scan score, as tests want them."""

from __future__ import annotations

from garak_tbsa.statistics.by_prompt import observe
from garak_tbsa.statistics.repeat import RepeatBasis, RepeatDistribution
from garak_tbsa.statistics.repeat_prompts import SAME_PROMPTS

BY_COUNTS = RepeatBasis(
    repeat=SAME_PROMPTS,
    pairs=20,
    pairs_with_attempts=0,
    has_several_outputs=False,
    missing_because=None,
)


def repeats(
    *shares: tuple[float, float], basis: RepeatBasis = BY_COUNTS
) -> RepeatDistribution:
    """Return a distribution with these scores and their probabilities."""
    nothing = observe([], {}, None)
    return RepeatDistribution(
        probabilities=shares, below={}, basis=basis, observed=nothing
    )
