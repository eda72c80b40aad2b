# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far all rates of a tier may be from those that were fitted to it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.rate_grid import LEAST, RATES
from garak_tbsa.tbsa.rate_level import MOST, level_deviation, shifted

PLACES = st.integers(0, len(RATES) - 1)
BY = st.floats(-3, 3)


def only(place: int) -> list[float]:
    """All mass on one rate."""
    return [float(each == place) for each in range(len(RATES))]


def mean_angle(masses: Sequence[float]) -> float:
    """Mean of the arcsine of the rates' roots, in which the grid has equal steps."""
    return math.fsum(
        mass * math.asin(math.sqrt(rate))
        for rate, mass in zip(RATES, masses, strict=True)
    )


def odds_of_hit(rate: float) -> float:
    return (1 - rate) / rate


@given(place=PLACES, by=BY)
def test_the_odds_of_a_hit_are_multiplied(place: int, by: float) -> None:
    """A mass that falls between two rates of the grid is divided between them."""
    found = shifted(only(place), by)
    there = [index for index, mass in enumerate(found) if mass > 2 * LEAST]
    assert 1 <= len(there) <= 2
    assert there[-1] - there[0] == len(there) - 1
    assert math.fsum(found) == pytest.approx(1, abs=1e-9)
    if place in (0, len(RATES) - 1):
        assert there[0] == place or found[there[0]] < 1e-9
        return
    odds = odds_of_hit(RATES[place]) * math.exp(by)
    rate = 1 / (1 + odds)
    assert RATES[max(there[0] - 1, 0)] <= rate <= RATES[min(there[-1] + 1, 103)]
    assert mean_angle(found) == pytest.approx(math.asin(math.sqrt(rate)), abs=1e-9)


@given(masses=st.lists(st.floats(1e-6, 1), min_size=104, max_size=104))
def test_no_shift_leaves_the_masses_as_they_are(masses: list[float]) -> None:
    assert shifted(masses, 0.0) == pytest.approx(masses, abs=1e-9)


def of_level(masses: Sequence[float], place: int) -> float:
    """By how much the one mass of a rate was shifted, from its place on the grid."""
    rate = math.sin(mean_angle(masses)) ** 2
    return math.log(odds_of_hit(rate) / odds_of_hit(RATES[place]))


@given(middle=st.floats(-2, 2), deviation=st.floats(0.05, MOST))
def test_a_parabola_gives_its_deviation(middle: float, deviation: float) -> None:
    """Wherever its middle is."""
    place = 60
    found = level_deviation(
        only(place),
        lambda masses: -(((of_level(masses, place) - middle) / deviation) ** 2) / 2,
    )
    assert found == pytest.approx(deviation, rel=1e-6)


def test_where_every_level_is_as_likely_the_deviation_is_one() -> None:
    assert level_deviation(only(60), lambda _: -7.0) == MOST
    rising = level_deviation(only(60), lambda masses: 9 * of_level(masses, 60))
    assert rising == pytest.approx(MOST)
