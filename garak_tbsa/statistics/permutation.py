# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests of whether two scans differ.

Under the null hypothesis the units of a stratum are exchangeable between the two
scans, so the second one has any of them with the same probability.
Three questions are asked of the same permutations: did the score move, did pass
rates move in one direction (Cochran-Mantel-Haenszel), and did any single pair
move. Every p-value is a rank among all arrangements, the observed one included,
so that none is too small, however few or unequal the counts.

Whole prompts are alike but for their sizes where a scan lacks outputs, or has more of
each prompt, and rates of few outputs vary more than those of many. So how far a stratum
moved is measured in standard deviations that fit the sizes of each arrangement, as the
signed root of the likelihood ratio of its two rates, and has the weight that its passes
have in a Cochran-Mantel-Haenszel test (permutation of studentised statistics, Janssen
1997). With units of one size it is the second scan's passes less their mean.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from garak_tbsa import progress
from garak_tbsa.statistics.exchange import (
    REPLICATES,
    SEED,
    BothGraded,
    Exchange,
    Stratum,
)
from garak_tbsa.tbsa.grade_counts import counts_of, grade_edges
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import TIER_WEIGHTS

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

Result = TypeVar("Result", "PairMove", "TestResults")

TIE = 1e-9
DRAWN = ("passed", "evaluated", "moved")


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

    p_score: float | None
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
    """The second scan in each arrangement; a row each, the first as observed.

    ``passed`` and ``evaluated`` outputs, and how far its passes are from their mean
    (``moved``), by pair; then the variances of that, and of its sum over the pairs.
    """

    passed: Floats
    evaluated: Floats
    moved: Floats
    variance: Floats
    variance_of_sum: float


