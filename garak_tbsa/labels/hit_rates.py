# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs of each stratum are truly hits, in draws; labels may be wrong.

In a stratum the share p of true hits is Beta(mu k, (1 - mu) k). The strata of one
detector and verdict share mu and k, which lie on a grid. The mu of all detectors with
a verdict are Beta(r w, (1 - r) w). That rate r and how alike detectors are, w, lie on
a grid too; r has a prior worth two observations.

An answer is wrong with chance ``miss`` where the output is a hit and with chance
``false`` where it is none, in all strata alike. Both have a prior of mean .03. A share
``repeated`` of these errors is judgement: asked again, a rater says the same. The
others are slips, and a further answer is independent. These three lie on a grid too.

Of m outputs that were asked for, t are truly hits. Given p and the errors, the answers
have the probability of a polynomial, the sum of w_t p^t (1 - p)^(m - t) with a factor
for each output. Over p it is a sum of Beta functions: exact, without chains. A draw
takes the errors, then (r, w) of each verdict, then (mu, k) of each detector and
verdict, then t and p of each stratum, then the hits among the outputs that nobody was
asked about. With errors of chance 0, t is the number of labelled hits.

Errors that hang on what else a rater sees are not in it, nor is a rater who judges by
another rule: his answers agree with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np

from garak_tbsa.detector_eval.report_labels import Said
from garak_tbsa.labels.scan import Floats, Stratum, Whole, grouped

Answers: TypeAlias = tuple[tuple[Said, int], ...]
"""What was said -> of how many outputs, in a fixed order."""

PRIOR_WEIGHT = 2.0
FIRST_RATES = {True: 0.75, False: 0.1}
"""Rate of true hits by verdict before anything is labelled, worth two observations."""

SHARED_STEP = 0.5
SHARED_RATES = 1 / (1 + np.exp(-np.arange(-9, 5 + SHARED_STEP, SHARED_STEP)))
LIKENESS = np.array([0.5, 2.0, 8.0, 32.0])
"""Of the rates of detectors with one verdict: how much one tells of another."""

ERROR_MEAN = 0.03
ERROR_RATES = np.array([0.002, 0.012, 0.03, 0.06, 0.1, 0.16, 0.24])
REPEATED = np.array([0.1, 0.5, 0.9])
TINY = 1e-300


def log_beta(rates: Floats, step: float, hits: float, passes: float) -> Floats:
    """Logs of the weights that Beta(hits, passes) gives to even steps of the logit.

    The first rate and the last one stand for all that lies beyond them too.
    """
    # d rate = rate (1 - rate) d logit
    found: Floats = hits * np.log(rates) + passes * np.log1p(-rates)
    found += np.log1p((rates == rates.min()) * (1 / (hits * step) - 0.5))
    found += np.log1p((rates == rates.max()) * (1 / (passes * step) - 0.5))
    return found


class RateGrid:
    """Points (mean, strength) of what the rates of some strata have in common.

    Parameters
    ----------
    logits : ndarray of float
        Of the means.
    sizes : ndarray of float
        Strengths of each mean.
    of_rarer : bool
        Whether the sizes are those of the rarer of hits and passes.
    """

    def __init__(self, logits: Floats, sizes: Floats, *, of_rarer: bool) -> None:
        self.means = np.repeat(1 / (1 + np.exp(-logits)), len(sizes))
        self.strengths = np.tile(sizes, len(logits))
        if of_rarer:
            self.strengths /= np.minimum(self.means, 1 - self.means)
        self._step = float(logits[1] - logits[0])
        self.shape = len(logits), len(sizes)
        self.alphas = self.means * self.strengths
        self.betas = (1 - self.means) * self.strengths
        self.likelihoods = lru_cache(maxsize=64)(self._likelihoods)

    def prior(self, hits: float, passes: float) -> Floats:
        """Log of the prior by point, where the mean is Beta(hits, passes)."""
        return log_beta(self.means, self._step, hits, passes)

    def _likelihoods(self, labelled: int) -> Floats:
        """Log of the probability of t hits in one order, (points, labelled + 1)."""
        hits, passes, both = (
            np.cumsum(
                np.log(np.hstack([np.ones((len(start), 1)), start[:, None] + steps])),
                axis=1,
            )
            for steps in [np.arange(labelled)]
            for start in (self.alphas, self.betas, self.strengths)
        )
        found: Floats = hits + passes[:, ::-1] - both[:, -1:]
        return found


