# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The audited score: TBSA if every output were judged as the labellers judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from garak_tbsa.labels.hit_rates import ErrorGrid, HitDraws, draw_hits, faultless
from garak_tbsa.labels.scan import AuditedScan, CountedPairs, Floats, Whole
from garak_tbsa.statistics.scores import fractions
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import GRADE_RULES, PASS_RATE
from garak_tbsa.tbsa.score import rounded_tenths

DRAWS = 5_000
LEVEL = 0.95

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
    errors: ErrorGrid | None = None,
) -> AuditDraws:
    """Draw what the scan's score may truly be; ``errors`` as in ``draw_hits``."""
    return score_hits(scan, draw_hits(scan.strata, draws, seed, errors=errors))


def score_if_right(
    scan: AuditedScan, draws: int = DRAWS, seed: int = 1
) -> Estimate[int]:
    """Return the score and its range if every label is right.

    Where several answers were given about an output, their majority is the label.
    """
    settled = [each.with_labels(each.labelled, each.hits) for each in scan.strata]
    scan = replace(scan, strata=settled)
    return draw_scores(scan, draws, seed, errors=faultless()).score


def score_hits(scan: AuditedScan, hits: HitDraws) -> AuditDraws:
    """Score a scan by draws of the true hits of its strata."""
    totals = scan.counted.totals
    audited = {stratum.pair for stratum in scan.strata}
    stated = [
        0 if place in audited or pair.passed is None else total - pair.passed
        for place, (pair, total) in enumerate(zip(scan.pairs, totals, strict=True))
    ]
    draws = hits.hits.shape[1]
    failed = np.repeat(np.array(stated, dtype=np.int64)[:, np.newaxis], draws, axis=1)
    for place, stratum in enumerate(scan.strata):
        failed[stratum.pair] += hits.hits[place]
    grades = scan.counted.grades(totals[:, np.newaxis] - failed)
    numerators, denominators = fractions(scan.pairs, grades.T)
    return AuditDraws(
        hits=hits,
        grades=grades,
        raw=np.asarray(numerators / denominators),
        tenths=np.asarray(rounded_tenths(numerators, denominators)),
    )


def without_z_scores(scan: AuditedScan) -> AuditedScan:
    """Return the scan as if no pair had a Z-score."""
    pairs = [_uncalibrated(pair) for pair in scan.pairs]
    return replace(scan, counted=CountedPairs(pairs))


def _uncalibrated(pair: GradedPair) -> GradedPair:
    return replace(
        pair,
        z_score=None,
        distribution=None,
        grades=tuple(
            grade if rule is PASS_RATE else None
            for rule, grade in zip(GRADE_RULES, pair.grades, strict=True)
        ),
    )
