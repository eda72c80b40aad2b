# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Ranking by hit F1."""

from __future__ import annotations

import math

import pytest

from garak_tbsa.detector_eval.ranking import f1_tier


@pytest.mark.parametrize(
    ("hit_f1", "tier"),
    [
        (1.0, "Excellent"),
        (math.nextafter(0.8, 1), "Excellent"),
        (0.8, "Good"),
        (math.nextafter(0.6, 1), "Good"),
        (0.6, "Moderate"),
        (math.nextafter(0.4, 1), "Moderate"),
        (0.4, "Poor"),
        (math.nextafter(0.2, 1), "Poor"),
        (0.2, "Critical"),
        (0.0, "Critical"),
    ],
)
def test_tiers(hit_f1: float, tier: str) -> None:
    """Excellent > 0.8; Good (0.6, 0.8]; Moderate; Poor; Critical <= 0.2."""
    assert f1_tier(hit_f1) == tier