GRID = RateGrid(np.linspace(-12, 6, 61), np.exp2(np.arange(8.0)), of_rarer=False)


class ErrorGrid:
    """Points (miss, false, repeated): how labels may err, each with its prior.

    Parameters
    ----------
    rates : ndarray of float
        Of either kind of error.
    weights : ndarray of float
        Of these rates.
    repeated : ndarray of float
        Shares of errors that are repeated when asked again.
    """

    def __init__(self, rates: Floats, weights: Floats, repeated: Floats) -> None:
        grid = np.meshgrid(rates, rates, repeated, indexing="ij")
        self.miss, self.false, self.repeated = (each.ravel() for each in grid)
        prior = np.repeat(np.outer(weights, weights).ravel(), len(repeated))
        self.prior: Floats = np.log(prior / prior.sum())
        self.true_hits = lru_cache(maxsize=128)(self._true_hits)
        self.likelihoods = lru_cache(maxsize=128)(self._likelihoods)

    def chance(self, error: Floats, wrong: int, right: int) -> Floats:
        """Probability of so many wrong and right answers about one output."""
        judged, slip = error * self.repeated, error * (1 - self.repeated)
        slips = slip**wrong * (1 - slip) ** right
        found: Floats = (1 - judged) * slips + judged * (right == 0)
        return found

    def _true_hits(self, answers: Answers) -> Floats:
        """Logs of the weights w_t, shape (errors, m + 1)."""
        weights, logs = np.ones((len(self.prior), 1)), np.zeros((len(self.prior), 1))
        for (hits, passes), outputs in answers:
            if_hit = self.chance(self.miss, passes, hits)[:, np.newaxis]
            if_pass = self.chance(self.false, hits, passes)[:, np.newaxis]
            for _ in range(outputs):
                more = np.zeros((len(weights), weights.shape[1] + 1))
                more[:, :-1] = weights * if_pass
                more[:, 1:] += weights * if_hit
                most = more.max(axis=1, keepdims=True)
                weights, logs = more / most, logs + np.log(most)
        with np.errstate(divide="ignore"):
            found: Floats = np.log(weights) + logs
        return found

    def _likelihoods(self, answers: Answers) -> Floats:
        """Log of the probability of answers, shape (errors, points of ``GRID``)."""
        weights = self.true_hits(answers)
        terms = GRID.likelihoods(weights.shape[1] - 1)
        tops = [each.max(axis=1, keepdims=True) for each in (weights, terms)]
        mixed = np.exp(weights - tops[0]) @ np.exp(terms - tops[1]).T
        found: Floats = np.log(np.maximum(mixed, TINY)) + tops[0] + tops[1].T
        return found


ERRING = ErrorGrid(
    ERROR_RATES,
    (1 - ERROR_RATES) ** (1 / ERROR_MEAN - 2) * np.gradient(ERROR_RATES),
    REPEATED,
)
"""Errors as they are expected before anything is known: Beta(1, 32) on a grid."""

FAULTLESS = ErrorGrid(np.zeros(1), np.ones(1), np.zeros(1))
"""No errors: every label is right."""

NO_ANSWERS: Floats = np.zeros((1, len(GRID.means)))


