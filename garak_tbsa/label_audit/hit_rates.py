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

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

LOGITS = np.linspace(-7.2, 6, 45)
SIZES: Floats = np.exp2(np.arange(8.0))
PRIOR_WEIGHT = 2.0

FIRST_RATES = {True: 0.75, False: 0.1}
"""Rate of true hits by verdict before anything is labelled, worth two observations."""


class RateGrid:
    """Points (mean, strength) of what the rates of some cells have in common.

    Parameters
    ----------
    logits : ndarray of float
        Of the means.
    sizes : ndarray of float
        Strengths of each mean.
    of_rarer : bool
        Whether the sizes are those of the rarer of hits and passes.
    """

    def __init__(self, logits: Floats, sizes: Floats, *, of_rarer: bool) -> None:
        self.means = np.repeat(1 / (1 + np.exp(-logits)), len(sizes))
        self.strengths = np.tile(sizes, len(logits))
        if of_rarer:
            self.strengths /= np.minimum(self.means, 1 - self.means)
        self.alphas = self.means * self.strengths
        self.betas = (1 - self.means) * self.strengths
        self.likelihood = lru_cache(maxsize=4096)(self._likelihood)

    def draw(
        self,
        cells: Sequence[Cell],
        prior: tuple[float, float],
        draws: int,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats]:
        """Draw Beta parameters of rates like the cells', given their labels.

        Parameters
        ----------
        cells : sequence of Cell
        prior : tuple of float
            Of the mean, which is Beta(prior).
        draws : int
        rng : Generator

        Returns
        -------
        tuple of ndarray, each of shape (draws,)
        """
        # the grid is even in the logit: d mean = mean (1 - mean) d logit
        weight = prior[0] * np.log(self.means) + prior[1] * np.log1p(-self.means)
        for cell in cells:
            if cell.labelled:
                weight = weight + self.likelihood(cell.hits, cell.labelled)
        cumulated = np.cumsum(np.exp(weight - weight.max()))
        places = np.searchsorted(cumulated, rng.random(draws) * cumulated[-1])
        chosen = np.minimum(places, len(weight) - 1)
        return self.alphas[chosen], self.betas[chosen]

    def _likelihood(self, hits: int, labelled: int) -> Floats:
        """Log of the Beta-binomial probability of one order of labels, by point."""
        return (
            _log_rising(self.alphas, hits)
            + _log_rising(self.betas, labelled - hits)
            - _log_rising(self.strengths, labelled)
        )


def _log_rising(start: Floats, steps: int) -> Floats:
    """Logarithm of ``start (start + 1) ... (start + steps - 1)``."""
    terms: Floats = np.log(start[:, np.newaxis] + np.arange(steps)).sum(axis=1)
    return terms


GRID = RateGrid(LOGITS, SIZES, of_rarer=False)


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
        weight = PRIOR_WEIGHT * pooled[flagged]
        prior = weight, PRIOR_WEIGHT - weight
        alphas, betas = GRID.draw(members, prior, draws, rng)
        for place, cell in zip(places, members, strict=True):
            rates[place] = rng.beta(
                alphas + cell.hits, betas + cell.labelled - cell.hits
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
