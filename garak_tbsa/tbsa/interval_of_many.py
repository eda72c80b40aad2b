# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The distribution of a repeat's score with numpy, for many pairs or outputs.

Pairs of a tier are added two by two, all sums of a round in one batch of fast
Fourier transforms. The ends that hold nothing are cut after each round, so that the
time grows with the number of pairs and not with its square. Counts whose
standard deviation is above :data:`STEPS` are walked in steps of a small part of it,
so that the time does not grow with the number of outputs either.
"""

from __future__ import annotations

import math

import numpy as np

from garak_tbsa.tbsa.grade_chances import (
    GradeChances,
    below_edges_of_many,
    by_probe,
    scaled_edge,
)
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.probe_units import UNITS, units_of_probe
from garak_tbsa.tbsa.rate_grid import LOG_HIT, LOG_PASS, RATES
from garak_tbsa.tbsa.rules import SCORED_TIERS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE
from garak_tbsa.tbsa.two_tiers import JoinBounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from garak_tbsa.tbsa.beta_binomial import BetaShape
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.probe_units import Terms
    from garak_tbsa.tbsa.rate_prior import TierPriors
    from garak_tbsa.tbsa.repeat_assumptions import RepeatAssumptions

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

STEPS = 256
"""Steps in which a standard deviation of a count is walked at least."""

NARROW = 24
"""Standard deviation of a count up to which lists are as quick as numpy."""

BLOCK = 512
NEGLIGIBLE = 1e-18
NOISE = 1e-16
"""Shares below this are what a transform errs by."""

CUT = 1e-13
"""What is cut from either end of a sum."""

ROWS = 4096
"""Probes of one detector that are added at once; bounds the memory."""

WIDTH = UNITS[0] - UNITS[-1] + 1


def tenths_of_many(
    graded: Sequence[GradedPair], priors: TierPriors, assumed: RepeatAssumptions
) -> dict[int, float]:
    """Return the probability of each score in tenths.

    Parameters
    ----------
    graded : sequence of GradedPair
        Each with counts.
    priors : TierPriors
        Fitted to all of them.
    assumed : RepeatAssumptions
        How outputs and detectors go together.
    """
    chances = ChancesOfMany(priors, assumed)
    for pair in sorted(graded, key=_size):
        # known from then on, so that one table of a size is held at a time
        chances.of(pair)
    tiers: dict[int, list[Terms]] = {tier: [] for tier in SCORED_TIERS}
    pairs_of = dict.fromkeys(SCORED_TIERS, 0)
    for pairs in by_probe(graded):
        tier = pairs[0].tier
        pairs_of[tier] += len(pairs)
        tiers[tier].append(
            units_of_probe(
                [chances.of(pair) for pair in pairs],
                [assumed.loading_of(pair) for pair in pairs],
            )
        )
    first, second = SCORED_TIERS
    return _joined(
        _Sum.of(first, pairs_of[first], tiers[first]),
        _Sum.of(second, pairs_of[second], tiers[second]),
    )


def _size(pair: GradedPair) -> int:
    return counts_of(pair).total_evaluated


class ChancesOfMany(GradeChances):
    """The same for pairs that come in the order of their size, in whole tables."""

    def __init__(self, priors: TierPriors, assumed: RepeatAssumptions) -> None:
        super().__init__(priors, assumed)
        self._table: tuple[int, Floats] | None = None

    def _below_many(
        self, edges: Sequence[int], outputs: float, total: int, shape: BetaShape
    ) -> list[float]:
        return _below_edges(edges, outputs, total, shape)

    def _below_independent(
        self, edges: Sequence[int], total: int, masses: Sequence[float]
    ) -> list[float]:
        found: list[float] = (self._below_counts(total)[list(edges)] @ masses).tolist()
        return found

    def _below_counts(self, total: int) -> Floats:
        if self._table is None or self._table[0] != total:
            self._table = total, _tails(total)
        return self._table[1]


def _tails(total: int) -> Floats:
    """Probabilities of a count below 0, 1, ..., ``total + 1`` at each rate."""
    counts = np.arange(total + 1.0)
    steps = np.log((total - counts[:-1]) / counts[1:])
    ways = np.concatenate([[0.0], np.cumsum(steps)])
    logs = ways[:, np.newaxis] + np.outer(counts, LOG_PASS)
    logs += np.outer(total - counts, LOG_HIT)
    tails = np.ones((total + 2, len(RATES)))
    tails[0] = 0.0
    tails[1:-1] = np.minimum(np.cumsum(np.exp(logs), axis=0)[:-1], 1.0)
    return tails


def _below_edges(
    edges: Sequence[int], outputs: float, total: int, shape: BetaShape
) -> list[float]:
    """Probabilities of a count below each edge, in steps where counts are many."""
    size = max(1, round(outputs))
    deviation = _deviation(size, shape)
    if deviation < NARROW:
        return below_edges_of_many(edges, outputs, total, shape)
    # an odd number of counts lies evenly around the one that it is taken at
    step = 2 * int(deviation / STEPS / 2) + 1
    first, cumulated = _walked(size, shape, step)
    places = [scaled_edge(edge, outputs, total) - first for edge in edges]
    last = len(cumulated) - 1
    return [cumulated[min(max(place, 0), last)] for place in places]


def _deviation(total: int, shape: BetaShape) -> float:
    """Return the standard deviation of a Beta-binomial count."""
    size = shape.alpha + shape.beta
    share = shape.alpha / size
    return math.sqrt(total * share * (1 - share) * (size + total) / (size + 1))


class _Walk:
    """Cumulated probabilities at every ``step``-th count, straight lines between."""

    def __init__(self, first: int, step: int, total: int, cumulated: Floats) -> None:
        self._step = step
        self._length = min(step * (len(cumulated) - 1), total - first + 1) + 1
        self._cumulated = cumulated

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> float:
        place, rest = divmod(index, self._step)
        below = float(self._cumulated[place])
        if not rest:
            return below
        above = float(self._cumulated[place + 1])
        return below + (above - below) * rest / self._step


def _walked(total: int, shape: BetaShape, step: int) -> tuple[int, _Walk]:
    """Return the lowest count and the cumulated probabilities from there on.

    Over a step the ratio of neighbouring probabilities is taken to be the one in its
    middle; a step is a small part of the standard deviation, so that the logarithm
    of the probability is nearly a parabola over it, for which that is exact.
    """
    mode = shape.mode_of_count(total)
    upwards = _log_weights(mode, total, shape, step)
    downwards = _log_weights(mode, total, shape, -step)
    weights = np.exp(np.concatenate([downwards[::-1], [0.0], upwards]))
    first = max(0, mode - step * len(downwards) - step // 2)
    cumulated = np.concatenate([[0.0], np.cumsum(weights)])
    return first, _Walk(first, step, total, cumulated / cumulated[-1])


def _log_weights(mode: int, total: int, shape: BetaShape, step: int) -> Floats:
    """Logarithms of probabilities at ``mode + step``, ``mode + 2 step``, ..."""
    size, found = abs(step), []
    reached, start = 0.0, mode
    limit = total if step > 0 else 0
    while abs(limit - start) >= size and reached > math.log(NEGLIGIBLE):
        many = min(BLOCK, abs(limit - start) // size)
        middle = start + step * np.arange(many, dtype=np.float64) + (step - 1) / 2
        ratio = np.log(total - middle) + np.log(shape.alpha + middle)
        ratio -= np.log(middle + 1) + np.log(shape.beta + total - middle - 1)
        block = reached + np.cumsum(step * ratio)
        found.append(block)
        reached, start = float(block[-1]), start + step * many
    whole = np.concatenate(found) if found else np.zeros(0)
    return whole[whole > math.log(NEGLIGIBLE)]


class _Sum:
    """Distribution of a tier's sum of units; entry i is the share of ``first + i``."""

    def __init__(self, tier: int, count: int, first: int, shares: Floats) -> None:
        self.tier = tier
        self.count = count
        self.first = first
        self.shares = shares

    @classmethod
    def of(cls, tier: int, count: int, probes: Sequence[Terms]) -> _Sum:
        """Add up independent probes, each with the probabilities of its sums."""
        if not probes:
            return cls(tier, 0, 0, np.ones(1))
        narrow_first = sorted(probes, key=_width)
        parts, start = [], 0
        while start < len(narrow_first):
            # as many rows as fit, which are about as wide as each other
            width = _width(narrow_first[start])
            end = start + max(1, ROWS * WIDTH // width)
            batch = [
                each for each in narrow_first[start:end] if _width(each) < 2 * width
            ]
            parts.append(_added(*_unit_rows(batch)))
            start += len(batch)
        parts.sort(key=lambda part: len(part[1]))
        first, shares = parts[0]
        for more, row in parts[1:]:
            size = len(shares) + len(row) - 1
            rows = np.stack(
                [np.pad(each, (0, size - len(each))) for each in (shares, row)]
            )
            first, shares = _added(rows, np.array([first, more]))
        return cls(tier, count, first, shares)


def _width(terms: Terms) -> int:
    return max(terms) - min(terms) + 1


def _unit_rows(probes: Sequence[Terms]) -> tuple[Floats, Whole]:
    """Probabilities of ``first``, ``first + 1``, ... units, and ``first``, by probe."""
    firsts = [min(terms) for terms in probes]
    width = max(map(_width, probes))
    places = [
        row * width + units - first
        for row, (terms, first) in enumerate(zip(probes, firsts, strict=True))
        for units in terms
    ]
    rows = np.zeros(len(probes) * width)
    rows[places] = [share for terms in probes for share in terms.values()]
    return rows.reshape(len(probes), width), np.array(firsts, dtype=np.int64)


def _added(rows: Floats, firsts: Whole) -> tuple[int, Floats]:
    """Add up independent rows; return where the sum's distribution begins, and it."""
    rows, firsts = _trimmed(rows, firsts)
    while len(rows) > 1:
        rows, firsts = _trimmed(*_added_in_twos(rows, firsts))
    return int(firsts[0]), rows[0]


def _added_in_twos(rows: Floats, firsts: Whole) -> tuple[Floats, Whole]:
    if len(rows) % 2:
        nothing = np.zeros((1, rows.shape[1]))
        nothing[0, 0] = 1.0
        rows = np.concatenate([rows, nothing])
        firsts = np.concatenate([firsts, [0]])
    width = 2 * rows.shape[1] - 1
    size = 1 << (width - 1).bit_length()
    turned = np.fft.rfft(rows, size)
    added = np.fft.irfft(turned[0::2] * turned[1::2], size)[:, :width]
    added[added < NOISE] = 0.0
    return added, firsts[0::2] + firsts[1::2]


def _trimmed(rows: Floats, firsts: Whole) -> tuple[Floats, Whole]:
    """Cut what is negligible at the ends, to the width that the widest row needs."""
    lows = (np.cumsum(rows, axis=1) < CUT).sum(axis=1)
    highs = (np.cumsum(rows[:, ::-1], axis=1) < CUT).sum(axis=1)
    width = int((rows.shape[1] - lows - highs).max())
    lows = np.minimum(lows, rows.shape[1] - width)
    kept = np.take_along_axis(rows, lows[:, np.newaxis] + np.arange(width), axis=1)
    return kept / kept.sum(axis=1, keepdims=True), firsts + lows


def _joined(one: _Sum, other: _Sum) -> dict[int, float]:
    """Probability of each score in tenths, from the unit sums of both tiers."""
    if not (one.count and other.count):
        only = one if one.count else other
        units = only.first + np.arange(len(only.shares))
        tenths = (20 * COMMON_MULTIPLE * only.count + units) // (2 * units)
        return {
            int(tenth): float(only.shares[tenths == tenth].sum())
            for tenth in np.unique(tenths)
        }
    bounds = JoinBounds(one.tier, one.count, other.tier, other.count)
    units = one.first + np.arange(len(one.shares), dtype=np.int64)
    cumulated = np.concatenate([[0.0], np.cumsum(other.shares)])
    last = len(other.shares) - 1
    above, found = np.zeros(len(units)), {}
    for tenth in range(50, 9, -1):
        slope = bounds.slope(tenth, units)
        reach = bounds.level(units) // np.where(slope > 0, slope, 1) - other.first
        reach = np.where(slope > 0, np.clip(reach, -1, last), last)
        upto = cumulated[reach + 1]
        found[tenth] = float(one.shares @ (upto - above))
        above = upto
    return {tenth: share for tenth, share in found.items() if share > 0}
