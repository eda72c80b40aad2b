# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""True hits of one detector's outputs in draws that lean on no other detector.

As in ``hit_rates`` the strata of a detector and verdict share a mean and a strength,
but the mean has Jeffreys' prior Beta(1/2, 1/2). For a score, a rate borrowed from other
detectors does well; as a statement about this detector it is biased, and most where
hits are rare: with a sensitivity of .60 and 2 % hits it says .64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from garak_tbsa.labels.hit_rates import Floats, RateGrid
from garak_tbsa.labels.strata import Stratum

JEFFREYS = 0.5
LOGITS = np.linspace(-10, 10, 81)
"""Wider than for a score: one hit may be missed in thousands of outputs."""

SHAPES: Floats = np.exp2(np.arange(-1.0, 7.0))
"""Of the rarer of hits and passes: 1 / sqrt(shape) is about how far strata differ,
relative to their mean. A strength alone would let rare hits differ without bound."""

GRID = RateGrid(LOGITS, SHAPES, of_rarer=True)


def draw_group(
    strata: Sequence[Stratum], draws: int, rng: np.random.Generator
) -> Floats:
    """Draw how many outputs of a detector and verdict are truly hits.

    Parameters
    ----------
    strata : sequence of Stratum
        All of one detector and verdict; none gives zeros, one has Jeffreys' prior.
    draws : int
    rng : Generator

    Returns
    -------
    ndarray of float, shape (draws,)
        Whole numbers, the labelled hits among them.
    """
    total: Floats = np.zeros(draws)
    alphas, betas = np.full(draws, JEFFREYS), np.full(draws, JEFFREYS)
    if len(strata) > 1:
        logs = GRID.prior(JEFFREYS, JEFFREYS)
        for stratum in strata:
            logs = logs + GRID.likelihoods(stratum.labelled)[:, stratum.hits]
        shares = np.exp(logs - logs.max())
        chosen = rng.choice(len(shares), draws, p=shares / shares.sum())
        alphas, betas = GRID.alphas[chosen], GRID.betas[chosen]
    for stratum in strata:
        rates = rng.beta(alphas + stratum.hits, betas + stratum.labelled - stratum.hits)
        total += stratum.hits + rng.binomial(stratum.outputs - stratum.labelled, rates)
    return total
