# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that numpy lacks, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from garak_tbsa.statistics.special import log_gamma, normal_quantiles


def test_log_gamma_is_that_of_scipy() -> None:
    x = np.concatenate([np.logspace(-12, 12, 4001), np.linspace(0.5, 3, 1001)])
    expected = special.gammaln(x)
    assert np.abs(log_gamma(x) - expected).max(where=x < 1e3, initial=0) < 1e-9
    assert log_gamma(x) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 7, 6000])
def test_normal_quantiles_are_those_of_scipy(count: int) -> None:
    steps = (np.arange(count) + 0.5) / count
    found = normal_quantiles(count)
    assert found == pytest.approx(stats.norm.ppf(steps), abs=1e-12)
