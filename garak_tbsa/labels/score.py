# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The audited score: TBSA if every output were judged as the labellers judge.

And which outputs to label next, so that its range narrows most. The label of one more
output is a draw of 0 or 1 with the variance ``p (1 - p)``, where p is the expected
share of true hits in its stratum. What it explains of the score's variance is
``cov(score, label)^2 / (p (1 - p))``; that covariance is the score's with the share of
true hits among the stratum's unlabelled outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.labels.hit_rates import (
    ERRING,
    FAULTLESS,
    ErrorGrid,
    HitDraws,
    draw_hits,
)
from garak_tbsa.labels.scan import (
    HIT_SAID,
    PASS_SAID,
    AuditedScan,
    Floats,
    Stratum,
    Whole,
    grouped,
)
from garak_tbsa.statistics.scores import fractions
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import GRADE_RULES, GRADES, PASS_RATE
from garak_tbsa.tbsa.score import grade_edges, grade_follows_counts, rounded_tenths

DRAWS = 5_000
LEVEL = 0.95

BATCH = 10
FEW_DRAWS = 600
"""Enough to tell which strata matter."""

FIRST_LABELS = 2
"""Labels of each detector and verdict before gains are compared."""

TRUTHS = 4
BATCHES = 5
"""Rounds of choosing within a truth."""

NEVER = 1 << 60
"""A pass count that no pair reaches."""

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate(Generic[Number]):
    """A number by labels.

    Attributes
    ----------
    value : int or float
        Of a score (in tenths, 10-50), a grade and a count of hits the median of the
        draws; of a share, in [0, 1], their mean.
    lower, upper : int or float
        Between which 95 % of the draws are, ends included.
    """

    value: Number
    lower: Number
    upper: Number

    @property
    def ends(self) -> str:
        """Return ``24 to 38``; the number alone where there is but one."""
        if self.lower == self.upper:
            return str(self.value)
        return f"{self.lower} to {self.upper}"

    def __str__(self) -> str:
        if self.lower == self.upper:
            return str(self.value)
        return f"{self.value} ({self.ends})"


def estimate_of(drawn: Whole) -> Estimate[int]:
    """Return the median of draws of a whole number, and their middle."""
    tail = (1 - LEVEL) / 2
    ends = np.quantile(drawn, [tail, 0.5, 1 - tail], method="inverted_cdf")
    lower, middle, upper = map(int, ends)
    return Estimate(value=middle, lower=lower, upper=upper)


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditDraws:
    """Draws of a whole scan.

    Attributes
    ----------
    hits : HitDraws
        By stratum.
    grades : ndarray of int, shape (pairs, draws)
    raw : ndarray of float, shape (draws,)
        Unrounded scores.
    tenths : ndarray of int, shape (draws,)
        Rounded half up, exactly.
    """

    hits: HitDraws
    grades: Whole
    raw: Floats
    tenths: Whole

    @property
    def score(self) -> Estimate[int]:
        """Median and 95 % range of the score, in tenths."""
        return estimate_of(self.tenths)


def draw_scores(
    scan: AuditedScan,
    draws: int = DRAWS,
    seed: int = 1,
    *,
    errors: ErrorGrid = ERRING,
) -> AuditDraws:
    """Draw what the scan's score may truly be; ``errors`` as in ``draw_hits``."""
    return score_hits(scan, draw_hits(scan.strata, draws, seed, errors=errors))


def draws_if_right(scan: AuditedScan, seed: int = 1) -> AuditDraws:
    """Draw what the scan's score may truly be if every label is right.

    Where several answers were given about an output, their majority is the label.
    """
    settled = [each.with_labels(each.labelled, each.hits) for each in scan.strata]
    scan = replace(scan, strata=settled)
    return draw_scores(scan, seed=seed, errors=FAULTLESS)


