# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The second of two scans, dealt at random from what may change places.

Whole prompts are alike but for their sizes where a scan lacks outputs, or has more of
each prompt, and rates of few outputs vary more than those of many. So how far a block
moved is measured in standard deviations that fit the sizes of each arrangement, as the
signed root of the likelihood ratio of its two rates, and has the weight that its passes
have in a Cochran-Mantel-Haenszel test (permutation of studentised statistics, Janssen
1997). With units of one size it is the second scan's passes less their mean.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from garak_tbsa import progress
from garak_tbsa.statistics.draws import Counts, Floats
from garak_tbsa.statistics.exchange import Block, Exchange
from garak_tbsa.statistics.scores import counts_of_pairs, grades_of

ROUNDING = 1e-9
"""Share of the variances of all pairs that rounding may leave of that of their sum."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrangements:
    """What is seen of each pair in each arrangement.

    Attributes
    ----------
    ways : list of (array of float, (2 or 4, arrangements, pairs))
        How far the second scan's passes are from their mean, 0 where those of all pairs
        together cannot move; how far they are in standard deviations; and, where grades
        by count are known, the grades in the first and the second scan. The first
        arrangement is the observed one. There is a second array where it is not known
        how detectors go together: first they are independent, then as alike as can be.
    deviation : float
        That of the sum of what moved, over all arrangements; 0 where it does not vary.
    """

    ways: list[Floats]
    deviation: float


def arrange(
    exchange: Exchange,
    replicates: int,
    rng: np.random.Generator,
    likeness: float,
    *,
    with_score: bool,
) -> Arrangements:
    """Permute all blocks, in an order that the report's does not change.

    Parameters
    ----------
    exchange : Exchange
        Of at least one pair.
    replicates : int
        Arrangements beside the observed one.
    rng : numpy.random.Generator
    likeness : float
        That of the scans, by :func:`likeness_of`.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    """
    before, after = zip(*exchange.pairs, strict=True)
    # passed and evaluated outputs of the second scan, and how far its passes moved;
    # written pair by pair, so that each has its numbers side by side
    drawn = np.zeros((3, len(after), replicates + 1)).swapaxes(1, 2)
    drawn[:2] += counts_of_pairs(after)[:, None]
    variance, variance_of_sum = np.zeros(len(after)), 0.0
    blocks = sorted(exchange.blocks)
    for number, block in enumerate(blocks):
        if len(block.units) == 1:
            # all units have the same verdicts: nothing varies
            continue
        progress.tell("testing the difference", number, len(blocks))
        observed = np.array(exchange.blocks[block])
        alike = int(observed.sum()) // block.second
        units = np.vstack([observed, _draws(block, alike, replicates, rng)])
        # where only counts are known, outputs of a prompt are taken to be all alike
        theirs = 1.0 if block.pairs[0] in exchange.unmatched else likeness
        changes, covariance = _moves(block, alike, units.astype(np.float64), theirs)
        columns = list(block.pairs)
        drawn[:, :, columns] += changes
        variance[columns] += np.diag(covariance)
        variance_of_sum += float(covariance.sum())
    for group in map(list, exchange.coupled):
        # their sum varies as if they always went together
        alone = variance[group]
        variance_of_sum += float(np.sqrt(alone).sum() ** 2 - alone.sum())
    if variance_of_sum < ROUNDING * variance.sum():
        # the verdicts of each output add up to the same, and 1e-17 or -1e-17 is left
        variance_of_sum = 0.0
    ways = []
    for passed, evaluated, moved in [drawn, *_coupled(exchange, drawn, rng)]:
        # studentised moves of pairs that cancel would not
        cancelled = moved if variance_of_sum else np.zeros_like(moved)
        seen = [cancelled, moved / np.sqrt(np.where(variance > 0, variance, 1))]
        if with_score:
            counts = np.array([passed, evaluated])
            # what the second scan has gained is the first one's loss
            left = counts_of_pairs(before)[:, None] + counts[:, :1] - counts
            seen += [grades_of(before, *left), grades_of(after, *counts)]
        way = np.empty((len(seen), *drawn.shape[:0:-1])).swapaxes(1, 2)
        for place, numbers in enumerate(seen):
            way[place] = numbers
        ways.append(way)
    return Arrangements(ways=ways, deviation=math.sqrt(variance_of_sum))


def _coupled(
    exchange: Exchange, drawn: Floats, rng: np.random.Generator
) -> list[Floats]:
    """The same with coupled pairs that rise and fall together, where there are any.

    Each does so as often as alone: their draws are sorted and put back in one common
    order.
    """
    if not exchange.coupled:
        return []
    together: Floats = drawn.copy(order="K")
    for group in exchange.coupled:
        order = 1 + rng.permutation(drawn.shape[1] - 1)
        for pair in group:
            by_size = 1 + np.argsort(drawn[2, 1:, pair], kind="stable")
            together[:, order, pair] = drawn[:, by_size, pair]
    return [together]


def likeness_of(exchange: Exchange) -> float:
    """Return the correlation of two outputs of one prompt, 0-1, over all blocks."""
    excess = most = 0.0
    for block in exchange.blocks:
        if block.pairs[0] in exchange.unmatched:
            continue
        sizes, passes = np.array(block.units, dtype=np.float64).swapaxes(0, 1)
        times = np.array(block.times, dtype=np.float64)
        outputs = times @ sizes
        rate = times @ passes / np.maximum(outputs, 1)
        chance = rate * (1 - rate)
        squares = times @ (passes - rate * sizes) ** 2
        excess += float((squares - chance * outputs).sum())
        most += float((chance * (times @ (sizes * (sizes - 1)))).sum())
    return min(max(excess / most, 0), 1) if most else 0.0


def _moves(
    block: Block, alike: int, drawn: Floats, likeness: float
) -> tuple[Floats, Floats]:
    """What units of the second scan, drawn by kind, change in so many blocks alike.

    Its passed and evaluated outputs against those observed, how far its passes are
    from their mean, and the covariance of that, which is of sampling without
    replacement. Residuals are a unit's passes less its size times the rate of both.
    """
    sizes, passes = np.array(block.units, dtype=np.float64).swapaxes(0, 1)
    times = alike * np.array(block.times, dtype=np.float64)
    outputs, all_passes = times @ sizes, times @ passes
    among = np.maximum(outputs, 1)
    evaluated, passed = drawn @ sizes, drawn @ passes
    # whole numbers until they are divided, so that nothing cancels
    moved = (outputs * passed - all_passes * evaluated) / among
    residuals = (outputs * passes - all_passes * sizes) / among
    units, second = sum(block.times), block.second
    half = second * (units - second) / units
    covariance = half / (units - 1) * (residuals.T * times) @ residuals
    if (sizes != sizes[0]).any():
        # how the variance of a unit's passes grows with its size
        spread = sizes * (1 + (sizes - 1) * likeness)
        ones = evaluated, passed, drawn @ spread
        others = outputs - evaluated, all_passes - passed, (times - drawn) @ spread
        moved = np.sqrt(np.diag(covariance)) * _signed_root(ones, others)
    return np.stack([passed - passed[0], evaluated - evaluated[0], moved]), covariance


def _signed_root(*sides: tuple[Floats, Floats, Floats]) -> Floats:
    """Signed root of twice the log likelihood ratio of two rates, first minus second.

    Each side has evaluated and passed outputs, and the former times their design
    effect: with n of them and a variance that is f times that of independent ones,
    it has as much to say as n / f.
    """
    weights = [n**2 / np.maximum(spread, 1) for n, _, spread in sides]
    rates = [k / np.maximum(n, 1) for n, k, _ in sides]
    together = weights[0] * rates[0] + weights[1] * rates[1]
    together = together / np.maximum(weights[0] + weights[1], 1)
    ratio = np.zeros_like(together)
    for weight, rate in zip(weights, rates, strict=True):
        for own, both in ((rate, together), (1 - rate, 1 - together)):
            # a side without an evaluated output says nothing
            said = weight * own
            ratio += said * np.log(np.where(said > 0, own, 1))
            ratio -= said * np.log(np.where(said > 0, both, 1))
    signed: Floats = np.sign(rates[0] - rates[1]) * np.sqrt(2 * np.maximum(ratio, 0))
    return signed


def _draws(
    block: Block, alike: int, replicates: int, rng: np.random.Generator
) -> Counts:
    """Units of each kind in the second scan, for so many blocks alike together."""
    kinds, second = block.times, block.second
    # many prompts that are alike: how many of them get which arrangement
    most = math.prod(min(n, second) + 1 for n in kinds[:-1])
    if alike > 1 and most <= alike * len(kinds):
        choices = [
            (*choice, second - sum(choice))
            for choice in itertools.product(*(range(n + 1) for n in kinds[:-1]))
            if 0 <= second - sum(choice) <= kinds[-1]
        ]
        everything = math.comb(sum(kinds), second)
        shares = [
            math.prod(map(math.comb, kinds, choice)) / everything for choice in choices
        ]
        arrangements = rng.multinomial(alike, shares, replicates)
        return np.asarray(arrangements @ np.array(choices), dtype=np.int64)
    # a few units of many kinds are sooner shuffled than counted kind by kind
    few = sum(kinds) < 10 * len(kinds)
    counts = np.zeros((replicates, len(kinds)), dtype=np.int64)
    for _ in range(alike):
        counts += rng.multivariate_hypergeometric(
            kinds, second, replicates, method="count" if few else "marginals"
        )
    return counts