@cache
def shared_rates() -> tuple[dict[bool, Floats], Floats]:
    """Return points (r, w) of what all detectors with a verdict have in common.

    Returns
    -------
    prior : dict of bool to ndarray of float
        Logs of their weights, by verdict.
    means : ndarray of float, (points, means of ``GRID``)
        Weights of the latter, given each of the former.
    """
    rates = np.repeat(SHARED_RATES, len(LIKENESS))
    likeness = np.tile(LIKENESS, len(SHARED_RATES))
    means = _scaled(
        np.stack(
            [
                GRID.prior(rate * alike, (1 - rate) * alike)[:: GRID.shape[1]]
                for rate, alike in zip(rates, likeness, strict=True)
            ]
        )
    )
    prior = {
        flagged: log_beta(
            rates, SHARED_STEP, PRIOR_WEIGHT * first, PRIOR_WEIGHT * (1 - first)
        )
        for flagged, first in FIRST_RATES.items()
    }
    return prior, means / means.sum(axis=1, keepdims=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class HitDraws:
    """What the strata may truly hold.

    Attributes
    ----------
    rates : ndarray of float, shape (strata, draws)
        Share of true hits among outputs like the stratum's.
    answered_hits : ndarray of int, shape (strata, draws)
        True hits among the outputs that were asked for.
    hits : ndarray of int, shape (strata, draws)
        True hits among all outputs.
    """

    rates: Floats
    answered_hits: Whole
    hits: Whole


def draw_hits(
    strata: Sequence[Stratum], draws: int, seed: int, *, errors: ErrorGrid = ERRING
) -> HitDraws:
    """Draw the true hits of all strata.

    Parameters
    ----------
    strata : sequence of Stratum
    draws, seed : int
    errors : ErrorGrid
        With :data:`FAULTLESS`, there must be one answer about each output.
    """
    rng = np.random.default_rng(seed)
    answers: list[Answers] = [
        tuple(sorted(stratum.answers.items())) for stratum in strata
    ]
    groups = grouped(strata)
    given: dict[tuple[str, bool], Floats] = {}
    prior, shared_means = shared_rates()
    by_shared = {
        flagged: np.tile(logs, (len(errors.prior), 1))
        for flagged, logs in prior.items()
    }
    for group, places in groups.items():
        given_answers = [
            answers[place] for place in places if strata[place].answered_outputs
        ]
        logs = sum(map(errors.likelihoods, given_answers), start=NO_ANSWERS)
        # the prior hangs on the mean alone, so that strengths are drawn after it
        given[group] = _scaled(logs).reshape(len(logs), *GRID.shape)
        most = logs.max(axis=1, keepdims=True)
        likely = np.maximum(given[group].sum(axis=2) @ shared_means.T, TINY)
        by_shared[group[1]] += most + np.log(likely)
    by_errors = errors.prior
    for logs in by_shared.values():
        by_errors = by_errors + np.logaddexp.reduce(logs, axis=1)
    point = _picked(_scaled(by_errors[np.newaxis]), np.zeros(draws, np.int64), rng)
    among = {
        flagged: _picked(_scaled(logs), point, rng)
        for flagged, logs in by_shared.items()
    }
    rates = np.empty((len(strata), draws))
    known = np.zeros((len(strata), draws), np.int64)
    for group, places in groups.items():
        both, row = np.unique(
            point * len(shared_means) + among[group[1]], return_inverse=True
        )
        weights = np.broadcast_to(given[group], (len(errors.prior), *GRID.shape))
        by_mean = weights.sum(axis=2)[both // len(shared_means)]
        by_mean = by_mean * shared_means[both % len(shared_means)]
        mean = _picked(by_mean, row, rng)
        strength = _picked(weights[point, mean], np.arange(draws), rng)
        chosen = mean * GRID.shape[1] + strength
        alphas, betas = GRID.alphas[chosen], GRID.betas[chosen]
        for place in places:
            own_answers = strata[place].answered_outputs
            if own_answers:
                weights = errors.true_hits(answers[place])[point]
                known[place] = _drawn(
                    weights + GRID.likelihoods(own_answers)[chosen], rng
                )
            rates[place] = rng.beta(
                alphas + known[place], betas + own_answers - known[place]
            )
    unasked = np.array([[stratum.unlabelled] for stratum in strata], np.int64)
    hits = known + rng.binomial(unasked.reshape(-1, 1), rates)
    return HitDraws(rates=rates, answered_hits=known, hits=hits)


def _drawn(logs: Floats, rng: np.random.Generator) -> Whole:
    """Draw one place of each row by the logs of its weights."""
    sums = np.cumsum(_scaled(logs), axis=1)
    below = sums <= rng.random((len(sums), 1)) * sums[:, -1:]
    found: Whole = np.minimum(below.sum(axis=1), logs.shape[1] - 1)
    return found


def _scaled(logs: Floats) -> Floats:
    """Weights by their logs, the largest of each row 1."""
    found: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    return found


def _picked(weights: Floats, row: Whole, rng: np.random.Generator) -> Whole:
    """Draw a place in each of these rows by its weights."""
    sums = np.cumsum(weights, axis=1)
    sums /= sums[:, -1:]
    # one after the other, so that one search finds the place in each
    ordered = (sums + np.arange(len(sums))[:, np.newaxis]).ravel()
    place = np.searchsorted(ordered, row + rng.random(len(row)))
    found: Whole = np.minimum(place - row * sums.shape[1], sums.shape[1] - 1)
    return found
