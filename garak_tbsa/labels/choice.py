# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which strata' outputs to label next, so that the score's range narrows most.

The label of one more output is a draw of 0 or 1 with the variance ``p (1 - p)``, where
p is the expected share of true hits in its stratum. What it explains of the score's
variance is ``cov(score, label)^2 / (p (1 - p))``; that covariance is the score's with
the share of true hits among the stratum's unlabelled outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from garak_tbsa.labels.hit_rates import Floats
from garak_tbsa.labels.score import LEVEL, AuditDraws, GradeTable, draw_scores
from garak_tbsa.labels.strata import AuditedScan, Stratum

BATCH = 10
DRAWS = 600
FIRST_LABELS = 2
"""Labels of each detector and verdict before gains are compared."""


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


def next_strata(
    scan: AuditedScan, table: GradeTable, count: int = BATCH, seed: int = 1
) -> list[int]:
    """Return the places of the strata of which an output is to be labelled next.

    First each detector and verdict gets two labels, those with the most outputs before
    others; then the largest gains count. A stratum's falls with each of its labels.

    Parameters
    ----------
    scan : AuditedScan
    table : GradeTable
    count : int
        Labels; fewer are returned where fewer outputs are left.
    seed : int
    """
    given: Counter[int] = Counter()
    chosen = _first_labels(scan.strata, count, given)
    if len(chosen) < count and scan.strata:
        drawn = draw_scores(scan, table, DRAWS, seed)
        chosen += _by_gain(scan.strata, drawn, count - len(chosen), given)
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


def _first_labels(
    strata: Sequence[Stratum], count: int, given: Counter[int]
) -> list[int]:
    """Choose for each detector and verdict that has few labels, large ones first."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for place, stratum in enumerate(strata):
        groups.setdefault(stratum.group, []).append(place)
    chosen: list[int] = []
    for places in sorted(
        groups.values(), key=lambda own: -sum(strata[i].outputs for i in own)
    ):
        lacking = FIRST_LABELS - sum(strata[i].asked for i in places)
        for place in _turns(strata, places, lacking):
            if len(chosen) < count:
                given[place] += 1
                chosen.append(place)
    return chosen


def _turns(strata: Sequence[Stratum], places: Sequence[int], wanted: int) -> list[int]:
    """Go round the strata, the largest first, until enough outputs are taken."""
    ordered = sorted(places, key=lambda place: -strata[place].outputs)
    taken: list[int] = []
    for turn in range(wanted):
        for place in ordered:
            if len(taken) < wanted and strata[place].unlabelled > turn:
                taken.append(place)
    return taken


def _by_gain(
    strata: Sequence[Stratum], draws: AuditDraws, count: int, given: Counter[int]
) -> list[int]:
    gain = gains(strata, draws)
    chosen: list[int] = []
    while len(chosen) < count:
        # what a further label of the same stratum adds falls with those it has
        worth = [
            each * (stratum.asked + 2) / (stratum.asked + 2 + 2 * given[place])
            if stratum.unlabelled > given[place]
            else 0.0
            for place, (stratum, each) in enumerate(zip(strata, gain, strict=True))
        ]
        best = int(np.argmax(worth))
        if worth[best] <= 0:  # the score is certain, a detector's shares may not be
            best = int(
                np.argmax([c.unlabelled - given[i] for i, c in enumerate(strata)])
            )
        if strata[best].unlabelled <= given[best]:
            return chosen
        given[best] += 1
        chosen.append(best)
    return chosen
