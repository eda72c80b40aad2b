# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs of each cell are truly hits, in draws.

In a cell the share p of true hits is Beta(mu k, (1 - mu) k). The cells of one detector
and verdict share mu and k. These have a posterior on a grid: the Beta-binomial
likelihood of their labels, and a prior of mu worth two observations at the rate of all
detectors with that verdict. A draw takes (mu, k), then p given the cell's labels, then
the unlabelled hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.label_audit.cells import Cell

LOGITS = np.linspace(-7.2, 6, 45)
SIZES = 2.0 ** np.arange(8)
PRIOR_WEIGHT = 2.0

FIRST_RATES = {True: 0.75, False: 0.1}
"""Rate of true hits by verdict before anything is labelled, worth two observations."""

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

_MEANS = np.repeat(1 / (1 + np.exp(-LOGITS)), len(SIZES))
_STRENGTHS = np.tile(SIZES, len(LOGITS))


@dataclass(frozen=True, kw_only=True)
class HitDraws:
    """What the cells may truly hold.

    Attributes
    ----------
    rates : ndarray of float, shape (cells, draws)
        Share of true hits among outputs like the cell's.
    hits : ndarray of int, shape (cells, draws)
        True hits among the cell's outputs, the labelled ones among them.
    """

    rates: Floats
    hits: Whole


def draw_hits(cells: Sequence[Cell], draws: int, seed: int) -> HitDraws:
    """Draw the true hits of all cells.

    Parameters
    ----------
    cells : sequence of Cell
    draws, seed : int
    """
    rng = np.random.default_rng(seed)
    rates = np.empty((len(cells), draws))
    pooled = {flagged: _pooled_rate(cells, flagged) for flagged in (False, True)}
    groups: dict[tuple[str, bool], list[int]] = {}
    for place, cell in enumerate(cells):
        groups.setdefault(cell.group, []).append(place)
    for (_, flagged), places in groups.items():
        members = [cells[place] for place in places]
        chosen = draw_grid(_posterior(members, pooled[flagged]), draws, rng)
        mean, strength = _MEANS[chosen], _STRENGTHS[chosen]
        for place, cell in zip(places, members, strict=True):
            rates[place] = rng.beta(
                mean * strength + cell.hits,
                (1 - mean) * strength + cell.labelled - cell.hits,
            )
    unlabelled = np.array([cell.unlabelled for cell in cells], np.int64)[:, np.newaxis]
    known = np.array([cell.hits for cell in cells], np.int64)[:, np.newaxis]
    return HitDraws(rates=rates, hits=known + rng.binomial(unlabelled, rates))


def _pooled_rate(cells: Sequence[Cell], flagged: bool) -> float:
    """Rate of true hits among all outputs with a verdict, each detector alike."""
    labelled, hits = 0.0, 0.0
    for cell in cells:
        if cell.flagged == flagged:
            labelled += cell.labelled
            hits += cell.hits
    first = FIRST_RATES[flagged]
    return (hits + PRIOR_WEIGHT * first) / (labelled + PRIOR_WEIGHT)


def _posterior(cells: Sequence[Cell], pooled: float) -> Floats:
    """Return the probabilities of the grid's points, shape (45 * 8,)."""
    weight = (PRIOR_WEIGHT * pooled - 1) * np.log(_MEANS) + (
        PRIOR_WEIGHT * (1 - pooled) - 1
    ) * np.log1p(-_MEANS)
    # the grid is even in the logit: d mu = mu (1 - mu) d logit
    weight += np.log(_MEANS) + np.log1p(-_MEANS)
    for cell in cells:
        if cell.labelled:
            weight += _likelihood(cell.hits, cell.labelled)
    weight -= weight.max()
    shares: Floats = np.exp(weight) / np.exp(weight).sum()
    return shares


@lru_cache(maxsize=4096)
def _likelihood(hits: int, labelled: int) -> Floats:
    """Log of the Beta-binomial probability of one order of labels, by grid point."""
    alpha, beta = _MEANS * _STRENGTHS, (1 - _MEANS) * _STRENGTHS
    return (
        log_rising(alpha, hits)
        + log_rising(beta, labelled - hits)
        - log_rising(_STRENGTHS, labelled)
    )


def log_rising(start: Floats, steps: int) -> Floats:
    """Logarithm of ``start (start + 1) ... (start + steps - 1)``."""
    terms: Floats = np.log(start[:, np.newaxis] + np.arange(steps)).sum(axis=1)
    return terms


def draw_grid(shares: Floats, draws: int, rng: np.random.Generator) -> Whole:
    """Draw places of a grid; ``shares`` need not add up to 1."""
    cumulated = np.cumsum(shares)
    places = np.searchsorted(cumulated, rng.random(draws) * cumulated[-1])
    chosen: Whole = np.minimum(places, len(shares) - 1)
    return chosen
