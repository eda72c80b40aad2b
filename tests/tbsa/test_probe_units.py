# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sums over a probe's detectors, against drawing the common factor one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.tbsa.probe_units import comonotone, units_of_probe
from garak_tbsa.tbsa.repeat_assumptions import MOST_DETECTORS

UNITS = (60, 30, 20, 15, 12)
GRADES = (
    st.lists(st.floats(0, 1), min_size=5, max_size=5)
    .map(lambda weights: [each / (sum(weights) or 1) for each in weights])
    .filter(lambda shares: sum(shares) > 0.5)
)
DETECTORS = st.lists(GRADES, min_size=1, max_size=4)


def variance(terms: dict[int, float]) -> float:
    mean = sum(units * share for units, share in terms.items())
    return sum((units - mean) ** 2 * share for units, share in terms.items())


def independent(grades: list[list[float]]) -> dict[int, float]:
    found: dict[int, float] = {}
    for places in product(range(5), repeat=len(grades)):
        units = sum(UNITS[place] for place in places)
        share = math.prod(row[i] for row, i in zip(grades, places, strict=True))
        found[units] = found.get(units, 0.0) + share
    return found


def drawn(grades: list[list[float]], loadings: list[float]) -> dict[int, float]:
    """Integrate over a fine grid of the factor, with scipy's normal distribution."""
    found: dict[int, float] = {}
    for quantile in (np.arange(2000) + 0.5) / 2000:
        node = stats.norm.ppf(quantile)
        given_node = []
        for row, loading in zip(grades, loadings, strict=True):
            edges = stats.norm.ppf(np.clip(np.cumsum(row)[:-1], 0, 1))
            below = stats.norm.cdf((edges - loading * node) / math.sqrt(1 - loading**2))
            given_node.append(np.diff([0.0, *below, 1.0]).tolist())
        for units, share in independent(given_node).items():
            found[units] = found.get(units, 0.0) + share / 2000
    return found


@given(grades=DETECTORS)
def test_unrelated_detectors_are_added_up(grades: list[list[float]]) -> None:
    found = units_of_probe(grades, [0.0] * len(grades))
    expected = independent(grades)
    for units in found.keys() | expected.keys():
        assert found.get(units, 0) == pytest.approx(expected.get(units, 0), abs=1e-9)


@given(grades=DETECTORS)
def test_the_same_quantile_for_all(grades: list[list[float]]) -> None:
    """The sums where all detectors are at the same quantile."""
    found = comonotone(grades)
    assert math.fsum(found.values()) == pytest.approx(1, abs=1e-9)
    below = [np.cumsum(row)[:-1] for row in grades]
    for units, share in found.items():
        places = (np.arange(20_000) + 0.5) / 20_000
        sums = sum(np.array(UNITS)[np.searchsorted(edges, places)] for edges in below)
        assert np.mean(sums == units) == pytest.approx(share, abs=1e-3)


@given(grades=DETECTORS, loading=st.floats(0, 1))
def test_nothing_varies_more_than_the_same_quantile(
    grades: list[list[float]], loading: float
) -> None:
    """No other way of going together makes the sum vary more."""
    most = variance(units_of_probe(grades, [1.0] * len(grades)))
    assert variance(units_of_probe(grades, [loading] * len(grades))) <= most + 1e-6
    assert variance(independent(grades)) <= most + 1e-6


@pytest.mark.parametrize(
    "loadings", [[0.3, 0.3], [0.9, 0.9], [0.9, 0.2], [0.5, 0.7, 0.0], [1.0, 0.6]]
)
def test_a_common_factor_is_integrated_out(loadings: list[float]) -> None:
    grades = [
        [0.1, 0.2, 0.3, 0.3, 0.1],
        [0.0, 0.05, 0.15, 0.0, 0.8],
        [0.5, 0, 0, 0, 0.5],
    ]
    found = units_of_probe(grades[: len(loadings)], loadings)
    bounded = [min(loading, math.sqrt(0.95)) for loading in loadings]
    expected = drawn(grades[: len(loadings)], bounded)
    for units in found.keys() | expected.keys():
        assert found.get(units, 0) == pytest.approx(expected.get(units, 0), abs=1e-3)


def test_each_detector_alone_keeps_its_grades() -> None:
    """What detectors do together does not change what each does."""
    grades = [[0.1, 0.2, 0.3, 0.3, 0.1], [1.0, 0.0, 0.0, 0.0, 0.0]]
    for loading in (0.0, 0.6, 1.0):
        found = units_of_probe(grades, [loading, loading])
        expected = {
            unit + 60: share for unit, share in zip(UNITS, grades[0], strict=True)
        }
        assert {u: s for u, s in found.items() if s > 1e-9} == pytest.approx(expected)


def test_very_many_detectors_take_the_safe_side() -> None:
    grades = [[0.5, 0.0, 0.0, 0.0, 0.5]] * (MOST_DETECTORS + 1)
    found = units_of_probe(grades, [0.0] * len(grades))
    assert found == {60 * len(grades): 0.5, 12 * len(grades): 0.5}
