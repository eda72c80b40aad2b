# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What repeats of a scan score, as tests want them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.repeat import (
    RepeatBasis,
    RepeatDistribution,
    repeat_of_scan,
)

if TYPE_CHECKING:
    from garak_tbsa.outputs.compared import BothRepeats
    from garak_tbsa.statistics.compare import Comparison

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
    return RepeatDistribution(probabilities=shares, below={}, basis=basis)


def repeats_of_both(comparison: Comparison) -> BothRepeats:
    """Return what a repeat of each compared scan would score."""
    return repeat_of_scan(comparison.first), repeat_of_scan(comparison.second)