def permutation_tests(
    pairs: BothGraded,
    exchange: Exchange,
    *,
    with_score: bool,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> TestResults:
    """Test whether the second scan differs from the first.

    Where nobody knows how verdicts of one probe's detectors go together, each
    p-value is the larger of two: detectors independent, and as alike as their
    counts allow. The order of pairs and prompts changes nothing.

    Parameters
    ----------
    pairs : sequence of (GradedPair, GradedPair)
        At least one, each with its counts in both scans.
    exchange : Exchange
        What may change places.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    replicates, seed : int
        Number of permutations, at least 1, and where they start.
    """
    rng = np.random.default_rng(seed)
    arranged = _arranged(pairs, exchange, replicates, rng)
    found = _results(pairs, arranged, with_score=with_score)
    if not exchange.coupled:
        return found
    arranged = _comonotone(arranged, exchange.coupled, rng)
    return _safer(found, _results(pairs, arranged, with_score=with_score))


def _arranged(
    pairs: BothGraded, exchange: Exchange, replicates: int, rng: np.random.Generator
) -> _Arranged:
    """Permute all strata, in an order that the report's does not change."""
    own = [counts_of(two) for _, two in pairs]
    shape = replicates + 1, len(pairs)
    # pairs are written one by one, so that each has its numbers side by side
    passed, evaluated, moved = (np.zeros(shape, order="F") for _ in DRAWN)
    passed += [counts.passed for counts in own]
    evaluated += [counts.total_evaluated for counts in own]
    variance, variance_of_sum = np.zeros(len(pairs)), 0.0
    strata = sorted(
        exchange.strata,
        key=lambda each: (
            [pairs[index][1].name for index in each.pairs],
            each.units,
            each.times,
            each.second,
        ),
    )
    counted = {entry.pair for entry in exchange.unmatched}
    by_attempts = dict.fromkeys(
        each for each in strata if pairs[each.pairs[0]][1].name not in counted
    )
    likeness = _likeness(by_attempts)
    for number, stratum in enumerate(strata):
        if len(stratum.units) == 1:
            # all units have the same verdicts: nothing varies
            continue
        progress.tell("testing the difference", number, len(strata))
        observed = np.array(exchange.strata[stratum])
        alike = int(observed.sum()) // stratum.second
        drawn = np.vstack([observed, _draws(stratum, alike, replicates, rng)])
        # where only counts are known, outputs of a prompt are taken to be all alike
        theirs = likeness if stratum in by_attempts else 1.0
        changes, covariance = _moves(stratum, alike, drawn.astype(np.float64), theirs)
        columns = list(stratum.pairs)
        for values, change in zip((passed, evaluated, moved), changes, strict=True):
            values[:, columns] += change
        variance[columns] += np.diag(covariance)
        variance_of_sum += float(covariance.sum())
    for group in map(list, exchange.coupled):
        # their sum varies as if they always went together
        alone = variance[group]
        variance_of_sum += float(np.sqrt(alone).sum() ** 2 - alone.sum())
    return _Arranged(
        passed=passed,
        evaluated=evaluated,
        moved=moved,
        variance=variance,
        variance_of_sum=variance_of_sum,
    )


def _likeness(strata: Iterable[Stratum]) -> float:
    """Correlation of two outputs of one prompt, over all strata of whole prompts."""
    excess = most = 0.0
    for stratum in strata:
        sizes, passes = np.array(stratum.units, dtype=np.float64).swapaxes(0, 1)
        times = np.array(stratum.times, dtype=np.float64)
        outputs = times @ sizes
        rate = times @ passes / np.maximum(outputs, 1)
        chance = rate * (1 - rate)
        squares = times @ (passes - rate * sizes) ** 2
        excess += float((squares - chance * outputs).sum())
        most += float((chance * (times @ (sizes * (sizes - 1)))).sum())
    return min(max(excess / most, 0), 1) if most else 0.0


def _moves(
    stratum: Stratum, alike: int, drawn: Floats, likeness: float
) -> tuple[tuple[Floats, Floats, Floats], Floats]:
    """What units of the second scan, drawn by kind, change in so many strata alike.

    Its passed and evaluated outputs against those observed, how far its passes are
    from their mean, and the covariance of that, which is of sampling without
    replacement. Residuals are a unit's passes less its size times the rate of both.
    """
    sizes, passes = np.array(stratum.units, dtype=np.float64).swapaxes(0, 1)
    times = alike * np.array(stratum.times, dtype=np.float64)
    outputs, all_passes = times @ sizes, times @ passes
    among = np.maximum(outputs, 1)
    evaluated, passed = drawn @ sizes, drawn @ passes
    # whole numbers until they are divided, so that nothing cancels
    moved = (outputs * passed - all_passes * evaluated) / among
    residuals = (outputs * passes - all_passes * sizes) / among
    units, second = sum(stratum.times), stratum.second
    half = second * (units - second) / units
    covariance = half / (units - 1) * (residuals.T * times) @ residuals
    if (sizes != sizes[0]).any():
        # how the variance of a unit's passes grows with its size
        spread = sizes * (1 + (sizes - 1) * likeness)
        ones = evaluated, passed, drawn @ spread
        others = outputs - evaluated, all_passes - passed, (times - drawn) @ spread
        moved = np.sqrt(np.diag(covariance)) * _signed_root(ones, others)
    return (passed - passed[0], evaluated - evaluated[0], moved), covariance


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
            ratio += weight * own * np.log(np.where(own > 0, own, 1))
            ratio -= weight * own * np.log(np.where(own > 0, both, 1))
    signed: Floats = np.sign(rates[0] - rates[1]) * np.sqrt(2 * np.maximum(ratio, 0))
    return signed


def _draws(
    stratum: Stratum, alike: int, replicates: int, rng: np.random.Generator
) -> Whole:
    """Units of each kind in the second scan, for so many strata alike together."""
    kinds, second = stratum.times, stratum.second
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


def _comonotone(
    arranged: _Arranged, coupled: Sequence[tuple[int, ...]], rng: np.random.Generator
) -> _Arranged:
    """Let pairs of one probe rise and fall together, each as often as alone.

    Their draws are sorted and put back in one common order.
    """
    drawn = {name: getattr(arranged, name).copy() for name in DRAWN}
    for group in coupled:
        order = 1 + rng.permutation(len(arranged.moved) - 1)
        for pair in group:
            by_size = 1 + np.argsort(arranged.moved[1:, pair], kind="stable")
            for name, values in drawn.items():
                values[order, pair] = getattr(arranged, name)[by_size, pair]
    return replace(arranged, **drawn)


def _results(
    pairs: BothGraded, arranged: _Arranged, *, with_score: bool
) -> TestResults:
    """All tests of one set of arrangements."""
    variance = np.where(arranged.variance > 0, arranged.variance, 1)
    z_scores = arranged.moved / np.sqrt(variance)
    direction = arranged.moved.sum(axis=1)
    falls, rises, observed = z_scores.min(axis=1), z_scores.max(axis=1), z_scores[0]
    largest = int(np.abs(observed).argmax())
    statistics, p_score = [(-direction, direction), (-falls, rises)], None
    if with_score:
        score = _score_differences(pairs, arranged)
        statistics.append((-score, score))
        p_score = _p_value(np.abs(score))
    worse, better = (
        np.min([shares_reaching(each, each) for each in side], axis=0)
        for side in zip(*statistics, strict=True)
    )
    fell, rose = shares_reaching(-falls, -observed), shares_reaching(rises, observed)
    return TestResults(
        p_score=p_score,
        cmh_z=float(direction[0]) / (math.sqrt(arranged.variance_of_sum) or 1.0),
        p_cmh=_p_value(np.abs(direction)),
        p_less=_p_value(-direction),
        p_more=_p_value(direction),
        largest_z=float(observed[largest]),
        p_largest_z=_p_value(np.maximum(-falls, rises)),
        largest_pair=pairs[largest][1].name,
        p_worse=_p_value(-worse),
        p_better=_p_value(-better),
        moves=tuple(
            PairMove(z=z, p_fell=down, p_rose=up)
            for z, down, up in zip(
                observed.tolist(), fell.tolist(), rose.tolist(), strict=True
            )
        ),
    )


def _safer(one: TestResults, other: TestResults) -> TestResults:
    """The same tests, each with the larger of its two p-values."""
    both = zip(one.moves, other.moves, strict=True)
    return replace(_larger(one, other), moves=tuple(_larger(*two) for two in both))


def _larger(one: Result, other: Result) -> Result:
    names = [each.name for each in fields(one) if each.name.startswith("p_")]
    known = [name for name in names if getattr(one, name) is not None]
    return replace(
        one, **{name: max(getattr(one, name), getattr(other, name)) for name in known}
    )


def _score_differences(pairs: BothGraded, arranged: _Arranged) -> Floats:
    """Second minus first unrounded score in each arrangement."""
    first, second = zip(*pairs, strict=True)
    own = [counts_of(pair) for pair in first]
    passed, evaluated = arranged.passed, arranged.evaluated
    # what the second scan has gained is the first one's loss
    left_passed = [counts.passed for counts in own] + passed[0] - passed
    left = [counts.total_evaluated for counts in own] + evaluated[0] - evaluated
    return raw_scores(second, passed, evaluated) - raw_scores(first, left_passed, left)


def raw_scores(
    pairs: Sequence[GradedPair], passed: Floats, evaluated: Floats
) -> Floats:
    """Return unrounded scores for rows of counts, one column per pair.

    A scan with another number of outputs than its own gets the grade of its pass
    rate: the edges of its own counts are scaled.
    """
    scaled = passed * [counts_of(pair).total_evaluated for pair in pairs]
    grades = np.ones(passed.shape)
    for edges in zip(*map(grade_edges, pairs), strict=True):
        grades += scaled >= evaluated * edges
    means, weights = [], []
    for tier, weight in TIER_WEIGHTS.items():
        columns = [i for i, pair in enumerate(pairs) if pair.tier == tier]
        if columns:
            means.append(len(columns) / (1 / grades[:, columns]).sum(axis=1))
            weights.append(weight)
    scores: Floats = np.average(np.array(means), axis=0, weights=weights)
    return scores


def _p_value(statistic: Floats) -> float:
    """Share of arrangements at least as extreme as the observed one, which is one."""
    return float(shares_reaching(statistic, statistic[:1])[0])


def shares_reaching(statistic: Floats, values: Floats) -> Floats:
    """Return the share of arrangements whose statistic is at least each of these."""
    ordered = np.sort(statistic)
    tie = TIE * (1 + np.abs(ordered).max())
    reached = len(statistic) - np.searchsorted(ordered, values - tie)
    shares: Floats = reached / len(statistic)
    return shares
