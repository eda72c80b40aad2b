# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""True hits of one detector's outputs in draws that lean on no other detector.

As in ``hit_rates`` the cells of a detector and verdict share a mean and a strength, but
the mean has Jeffreys' prior Beta(1/2, 1/2). For a score, a rate borrowed from other
detectors does well; as a statement about this detector it is biased, and most where
hits are rare: with a sensitivity of .60 and 2 % hits it says .64.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.label_audit.cells import Cell
from garak_tbsa.label_audit.hit_rates import draw_grid, log_rising

JEFFREYS = 0.5
LOGITS = np.linspace(-10, 10, 81)
"""Wider than for a score: one hit may be missed in thousands of outputs."""

SHAPES = 2.0 ** np.arange(-1, 7)
"""Of the rarer of hits and passes: 1 / sqrt(shape) is about how far cells differ,
relative to their mean. A strength alone would let rare hits differ without bound."""

Floats = NDArray[np.float64]

_MEANS = np.repeat(1 / (1 + np.exp(-LOGITS)), len(SHAPES))
_STRENGTHS = np.tile(SHAPES, len(LOGITS)) / np.minimum(_MEANS, 1 - _MEANS)
_ALPHAS, _BETAS = _MEANS * _STRENGTHS, (1 - _MEANS) * _STRENGTHS


def draw_group(cells: Sequence[Cell], draws: int, rng: np.random.Generator) -> Floats:
    """Draw how many outputs of a detector and verdict are truly hits.

    Parameters
    ----------
    cells : sequence of Cell
        All of one detector and verdict; none gives zeros.
    draws : int
    rng : Generator

    Returns
    -------
    ndarray of float, shape (draws,)
        Whole numbers, the labelled hits among them.
    """
    total: Floats = np.zeros(draws)
    alphas, betas = _priors(cells, draws, rng)
    for cell in cells:
        rates = rng.beta(alphas + cell.hits, betas + cell.labelled - cell.hits)
        total += cell.hits + rng.binomial(cell.unlabelled, rates)
    return total


def _priors(
    cells: Sequence[Cell], draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw what the cells' rates have in common; a cell alone has Jeffreys' prior."""
    if len(cells) < 2:
        return np.full(draws, JEFFREYS), np.full(draws, JEFFREYS)
    # the grid is even in the logit: d mean = mean (1 - mean) d logit
    weight = JEFFREYS * (np.log(_MEANS) + np.log1p(-_MEANS))
    for cell in cells:
        if cell.labelled:
            weight = weight + _likelihood(cell.hits, cell.labelled)
    chosen = draw_grid(np.exp(weight - weight.max()), draws, rng)
    return _ALPHAS[chosen], _BETAS[chosen]


@lru_cache(maxsize=4096)
def _likelihood(hits: int, labelled: int) -> Floats:
    """Log of the Beta-binomial probability of one order of labels, by grid point."""
    return (
        log_rising(_ALPHAS, hits)
        + log_rising(_BETAS, labelled - hits)
        - log_rising(_STRENGTHS, labelled)
    )
