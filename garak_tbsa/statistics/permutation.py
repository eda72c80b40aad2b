# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests of whether two scans differ.

Under the null hypothesis the units of a block are exchangeable between the two
scans, so the second one has any of them with the same probability.
Three questions are asked of the same permutations: did the score move, did pass
rates move in one direction (Cochran-Mantel-Haenszel), and did any single pair
move. Every p-value is a rank among all arrangements, the observed one included,
so that none is too small, however few or unequal the counts.

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
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from garak_tbsa import progress
from garak_tbsa.statistics.exchange import REPLICATES, SEED, Block, Exchange
from garak_tbsa.statistics.scores import counts_of_pairs, raw_scores
from garak_tbsa.statistics.special import Counts, Floats

TIE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class PairMove:
    """How far the pass rate of one pair moved, and whether it stands out.

    Attributes
    ----------
    z : float
        How far it is from its mean over all arrangements, in standard deviations;
        negative where the second scan passes less.
    p_fell, p_rose : float
        One-sided: the share of permutations in which any of the pairs fell, or rose,
        as far (single-step adjustment for the number of pairs, Westfall and Young
        1993).
    """

    z: float
    p_fell: float
    p_rose: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResults:
    """What the permutations say; p-values are two-sided unless named otherwise.

    Attributes
    ----------
    p_score : float or None
        That of the difference of the unrounded scores; None where grades by
        count are not known.
    cmh_z, p_cmh : float
        Cochran-Mantel-Haenszel statistic, negative where the second scan passes
        less, and its permuted p-value.
    p_less, p_more : float
        The same, one-sided: that it passes less, or more.
    largest_z, p_largest_z : float
        The pair whose pass rate moved most, in standard deviations, and the
        permuted p-value of the largest of all.
    largest_pair : str
        Its name.
    p_worse : float
        One-sided: that the second scan is worse. The share of permutations that
        make the smallest of the one-sided p-values of all three tests this small.
    p_better : float
        The same, that it is better.
    moves : tuple of PairMove
        One for each pair, in their order.
    """

    p_score: float | None = None
    cmh_z: float
    p_cmh: float
    p_less: float
    p_more: float
    largest_z: float
    p_largest_z: float
    largest_pair: str
    p_worse: float
    p_better: float
    moves: tuple[PairMove, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Arranged:
    """The second scan in each arrangement.

    ``drawn`` has its passed and its evaluated outputs, and how far its passes are from
    their mean; then a row for each arrangement, the first as observed, and a column
    for each pair. ``deviation`` is that of the last over all arrangements, and 1 where
    it does not vary.
    """

    drawn: Floats
    deviation: Floats
    deviation_of_sum: float


def permutation_tests(
    exchange: Exchange,
    *,
    with_score: bool,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> TestResults:
    """Test whether the second scan differs from the first.

    Where nobody knows how verdicts of one probe's detectors go together, each
    p-value is the larger of two: detectors independent, and as alike as their
    counts allow.

    Parameters
    ----------
    exchange : Exchange
        What may change places; of at least one pair.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    replicates, seed : int
        Number of permutations, at least 1, and where they start.
    """
    rng = np.random.default_rng(seed)
    arranged = _arranged(exchange, replicates, rng)
    p_values = _p_values(exchange, arranged, with_score=with_score)
    if exchange.coupled:
        _let_go_together(arranged.drawn, exchange.coupled, rng)
        others = _p_values(exchange, arranged, with_score=with_score)
        p_values = {name: np.maximum(p_values[name], others[name]) for name in others}
    falls, rises = p_values.pop("fell").tolist(), p_values.pop("rose").tolist()
    moved = arranged.drawn[2]
    direction, z_scores = moved.sum(axis=1)[0], moved[0] / arranged.deviation
    largest = int(np.abs(z_scores).argmax())
    return TestResults(
        **{name: float(p_value) for name, p_value in p_values.items()},
        cmh_z=float(direction) / arranged.deviation_of_sum,
        largest_z=float(z_scores[largest]),
        largest_pair=exchange.pairs[largest][1].name,
        moves=tuple(
            PairMove(z=z, p_fell=fell, p_rose=rose)
            for z, fell, rose in zip(z_scores.tolist(), falls, rises, strict=True)
        ),
    )


def _arranged(
    exchange: Exchange, replicates: int, rng: np.random.Generator
) -> _Arranged:
    """Permute all blocks, in an order that the report's does not change."""
    pairs = len(exchange.pairs)
    # pairs are written one by one, so that each has its numbers side by side
    drawn = np.zeros((3, pairs, replicates + 1)).swapaxes(1, 2)
    drawn[:2] += counts_of_pairs([pair for _, pair in exchange.pairs])[:, None]
    variance, variance_of_sum = np.zeros(pairs), 0.0
    counted = exchange.unmatched
    likeness = _likeness(s for s in exchange.blocks if s.pairs[0] not in counted)
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
        theirs = 1.0 if block.pairs[0] in counted else likeness
        changes, covariance = _moves(block, alike, units.astype(np.float64), theirs)
        columns = list(block.pairs)
        drawn[:, :, columns] += changes
        variance[columns] += np.diag(covariance)
        variance_of_sum += float(covariance.sum())
    for group in map(list, exchange.coupled):
        # their sum varies as if they always went together
        alone = variance[group]
        variance_of_sum += float(np.sqrt(alone).sum() ** 2 - alone.sum())
    return _Arranged(
        drawn=drawn,
        deviation=np.sqrt(np.where(variance > 0, variance, 1)),
        deviation_of_sum=math.sqrt(variance_of_sum) or 1.0,
    )


def _likeness(blocks: Iterable[Block]) -> float:
    """Correlation of two outputs of one prompt, over all blocks of whole prompts."""
    excess = most = 0.0
    for block in blocks:
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


def _let_go_together(
    drawn: Floats, coupled: Iterable[tuple[int, ...]], rng: np.random.Generator
) -> None:
    """Let pairs of one probe rise and fall together, each as often as alone.

    Their draws are sorted and put back in one common order.
    """
    for group in coupled:
        order = 1 + rng.permutation(drawn.shape[1] - 1)
        for pair in group:
            by_size = 1 + np.argsort(drawn[2, 1:, pair], kind="stable")
            drawn[:, order, pair] = drawn[:, by_size, pair]


def _p_values(
    exchange: Exchange, arranged: _Arranged, *, with_score: bool
) -> dict[str, Floats]:
    """Those of all tests on one set of arrangements."""
    moved = arranged.drawn[2]
    z_scores = moved / arranged.deviation
    direction = moved.sum(axis=1)
    falls, rises = z_scores.min(axis=1), z_scores.max(axis=1)
    two_sided = {
        "p_cmh": np.abs(direction),
        "p_largest_z": np.maximum(-falls, rises),
    }
    statistics = [(-direction, direction), (-falls, rises)]
    if with_score:
        before, after = zip(*exchange.pairs, strict=True)
        second = arranged.drawn[:2]
        # what the second scan has gained is the first one's loss
        left = counts_of_pairs(before)[:, None] + second[:, :1] - second
        score = raw_scores(after, *second) - raw_scores(before, *left)
        statistics.append((-score, score))
        two_sided["p_score"] = np.abs(score)
    worse, better = (
        np.min([shares_reaching(each, each) for each in side], axis=0)
        for side in zip(*statistics, strict=True)
    )
    extremes = {
        **two_sided,
        "p_less": -direction,
        "p_more": direction,
        "p_worse": -worse,
        "p_better": -better,
    }
    # the share of arrangements at least as extreme as the observed one, which is one
    return {
        **{name: shares_reaching(each, each[:1])[0] for name, each in extremes.items()},
        "fell": shares_reaching(-falls, -z_scores[0]),
        "rose": shares_reaching(rises, z_scores[0]),
    }


def shares_reaching(statistic: Floats, values: Floats) -> Floats:
    """Return the share of arrangements whose statistic is at least each of these."""
    ordered = np.sort(statistic)
    tie = TIE * (1 + np.abs(ordered).max())
    reached = len(statistic) - np.searchsorted(ordered, values - tie)
    shares: Floats = reached / len(statistic)
    return shares
