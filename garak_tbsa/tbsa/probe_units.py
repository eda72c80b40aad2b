# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sums of ``60 / grade`` over the detectors of one probe, which judge the same outputs.

Detectors of a probe are not independent: an output that one flags is often flagged by
the other. How far they go together is a *loading* of each on one common factor: 0
for independent ones, 1 for those that rise and fall together as far as they can.
"""

from __future__ import annotations

from itertools import pairwise
from math import erf, exp, sqrt

from garak_tbsa.tbsa.repeat_assumptions import MOST_DETECTORS
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.tbsa.score import COMMON_MULTIPLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Terms = dict[int, float]

UNITS = tuple(COMMON_MULTIPLE // grade for grade in GRADES)
TOGETHER = 0.95
"""Square of a loading from which on detectors are taken to go together wholly."""

STEP, REACH = 0.4, 6.0
NEVER = 1e-15


def units_of_probe(
    grades: Sequence[Sequence[float]], loadings: Sequence[float]
) -> Terms:
    """Return the probability of each sum of units.

    Parameters
    ----------
    grades : sequence of sequence of float
        For each detector the probabilities of grades 1 to 5.
    loadings : sequence of float
        One for each detector, 0-1.
    """
    if len(grades) == 1:
        return _of_one(grades[0])
    if len(grades) > MOST_DETECTORS or all(
        loading * loading > TOGETHER for loading in loadings
    ):
        return comonotone(grades)
    if max(loadings) == 0.0:
        return _added(grades)
    return _one_factor(grades, loadings)


def comonotone(grades: Sequence[Sequence[float]]) -> Terms:
    """Return the sums where all detectors are at the same quantile.

    No other way of going together makes the sum vary more, whatever each detector
    does by itself.
    """
    steps: list[tuple[float, int]] = []
    for probabilities in grades:
        reached = 0.0
        for place, probability in enumerate(probabilities[:-1]):
            reached += probability
            steps.append((reached, UNITS[place + 1] - UNITS[place]))
    steps.sort()
    terms: Terms = {}
    units, before = UNITS[0] * len(grades), 0.0
    for reached, step in steps:
        upto = min(reached, 1.0)
        if upto > before:
            terms[units] = terms.get(units, 0.0) + upto - before
            before = upto
        units += step
    if before < 1.0:
        terms[units] = terms.get(units, 0.0) + 1.0 - before
    return terms


def _of_one(probabilities: Sequence[float]) -> Terms:
    return {
        unit: share for unit, share in zip(UNITS, probabilities, strict=True) if share
    }


def _added(grades: Sequence[Sequence[float]]) -> Terms:
    """The sums where detectors are independent."""
    terms: Terms = {0: 1.0}
    for probabilities in grades:
        summed: Terms = {}
        for unit, share in _of_one(probabilities).items():
            for units, mass in terms.items():
                summed[units + unit] = summed.get(units + unit, 0.0) + share * mass
        terms = summed
    return terms


def _one_factor(grades: Sequence[Sequence[float]], loadings: Sequence[float]) -> Terms:
    """Independent given a normal factor, over which sums in even steps integrate."""
    from statistics import NormalDist

    quantile = NormalDist().inv_cdf
    scales = [
        (min(loading, sqrt(TOGETHER)), 1 / sqrt(1 - min(loading**2, TOGETHER)))
        for loading in loadings
    ]
    bounds = []
    for probabilities in grades:
        below = [sum(probabilities[:place]) for place in range(1, len(UNITS))]
        bounds.append([quantile(min(max(each, NEVER), 1 - NEVER)) for each in below])
    terms: Terms = {}
    nodes = [STEP * i for i in range(-round(REACH / STEP), round(REACH / STEP) + 1)]
    weights = [exp(-node * node / 2) for node in nodes]
    whole = sum(weights)
    for node, weight in zip(nodes, weights, strict=True):
        given = [
            _between([(bound - loading * node) * scale for bound in edges])
            for edges, (loading, scale) in zip(bounds, scales, strict=True)
        ]
        for units, share in _added(given).items():
            terms[units] = terms.get(units, 0.0) + share * weight / whole
    return terms


def _between(bounds: Sequence[float]) -> list[float]:
    """Shares of a standard normal distribution that rising bounds cut it into."""
    below = [0.0, *((1 + erf(bound / sqrt(2))) / 2 for bound in bounds), 1.0]
    return [upto - before for before, upto in pairwise(below)]
