# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans of some size show a change.

What the target may be is drawn from the posterior of the model of its scan
(:mod:`garak_tbsa.statistics.repeat`). Each drawn target is scanned twice, several
times over, with the change in the second scan. On the same prompts a target keeps its
prompts, and what the scan showed of each of them counts. The change is found where the
second scan is worse by the tests of ``compare``: how far the score, the passes of all
pairs and the pair that fell most have moved is each ranked among scans of a target that
has not changed, whose rates lie half way, and the smallest of the three p-values is
ranked again. The share of comparisons that find the change differs from drawn target to
drawn target; that, and the number of comparisons, is what its interval is made of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.observed import ObservedScan
from garak_tbsa.statistics.permutation import shares_reaching
from garak_tbsa.statistics.repeat import drawn_targets, prior_correlation
from garak_tbsa.statistics.scores import raw_scores
from garak_tbsa.statistics.special import (
    SMALLEST,
    Counts,
    Floats,
    drawn_passes,
    passes_of_prompts,
    rise_together,
)
from garak_tbsa.tbsa.grades import why_unknown

ENOUGH = 0.8
"""Share of comparisons that a plan is to find the change in."""

INTERVAL = 0.9
"""Of the share: with this probability it is within."""

TARGETS, RUNS = 50, 30
"""Targets that are drawn, and comparisons of each."""

MOST_PROMPTS = 512
"""Prompts of a pair that are drawn."""

LARGEST_ODDS, HALVINGS = 1e9, 16
"""What the odds of a hit are multiplied by at most, and steps that the search takes."""

BETA_DRAWS, SMALLEST_SIZE, LEAST_DEVIATION = 10_000, 0.1, 0.01

Size = tuple[float, int]
"""How many times as many prompts as the scan has, and generations."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What a plan is to find.

    Attributes
    ----------
    score_drop : float or None
        By how much the score falls on average, where every pair gets worse.
    odds_factor : float or None
        What the odds of a hit are multiplied by in every pair for that; the median
        over what the target may be.
    pair : str or None
        The one pair that gets worse.
    rate_drop : float or None
        By how much its pass rate falls.
    """

    score_drop: float | None = None
    odds_factor: float | None = None
    pair: str | None = None
    rate_drop: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """Two scans of the same size, and how often their comparison finds the change.

    Attributes
    ----------
    prompts : float
        Times as many prompts as the scan has.
    generations : int
    outputs : int
        Evaluated outputs of all pairs of one of the scans.
    found, runs : int
        Comparisons that found it, of so many drawn.
    lower, upper : float
        The share that finds it is within, with a probability of 90 %; 0.0-1.0.
    """

    prompts: float
    generations: int
    outputs: int
    found: int
    runs: int
    lower: float
    upper: float

    @property
    def share(self) -> float:
        """Of comparisons that find the change, 0.0-1.0."""
        return self.found / self.runs

    @property
    def is_enough(self) -> bool:
        """Whether the change is found often enough."""
        return self.share >= ENOUGH


