# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pass rates before and after a change for the worse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from garak_tbsa.tbsa.score import score_pairs
from garak_tbsa.tbsa.worsening import _mean_score, _odds_factor, _worsened
from tests.factories import graded_pair, pairs_named


def test_the_mean_score_is_that_of_the_expected_units() -> None:
    """Against every outcome of two small pairs, one in each tier."""
    facts = pairs_named((1, 6, 8), (2, 5, 6))
    pairs = [graded_pair(each) for each in facts]
    names = [pair.name for pair in pairs]
    rates = dict(zip(names, (0.7, 0.85), strict=True))
    edges = dict(zip(names, ([1, 4, 7, 8], [1, 3, 5, 6]), strict=True))
    expected = []
    for pair, total in zip(pairs, (8, 6), strict=True):
        units = 0.0
        for count in range(total + 1):
            grade = pairs_named((1, count, total))[0].grades[0]
            units += binom.pmf(count, total, rates[pair.name]) * 60 / grade
        expected.append(60 / units)
    assert _mean_score(pairs, edges, rates) == pytest.approx(
        (2 * expected[0] + expected[1]) / 3
    )


def test_the_odds_of_a_hit_rise_until_the_score_has_fallen_so_far() -> None:
    pairs = [graded_pair(each) for each in pairs_named(*[(1, 90, 100)] * 12)]
    rates = {pair.name: 0.9 for pair in pairs}
    factor = _odds_factor("r", pairs, rates, 0.4)
    rng = np.random.default_rng(1)

    def mean_score(rate: float) -> float:
        counts = rng.binomial(100, rate, size=(400, 12)).tolist()
        scans = [pairs_named(*((1, passed, 100) for passed in row)) for row in counts]
        return float(
            np.mean([score_pairs(list(map(graded_pair, scan))).raw for scan in scans])
        )

    after = _worsened(rates, factor)[pairs[0].name]
    assert after / (1 - after) == pytest.approx(0.9 / 0.1 / factor)
    assert mean_score(0.9) - mean_score(after) == pytest.approx(0.4, abs=0.03)
