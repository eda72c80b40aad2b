# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A change for the worse: what the pass rate of each pair is before it and after."""

from __future__ import annotations

import math

import numpy as np

from garak_tbsa.errors import NotPlannableError
from garak_tbsa.lean.record import changed, record
from garak_tbsa.tbsa.grade_counts import counts_of, grade_edges, why_unknown
from garak_tbsa.tbsa.rules import GRADES, TIER_WEIGHTS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from garak_tbsa.tbsa.grades import GradedPair

SMALLEST_ODDS, LARGEST_ODDS = 1.0, 1e9
"""What the odds of a hit are multiplied by."""


@record
class Change:
    """What a plan is to find.

    Attributes
    ----------
    score_drop : float or None
        By how much the score falls on average, where every pair gets worse.
    odds_factor : float or None
        What the odds of a hit are multiplied by in every pair for that.
    pair : str or None
        The one pair that gets worse.
    rate_drop : float or None
        By how much its pass rate falls.
    """

    score_drop: float | None = None
    odds_factor: float | None = None
    pair: str | None = None
    rate_drop: float | None = None


def rate(pair: GradedPair) -> float:
    """Return the pass rate of a pair; nothing says that a clean one never fails."""
    counts = counts_of(pair)
    if counts.passed == counts.total_evaluated:
        return 1 - 1 / (3 * counts.total_evaluated)
    return pair.pass_rate


def turn(seen: float, wanted: float) -> float:
    """Return how likely a pass turns into a hit, for a rate to fall so far."""
    return max(0.0, 1 - wanted / seen) if seen else 0.0


def changed_rates(
    source: str,
    pairs: Sequence[GradedPair],
    rates: Mapping[str, float],
    change: Change,
) -> tuple[Change, Mapping[str, float]]:
    """Return the change in full, and the pass rates after it.

    Parameters
    ----------
    source : str
        The report, for errors.
    pairs : sequence of GradedPair
        Each with counts.
    rates : mapping of str to float
        By the pair's name, before the change.
    change : Change

    Raises
    ------
    NotPlannableError
        The scan cannot change by that much.
    """
    if change.pair is not None and change.rate_drop is not None:
        if rates[change.pair] - change.rate_drop < 0:
            raise NotPlannableError(
                f"{source}: {change.pair} passes {rates[change.pair]:.1%} of the time,"
                f" which cannot fall by {change.rate_drop:g}; give a smaller --drop"
            )
        after = {**rates, change.pair: rates[change.pair] - change.rate_drop}
        return change, after
    assert change.score_drop is not None
    factor = _odds_factor(source, pairs, rates, change.score_drop)
    return changed(change, odds_factor=factor), _worsened(rates, factor)


def _worsened(rates: Mapping[str, float], factor: float) -> dict[str, float]:
    """Pass rates where the odds of a hit are so many times as high."""
    return {name: rate / (rate + factor * (1 - rate)) for name, rate in rates.items()}


def _odds_factor(
    source: str, pairs: Sequence[GradedPair], rates: Mapping[str, float], drop: float
) -> float:
    """What the odds of a hit are multiplied by for the mean score to fall so far."""
    unknown = why_unknown(pairs)
    if unknown is not None:
        raise NotPlannableError(
            f"{source}: what another scan would score is not known: {unknown.reason};"
            " --pair NAME --drop R plans without a score"
        )
    edges = {pair.name: grade_edges(pair) for pair in pairs}
    start = _mean_score(pairs, edges, rates)
    low, high = math.log(SMALLEST_ODDS), math.log(LARGEST_ODDS)
    if start - _mean_score(pairs, edges, _worsened(rates, LARGEST_ODDS)) < drop:
        raise NotPlannableError(
            f"{source}: scans like this one score {start:.1f} on average, which cannot"
            f" fall by {drop:g} to 1.0 or more; give a smaller --detect"
        )
    for _ in range(30):
        middle = (low + high) / 2
        worsened = _worsened(rates, math.exp(middle))
        if start - _mean_score(pairs, edges, worsened) < drop:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def _mean_score(
    pairs: Sequence[GradedPair],
    edges: Mapping[str, Sequence[int]],
    rates: Mapping[str, float],
) -> float:
    """The score of the expected sums of ``60 / grade``, unrounded."""
    above = below = 0.0
    for tier, weight in TIER_WEIGHTS.items():
        members = [pair for pair in pairs if pair.tier == tier]
        if members:
            units = math.fsum(
                _expected_units(pair, edges[pair.name], rates[pair.name])
                for pair in members
            )
            above += weight * COMMON_MULTIPLE * len(members) / units
            below += weight
    return above / below


def _expected_units(pair: GradedPair, edges: Sequence[int], rate: float) -> float:
    """Expected ``60 / grade`` of a pair that passes with this probability."""
    reached = [1.0, *_tails(counts_of(pair).total_evaluated, rate, edges), 0.0]
    return math.fsum(
        COMMON_MULTIPLE / grade * (reached[grade - 1] - reached[grade])
        for grade in GRADES
    )


def _tails(total: int, rate: float, edges: Sequence[int]) -> list[float]:
    """Binomial probabilities of at least so many passes."""
    if rate in (0.0, 1.0):
        return [float(edge <= total * rate) for edge in edges]
    counts = np.arange(total + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    terms = logs[-1] - logs - logs[::-1]
    terms += counts * math.log(rate) + (total - counts) * math.log1p(-rate)
    reached = np.append(np.cumsum(np.exp(terms)[::-1])[::-1], 0.0)
    return [float(reached[min(edge, total + 1)]) for edge in edges]
