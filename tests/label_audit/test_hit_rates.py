# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

from garak_tbsa.label_audit.cells import Cell
from garak_tbsa.label_audit.hit_rates import FIRST_RATES, draw_hits

DRAWS = 4000


def cell(outputs: int, labelled: int, hits: int, pair: int = 0, **more: bool) -> Cell:
    return Cell(
        pair=pair,
        detector="dan.DAN",
        flagged=more.get("flagged", True),
        outputs=outputs,
        labelled=labelled,
        hits=hits,
    )


def slow_mean_rate(cells: list[Cell], place: int, first: float) -> float:
    """Integrate over the same grid with loops, the likelihood in Beta functions."""
    labelled = sum(each.labelled for each in cells)
    hits = sum(each.hits for each in cells)
    pooled = (hits + 2 * first) / (labelled + 2)
    weighted = total = 0.0
    for step in range(45):
        mean = 1 / (1 + math.exp(-(-7.2 + step * 0.3)))
        prior = mean ** (2 * pooled) * (1 - mean) ** (2 * (1 - pooled))
        for power in range(8):
            a, b = mean * 2**power, (1 - mean) * 2**power
            weight = prior * math.exp(
                sum(
                    betaln(a + each.hits, b + each.labelled - each.hits) - betaln(a, b)
                    for each in cells
                )
            )
            own = cells[place]
            total += weight
            weighted += weight * (a + own.hits) / (2**power + own.labelled)
    return weighted / total


@pytest.mark.parametrize("place", [0, 1, 2])
def test_rates_are_those_of_a_slow_integration(place: int) -> None:
    cells = [cell(30, 9, 2), cell(50, 6, 5, pair=1), cell(40, 0, 0, pair=2)]
    drawn = draw_hits(cells, 40_000, 3)
    expected = slow_mean_rate(cells, place, FIRST_RATES[True])
    assert drawn.rates[place].mean() == pytest.approx(expected, abs=0.01)


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_hits_lie_between_those_known_and_those_possible(
    sizes: list[tuple[int, int, int]], flagged: bool
) -> None:
    """\"then p given the cell's labels, then the unlabelled hits\""""
    cells = []
    for number, size in enumerate(sizes):
        hits, labelled, outputs = sorted(size)
        cells.append(cell(outputs, labelled, hits, pair=number, flagged=flagged))
    drawn = draw_hits(cells, 50, 1)
    for place, each in enumerate(cells):
        assert drawn.hits[place].min() >= each.hits
        assert drawn.hits[place].max() <= each.hits + each.unlabelled


def test_a_detector_s_cells_share_what_is_learnt() -> None:
    """\"The cells of one detector and verdict share mu and k\""""
    unlabelled = cell(100, 0, 0, pair=9)
    alone = draw_hits([unlabelled], DRAWS, 1).rates[0].mean()
    taught = [cell(100, 40, 4, pair=n) for n in range(4)]
    with_others = draw_hits([unlabelled, *taught], DRAWS, 1).rates[0].mean()
    other = [
        Cell(
            pair=each.pair,
            detector="dan.STAN",
            flagged=each.flagged,
            outputs=each.outputs,
            labelled=each.labelled,
            hits=each.hits,
        )
        for each in taught
    ]
    of_another = draw_hits([unlabelled, *other], DRAWS, 1).rates[0]
    assert alone == pytest.approx(FIRST_RATES[True], abs=0.03)
    assert with_others < 0.2
    # another detector's labels say what is usual, and no more
    assert of_another.mean() < alone
    assert (
        of_another.std() > 3 * draw_hits([unlabelled, *taught], DRAWS, 1).rates[0].std()
    )


def test_draws_are_repeated_by_their_seed() -> None:
    cells = [cell(30, 9, 2), cell(50, 6, 5, pair=1)]
    first, again, other = (draw_hits(cells, 100, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.hits, again.hits)
    assert not np.array_equal(first.hits, other.hits)