class Trials:
    """Scans of what a scan's target may be.

    Parameters
    ----------
    scan : ObservedScan
    alpha : float
        Level of the tests.
    repeat : str
        One of :data:`~garak_tbsa.statistics.kinds.REPEATS`: which prompts the second
        scan has.
    seed : int
        Where drawing starts.
    """

    def __init__(
        self, scan: ObservedScan, *, alpha: float, repeat: str, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        targets = drawn_targets(scan, rng, TARGETS)
        if scan.prompt_correlation is None and not targets.prompt_correlation.any():
            # other designs have several outputs, of which nothing is known
            prior = prior_correlation(rng, TARGETS)
            targets = replace(targets, prompt_correlation=prior)
        rates = iter(targets.rates)
        # what is not known of the detectors of a probe is not known of them together
        probes = ([next(rates) for _ in probe] for probe in scan.probes)
        tied = rise_together(probes, targets.detector_correlation, rng)
        self.targets = replace(targets, rates=np.stack(tied))
        self._scan, self._seed = scan, seed
        self._alpha, self._keeps_prompts = alpha, repeat == SAME_PROMPTS
        self._pairs = [each.pair for each in scan.pairs]
        self._known: dict[float, tuple[Floats, Floats]] = {}

    def outputs(self, size: Size) -> Counts:
        """Return the outputs of each pair of a scan of this size."""
        return size[1] * self._prompts(size)

    def _prompts(self, size: Size) -> Counts:
        own = np.array([each.prompts.sum() for each in self._scan.pairs])
        return np.maximum(1, np.rint(size[0] * own)).astype(np.int64)

    def turned_by_odds(self, drop: float, size: Size) -> tuple[Floats, Floats]:
        """Return what makes the mean score of each target fall so far.

        Returns
        -------
        array of float, (targets,)
            What the odds of a hit are multiplied by in every pair.
        array of float, (targets,)
            How far the mean score can fall at most, to 1.0.
        """
        rng = np.random.default_rng(self._seed)
        before, _ = self._scanned(size, rng)
        start = self._scores(before, size).mean(axis=1)

        def fall(odds: Floats) -> Floats:
            turned = np.random.default_rng(self._seed)
            after = turned.binomial(before, 1 - self.turns_of_odds(odds)[:, None])
            return np.asarray(start - self._scores(after, size).mean(axis=1))

        low, high = np.zeros(TARGETS), np.full(TARGETS, np.log(LARGEST_ODDS))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            is_short = fall(np.exp(middle)) < drop
            low = np.where(is_short, middle, low)
            high = np.where(is_short, high, middle)
        return np.exp((low + high) / 2), start - 1

    def turns_of_odds(self, odds: Floats) -> Floats:
        """Return how likely a pass turns into a hit; (targets, pairs)."""
        rates = self.targets.rates.T
        turns: Floats = 1 - 1 / (rates + odds[:, None] * (1 - rates))
        return turns

    def turns_of_pair(self, pair: str, rate_drop: float) -> Floats:
        """Return the same where the pass rate of one pair falls."""
        rates = self.targets.rates.T
        falls = np.array([rate_drop * (each.name == pair) for each in self._pairs])
        turns: Floats = np.clip(falls / rates, 0, 1)
        return turns

    def design(self, turns: Floats, size: Size) -> Design:
        """Return how often comparisons of two scans of this size find a change.

        Parameters
        ----------
        turns : array of float, (targets, pairs)
            How likely a pass turns into a hit.
        size : Size
        """
        prompts, generations = size
        rng = np.random.default_rng((self._seed, round(100 * prompts), generations))
        turns = turns[:, None]
        scans = self._scanned(size, rng)
        moves = self._moves(scans, (np.zeros_like(turns), turns), size, rng)
        unchanged = self._moves(scans, (turns / 2, turns / 2), size, rng)
        # a permutation test knows how much the score of its own target varies
        deviation = unchanged[0].std(axis=1, ddof=1, keepdims=True)
        for each in (moves, unchanged):
            each[0] /= np.maximum(deviation, LEAST_DEVIATION)
        among = unchanged.reshape(len(unchanged), -1)
        of_changed, of_unchanged = (
            np.min([shares_reaching(*two) for two in zip(among, own, strict=True)], 0)
            for own in (moves.reshape(among.shape), among)
        )
        found = shares_reaching(-of_unchanged, -of_changed) < self._alpha
        lower, upper = _interval(found.reshape(TARGETS, RUNS), rng)
        return Design(
            prompts=prompts,
            generations=generations,
            outputs=int(self.outputs(size).sum()),
            found=int(found.sum()),
            runs=len(found),
            lower=lower,
            upper=upper,
        )

    def _scanned(self, size: Size, rng: np.random.Generator) -> Counts:
        """Passes of two scans without a change; (2, targets, runs, pairs)."""
        rates, spread = self._prompt_rates(size[0])
        alike = spread / (rates * (1 - rates))
        drawn = []
        for number, rate, between in zip(
            self._prompts(size), rates.T[..., None], alike.T[..., None], strict=True
        ):
            prompts = np.full((2, TARGETS, RUNS), number)
            drawn.append(
                # prompts that are the same do not vary from scan to scan
                drawn_passes(size[1] * prompts, rate, 1 - between, rng)
                if self._keeps_prompts
                else passes_of_prompts(prompts, size[1], rate, between, rng)
            )
        return np.stack(drawn, axis=-1)

    def _tied(self, scans: Counts, rng: np.random.Generator) -> Counts:
        """The same scans where the detectors of a probe judge the same outputs."""
        pairs = iter(np.moveaxis(scans, -1, 0))
        probes = ([next(pairs) for _ in probe] for probe in self._scan.probes)
        ties = self.targets.detector_correlation[:, None]
        return np.stack(rise_together(probes, ties, rng), axis=-1)

    def _prompt_rates(self, multiple: float) -> tuple[Floats, Floats]:
        """Mean and variance of the pass rates of each pair's prompts.

        Both are (targets, pairs). On the same prompts, what the scan showed of the
        first ones is known.
        """
        rates, alike = self.targets.rates.T, self.targets.prompt_correlation[:, None]
        if not self._keeps_prompts:
            return rates, alike * rates * (1 - rates)
        if multiple not in self._known:
            rng = np.random.default_rng((self._seed, round(100 * multiple)))
            strength = 1 / np.maximum(alike, SMALLEST) - 1
            moments = []
            for observed, rate, prompts in zip(
                self._scan.pairs,
                rates.T[:, :, None],
                self._prompts((multiple, 1)).tolist(),
                strict=True,
            ):
                known = np.zeros((2, min(prompts, MOST_PROMPTS)))
                if observed.passed is not None:
                    failed = observed.evaluated - observed.passed
                    seen = np.stack([observed.passed, failed])[:, : known.shape[1]]
                    known[:, : seen.shape[1]] = seen
                a, b = rate * strength + known[0], (1 - rate) * strength + known[1]
                drawn = np.clip(rng.beta(a, b), SMALLEST, 1 - SMALLEST)
                moments.append((drawn.mean(axis=1), drawn.var(axis=1)))
            mean, variance = np.stack(moments, axis=2)
            self._known[multiple] = mean, variance
        return self._known[multiple]

    def _scores(self, passed: Counts, size: Size) -> Floats:
        if why_unknown(self._pairs) is not None:
            return np.zeros(passed.shape[:-1])
        rows = passed.reshape(-1, passed.shape[-1])
        scores = raw_scores(self._pairs, rows, self.outputs(size))
        return scores.reshape(passed.shape[:-1])

    def _moves(
        self,
        scans: Counts,
        turns: tuple[Floats, Floats],
        size: Size,
        rng: np.random.Generator,
    ) -> Floats:
        """How far each of the tests says that the second scan is worse.

        ``turns`` is how likely a pass turns into a hit, in the first scan and in the
        second; the result is (tests, targets, runs).
        """
        turned = [
            rng.binomial(scan, 1 - turn)
            for scan, turn in zip(scans, turns, strict=True)
        ]
        first, second = self._tied(np.stack(turned), rng)
        fell, variance = first - second, self._variance(first + second, turns, size)
        z_scores = fell / np.sqrt(np.where(variance > 0, variance, 1))
        return np.stack(
            [
                self._scores(first, size) - self._scores(second, size),
                fell.sum(axis=-1) / np.sqrt(np.maximum(variance.sum(axis=-1), 1)),
                z_scores.max(axis=-1),
            ]
        )

    def _variance(
        self, passed: Counts, turns: tuple[Floats, Floats], size: Size
    ) -> Floats:
        """Of how far passes fall when units of both scans change places.

        ``passed`` is of both scans. Their prompts are alike as far as those of the
        target are, less what turned at random.
        """
        rates, spread = self._prompt_rates(size[0])
        stayed = 1 - (turns[0] + turns[1]) / 2
        turned = rates[:, None] * stayed
        between, both = spread[:, None] * stayed**2, turned * (1 - turned)
        if self._keeps_prompts:
            factor = 1 - between / both
        else:
            # prompts of one scan differ from those of the other one too
            fall = rates[:, None] * (turns[1] - turns[0]) / 2
            factor = 1 + (size[1] - 1) * (between + fall**2) / both
        outputs = 2 * self.outputs(size)
        seen = passed / outputs
        variance: Floats = outputs * seen * (1 - seen) * factor
        return variance


def _interval(
    found: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[float, float]:
    """Between which the share is; a row of comparisons for each target."""
    shares = found.mean(axis=1)
    chance = (shares * (1 - shares)).mean() / (found.shape[1] - 1)
    share = (found.sum() + 0.5) / (found.size + 1)
    variance = max(shares.var(ddof=1) - chance, 0) + share * (1 - share) / found.size
    size = max(share * (1 - share) / variance - 1, SMALLEST_SIZE)
    drawn = rng.beta(share * size, (1 - share) * size, BETA_DRAWS)
    lower, upper = np.quantile(drawn, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
    return float(lower), float(upper)
