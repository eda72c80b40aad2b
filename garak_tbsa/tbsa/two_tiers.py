# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the score of two tiers' sums of units reaches a tenth."""

from __future__ import annotations

from garak_tbsa.tbsa.rules import TIER_WEIGHTS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE, rounded_tenths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    Units = TypeVar("Units", int, NDArray[np.int64])


class JoinBounds:
    """Where the score of two tiers reaches a tenth.

    With sums of units S and s, n and m pairs and weights v and w, a score reaches t
    tenths if and only if ``1200 w m S >= s ((2t - 1)(v + w) S - 1200 v n)``.
    """

    def __init__(self, tier: int, count: int, other: int, other_count: int) -> None:
        weight, other_weight = TIER_WEIGHTS[tier], TIER_WEIGHTS[other]
        self._weights = weight + other_weight
        self._own = 20 * COMMON_MULTIPLE * weight * count
        self._others = 20 * COMMON_MULTIPLE * other_weight * other_count

    def slope(self, tenth: int, units: Units) -> Units:
        """Return the factor of the other tier's sum; where <= 0 all are reached."""
        return (2 * tenth - 1) * self._weights * units - self._own

    def slope_of_a_tenth(self, units: Units) -> Units:
        """Return by how much that factor falls from one tenth to the one below."""
        return 2 * self._weights * units

    def level(self, units: Units) -> Units:
        """Return what that product must not exceed."""
        return self._others * units

    def tenth(self, units: int, other_units: int) -> int:
        """Return the score in tenths of two sums of units, exactly."""
        weighted = self._own * other_units + self._others * units
        return rounded_tenths(weighted // 20, self._weights * units * other_units)