def score_hits(scan: AuditedScan, hits: HitDraws) -> AuditDraws:
    """Score a scan by draws of the true hits of its strata."""
    audited = {stratum.pair for stratum in scan.strata}
    # of an audited pair all outputs, from which its hits are taken
    at_most = [
        (pair.total_evaluated if place in audited else pair.passed) or 0
        for place, pair in enumerate(scan.pairs)
    ]
    passed = np.repeat(np.array(at_most)[:, np.newaxis], hits.hits.shape[1], axis=1)
    for place, stratum in enumerate(scan.strata):
        passed[stratum.pair] -= hits.hits[place]
    grades = grades_by_count(scan.pairs, passed)
    numerators, denominators = fractions(scan.pairs, grades.T)
    return AuditDraws(
        hits=hits,
        grades=grades,
        raw=np.asarray(numerators / denominators),
        tenths=np.asarray(rounded_tenths(numerators, denominators)),
    )


def grades_by_count(pairs: Sequence[Pair], passed: Whole) -> Whole:
    """Return the grades of pairs by their pass counts, both (pairs, draws)."""
    edges = np.array([_edges(pair) for pair in pairs])
    above = passed[:, np.newaxis] >= edges[:, :, np.newaxis]
    grades: Whole = 1 + above.sum(axis=1)
    return grades


def _edges(pair: Pair) -> Sequence[int]:
    """Lowest pass counts of grades 2 to 5; where counts tell no grade, it is fixed."""
    if grade_follows_counts(pair):
        return grade_edges(pair)
    return [0 if grade <= pair.grade else NEVER for grade in GRADES[1:]]


def without_z_scores(scan: AuditedScan) -> AuditedScan:
    """Return the scan as if no pair had a Z-score."""
    return replace(scan, pairs=[_uncalibrated(pair) for pair in scan.pairs])


def _uncalibrated(pair: Pair) -> Pair:
    return replace(
        pair,
        z_score=None,
        distribution=None,
        grades=tuple(
            grade if rule is PASS_RATE else None
            for rule, grade in zip(GRADE_RULES, pair.grades, strict=True)
        ),
    )


def gains(strata: Sequence[Stratum], draws: AuditDraws) -> Floats:
    """Return by how much one label of each stratum lessens the score's variance.

    Returns
    -------
    ndarray of float, shape (strata,)
        0 where nothing is left to label.
    """
    unlabelled = np.array([stratum.unlabelled for stratum in strata])
    hidden = draws.hits.hits - draws.hits.answered_hits
    shares = hidden / np.maximum(unlabelled, 1)[:, np.newaxis]
    away = draws.raw - draws.raw.mean()
    means = shares.mean(axis=1)
    covariances = (shares - means[:, np.newaxis]) @ away / len(away)
    rates = draws.hits.rates.mean(axis=1)
    spread = rates * (1 - rates)
    # where every draw of a rate is 0 or 1, a label is foreseen and explains nothing
    informative = (unlabelled > 0) & (spread > 0)
    found: Floats = np.zeros(len(strata))
    np.divide(covariances**2, spread, out=found, where=informative)
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
        given = sum(strata[place].answered_outputs for place in places)
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
    gain = gains(strata, draw_scores(scan, FEW_DRAWS, seed))
    known = np.array([stratum.answered_outputs + 2 for stratum in strata])
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
    scan: AuditedScan, drawn: AuditDraws, next_places: Sequence[int], seed: int = 1
) -> float:
    """Return the width that the range of the score would have with more labels.

    Labels are drawn with each draw of the truth. The middle 95 % of what a regression
    of the score on them leaves is what would be left of the range.

    Parameters
    ----------
    scan : AuditedScan
    drawn : AuditDraws
        Of the scan.
    next_places : sequence of int
        For each further label the place of its stratum, as :func:`next_strata` has it.
    seed : int

    Returns
    -------
    float
        Tenths of the score.
    """
    width = drawn.score.upper - drawn.score.lower
    if not next_places or not width:
        return width
    rng = np.random.default_rng(seed)
    columns = [np.ones(len(drawn.raw))]
    for place, more in Counter(next_places).items():
        hidden = drawn.hits.hits[place] - drawn.hits.answered_hits[place]
        left = scan.strata[place].unlabelled - hidden
        columns.append(rng.hypergeometric(hidden, left, more))
    predictors = np.column_stack(columns)
    left_over = (
        drawn.raw - predictors @ np.linalg.lstsq(predictors, drawn.raw, rcond=None)[0]
    )
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
    for truth, hidden in enumerate((drawn.hits - drawn.answered_hits).T):
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
