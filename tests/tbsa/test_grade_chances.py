# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs that are alike, as so many independent ones as say as much."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from garak_tbsa.lean.record import changed
from garak_tbsa.tbsa.grade_chances import GradeChances, place_among
from garak_tbsa.tbsa.interval import fit_priors_to
from garak_tbsa.tbsa.rate_grid import RATES
from garak_tbsa.tbsa.repeat_assumptions import NOTHING_KNOWN
from tests.factories import graded_pair, pairs_named


@given(total=st.integers(1, 10_000), share=st.floats(0.001, 1))
def test_all_and_none_stay_what_they_are(total: int, share: float) -> None:
    """None, one, all and more than all stay what they are."""
    size = max(1, round(share * total))
    assert place_among(0, size, total) == 0
    assert place_among(1, size, total) == 1
    assert place_among(total + 1, size, total) == size + 1
    if total > 1:
        assert place_among(total, size, total) == size


@given(
    total=st.integers(2, 300),
    share=st.floats(0.001, 1),
    edges=st.tuples(st.integers(0, 301), st.integers(0, 301)),
)
def test_a_higher_edge_stays_as_high(
    total: int, share: float, edges: tuple[int, int]
) -> None:
    size = max(1, round(share * total))
    low, high = sorted(min(edge, total + 1) for edge in edges)
    assert place_among(low, size, total) <= place_among(high, size, total)


@pytest.mark.parametrize("passed", [100, 97, 60])
def test_chances_are_near_those_of_alike_outputs(passed: int) -> None:
    """Twenty prompts of five outputs, of which two have a correlation of 0.2."""
    pairs = [
        graded_pair(entry)
        for entry in pairs_named(*[(1, count, 100) for count in (100, 97, 60, 5)] * 3)
    ]
    pair = next(each for each in pairs if each.passed == passed)
    alike = changed(NOTHING_KNOWN, other_factor=1.8)
    priors = fit_priors_to(pairs, alike)
    masses = priors.of(pair).after((passed / 1.8, 100 / 1.8))
    rates = np.clip(np.array(RATES), 1e-6, 1 - 1e-6)
    of_prompt = betabinom.pmf(
        np.arange(6)[:, np.newaxis], 5, rates * 4, (1 - rates) * 4
    )
    counts = np.fft.irfft(np.fft.rfft(of_prompt, 101, axis=0) ** 20, 101, axis=0)
    below = np.concatenate([[0.0], np.cumsum(counts @ masses)])
    edges = (5, 40, 80, 99)
    expected = [float(below[edge]) for edge in edges]
    found = GradeChances(priors, alike).below(pair)
    assert found == pytest.approx(expected, abs=0.06)
    independent = GradeChances(priors, NOTHING_KNOWN).below(pair)
    far = max(abs(one - other) for one, other in zip(found, expected, strict=True))
    assert far < max(
        abs(one - other) for one, other in zip(independent, expected, strict=True)
    )
