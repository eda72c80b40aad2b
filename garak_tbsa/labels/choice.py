# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which strata's outputs to label next, so that the score's range narrows most.

The label of one more output is a draw of 0 or 1 with the variance ``p (1 - p)``, where
p is the expected share of true hits in its stratum. What it explains of the score's
variance is ``cov(score, label)^2 / (p (1 - p))``; that covariance is the score's with
the share of true hits among the stratum's unlabelled outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.labels.hit_rates import draw_hits
from garak_tbsa.labels.scan import (
    HIT_SAID,
    PASS_SAID,
    AuditedScan,
    Floats,
    Stratum,
    grouped,
)
from garak_tbsa.labels.score import LEVEL, AuditDraws, draw_scores

BATCH = 10
DRAWS = 600
FIRST_LABELS = 2
"""Labels of each detector and verdict before gains are compared."""

TRUTHS = 4
BATCHES = 5
"""Rounds of choosing within a truth."""


def gains(strata: Sequence[Stratum], draws: AuditDraws) -> Floats:
    """Return by how much one label of each stratum lessens the score's variance.

    Returns
    -------
    ndarray of float, shape (strata,)
        0 where nothing is left to label.
    """
    unlabelled = np.array([stratum.unlabelled for stratum in strata])
    hidden = draws.hits.hits - draws.hits.asked
    shares = hidden / np.maximum(unlabelled, 1)[:, np.newaxis]
    away = draws.raw - draws.raw.mean()
    means = shares.mean(axis=1)
    covariances = (shares - means[:, np.newaxis]) @ away / len(away)
    rates = draws.hits.rates.mean(axis=1)
    spread = rates * (1 - rates)
    # where every draw of a rate is 0 or 1, a label is foreseen and explains nothing
    told = (unlabelled > 0) & (spread > 0)
    found: Floats = np.zeros(len(strata))
    np.divide(covariances**2, spread, out=found, where=told)
    return found


def first_labels(strata: Sequence[Stratum]) -> list[int]:
    """Return the places of the strata that are labelled before gains are compared.

    Each detector and verdict gets two labels, those with the most outputs before
    others, and within them large strata before small ones.
    """
    chosen: list[int] = []
    for places in sorted(
        grouped(strata).values(), key=lambda own: -sum(strata[i].outputs for i in own)
    ):
        largest = sorted(places, key=lambda place: -strata[place].outputs)
        turns = [
            place
            for turn in range(FIRST_LABELS)
            for place in largest
            if strata[place].unlabelled > turn
        ]
        given = sum(strata[place].asked for place in places)
        chosen += turns[: max(0, FIRST_LABELS - given)]
    return chosen


def next_strata(scan: AuditedScan, count: int = BATCH, seed: int = 1) -> list[int]:
    """Return the places of the strata of which an output is to be labelled next.

    First come :func:`first_labels`; then the largest gains count. A stratum's gain
    falls with each of its labels. Fewer are returned where fewer outputs are left.
    """
    strata = scan.strata
    chosen = first_labels(strata)[:count]
    if len(chosen) == count or not strata:
        return chosen
    given = np.bincount(chosen, minlength=len(strata))
    gain = gains(strata, draw_scores(scan, DRAWS, seed))
    known = np.array([stratum.asked + 2 for stratum in strata])
    unlabelled = np.array([stratum.unlabelled for stratum in strata])
    while len(chosen) < count:
        left = unlabelled - given
        # what a further label of the same stratum adds falls with those it has
        worth = np.where(left > 0, gain * known / (known + 2 * given), 0.0)
        # the score may be certain where a detector's shares are not
        best = int(np.argmax(worth if worth.any() else left))
        if left[best] <= 0:
            break
        given[best] += 1
        chosen.append(best)
    return chosen


def width_after(
    scan: AuditedScan, drawn: AuditDraws, asked: Sequence[int], seed: int = 1
) -> float:
    """Return the width that the range of the score would have with more labels.

    Labels are drawn with each draw of the truth. The middle 95 % of what a regression
    of the score on them leaves is what would be left of the range.

    Parameters
    ----------
    scan : AuditedScan
    drawn : AuditDraws
        Of the scan.
    asked : sequence of int
        For each further label the place of its stratum, as :func:`next_strata` has it.
    seed : int

    Returns
    -------
    float
        Tenths of the score.
    """
    width = drawn.score.upper - drawn.score.lower
    if not asked or not width:
        return width
    rng = np.random.default_rng(seed)
    columns = [np.ones(len(drawn.raw))]
    for place, more in Counter(asked).items():
        hidden = drawn.hits.hits[place] - drawn.hits.asked[place]
        left = scan.strata[place].unlabelled - hidden
        columns.append(rng.hypergeometric(hidden, left, more))
    told = np.column_stack(columns)
    left_over = drawn.raw - told @ np.linalg.lstsq(told, drawn.raw, rcond=None)[0]
    tail = (1 - LEVEL) / 2
    lower, upper = np.quantile(left_over, [tail, 1 - tail])
    return min(width, float(10 * (upper - lower)))


def planned_strata(scan: AuditedScan, count: int, seed: int = 1) -> list[int]:
    """Return the places of the strata of which outputs are to be labelled at once.

    A few truths are drawn from what is known so far. With labels from each of these
    truths, strata are chosen batch by batch, as if the labels came in. A stratum then
    gets its mean number of labels over the truths.

    Parameters
    ----------
    scan : AuditedScan
        Labels that it has count.
    count : int
        Labels; fewer are returned where fewer outputs are left.
    seed : int

    Returns
    -------
    list of int
        A place for each label, in the order of the strata.
    """
    count = min(count, sum(stratum.unlabelled for stratum in scan.strata))
    wanted: Counter[int] = Counter()
    drawn = draw_hits(scan.strata, TRUTHS, seed)
    for truth, hidden in enumerate((drawn.hits - drawn.asked).T):
        rng = np.random.default_rng([seed, truth])
        are_hits = [
            rng.permutation(np.arange(stratum.unlabelled) < hits)
            for stratum, hits in zip(scan.strata, hidden, strict=True)
        ]
        wanted += _chosen_in(scan, are_hits, count)
    means = Counter({place: labels // TRUTHS for place, labels in wanted.items()})
    by_remainder = sorted(wanted, key=lambda place: (-(wanted[place] % TRUTHS), place))
    means.update(by_remainder[: count - means.total()])
    return sorted(means.elements())


def _chosen_in(
    scan: AuditedScan, are_hits: Sequence[NDArray[np.bool_]], count: int
) -> Counter[int]:
    """Count the labels of each stratum where unlabelled outputs are hits or not."""
    given: Counter[int] = Counter()
    batch = -(-count // BATCHES)
    strata = list(scan.strata)
    while given.total() < count:
        size = min(batch, count - given.total())
        for place in next_strata(replace(scan, strata=strata), size, given.total()):
            answers = Counter(strata[place].answers)
            answers[HIT_SAID if are_hits[place][given[place]] else PASS_SAID] += 1
            strata[place] = replace(strata[place], answers=answers)
            given[place] += 1
    return given
