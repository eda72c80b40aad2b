# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans of some size show a change.

What the target may be is drawn from the posterior of the model of its scan
(:mod:`garak_tbsa.statistics.repeat`). Each drawn target is scanned twice, several
times over, with the change in the second scan. The change is found where that scan is
worse by the tests of ``compare``: how far the score, the passes of all pairs and the
pair that fell most have moved is each ranked among scans of a target that has not
changed, whose rates lie half way, and the smallest of the three p-values is ranked
again. The share of comparisons that find the change differs from drawn target to drawn
target; that, and the number of comparisons, is what its interval is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.observed import LARGEST_CORRELATION, Counts, ObservedScan
from garak_tbsa.statistics.permutation import raw_scores, shares_reaching
from garak_tbsa.statistics.prompts import prompt_rates, prompts_by_passes
from garak_tbsa.statistics.repeat import (
    INDEPENDENT,
    DrawnTargets,
    drawn_targets,
    prior_correlation,
)
from garak_tbsa.statistics.special import Floats
from garak_tbsa.tbsa.grade_counts import why_unknown

ENOUGH = 0.8
"""Share of comparisons that a plan is to find the change in."""

INTERVAL = 0.9
"""Of the share: with this probability it is within."""

TARGETS, MOST_RUNS, FEWEST_RUNS = 50, 30, 5
"""Targets that are drawn, and comparisons of each."""

NUMBERS_OF_A_DESIGN = 2_000_000
"""Random numbers that a design may take; one that needs more has fewer runs."""

BETA_DRAWS, SMALLEST_SIZE = 10_000, 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
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
        self.targets = targets
        self._scan, self._seed = scan, seed
        self._alpha, self._keeps_prompts = alpha, repeat == SAME_PROMPTS
        self._pairs = [each.pair for each in scan.pairs]
        self._has_score = why_unknown(self._pairs) is None
        self._knows_prompts = scan.pairs_with_attempts > 0

    def outputs(self, prompts: float, generations: int) -> int:
        """Outputs of all pairs of a scan of this size."""
        return generations * int(self._prompts(prompts).sum())

    def _prompts(self, times: float) -> Counts:
        own = np.array([each.prompts.sum() for each in self._scan.pairs])
        return np.maximum(1, np.rint(times * own)).astype(np.int64)

    def mean_score_by_odds(
        self, prompts: float, generations: int
    ) -> Callable[[float], float]:
        """Return what gives the mean score, for what multiplies the odds of a hit."""
        rng = np.random.default_rng(self._seed)
        scans = self._scanned(self.targets, prompts, generations, MOST_RUNS, rng)

        def mean_score(factor: float) -> float:
            turns = self._turns(Change(odds_factor=factor), MOST_RUNS)
            # the same numbers for each of the odds, so that more of them score less
            rng = np.random.default_rng(self._seed)
            after = rng.binomial(scans.second, 1 - turns)
            return float(self._scores(after, prompts, generations).mean())

        return mean_score

    def design(self, change: Change, prompts: float, generations: int) -> Design:
        """Return how often comparisons of two scans of this size find a change."""
        runs = self._affordable_runs(prompts, generations)
        rng = np.random.default_rng((self._seed, round(100 * prompts), generations))
        turns = self._turns(change, runs)
        size = prompts, generations
        scans = self._scanned(self.targets, *size, runs, rng)
        moves = self._moves(scans, (np.zeros_like(turns), turns), *size, rng)
        if not self._knows_prompts:
            scans = self._scanned(self._without_attempts(), *size, runs, rng)
        unchanged = self._moves(scans, (turns / 2, turns / 2), *size, rng)
        found = self._is_found(moves, unchanged)
        lower, upper = _interval(found.reshape(TARGETS, runs), rng)
        return Design(
            prompts=prompts,
            generations=generations,
            outputs=self.outputs(prompts, generations),
            found=int(found.sum()),
            runs=len(found),
            lower=lower,
            upper=upper,
        )

    def _affordable_runs(self, prompts: float, generations: int) -> int:
        """Comparisons of each target."""
        numbers = np.minimum(3 * self._prompts(prompts), (generations + 1) ** 2).sum()
        affordable = NUMBERS_OF_A_DESIGN // int(TARGETS * numbers)
        return min(max(FEWEST_RUNS, affordable), MOST_RUNS)

    def _turns(self, change: Change, runs: int) -> Floats:
        """How likely a pass turns into a hit; (comparisons, pairs)."""
        rates = np.repeat(self.targets.rates, runs, axis=1).T
        if change.odds_factor is not None:
            after = rates / (rates + change.odds_factor * (1 - rates))
        else:
            falls = [pair.name == change.pair for pair in self._pairs]
            after = rates - np.array(falls) * (change.rate_drop or 0)
        turns: Floats = np.clip(1 - after / rates, 0, 1)
        return turns

    def _without_attempts(self) -> DrawnTargets:
        """What the targets may be at worst, where a test has nothing but counts."""
        likeness = 0.0 if self._keeps_prompts else LARGEST_CORRELATION
        return replace(
            self.targets,
            prompt_correlation=np.full(TARGETS, likeness),
            detector_correlation=np.full(TARGETS, LARGEST_CORRELATION),
        )

    def _scanned(
        self,
        targets: DrawnTargets,
        prompts: float,
        generations: int,
        runs: int,
        rng: np.random.Generator,
    ) -> _TwoScans:
        """Scan each target so often, without a change."""
        strength = 1 / np.maximum(targets.prompt_correlation, INDEPENDENT) - 1
        draw = _on_same_prompts if self._keeps_prompts else _on_fresh_prompts
        columns: list[Counts] = []
        rows = iter(zip(targets.rates, self._prompts(prompts).tolist(), strict=True))
        for probe in self._scan.probes:
            factor = rng.standard_normal((TARGETS, runs))
            for _ in probe:
                rates, asked = next(rows)
                a = np.repeat(rates * strength, runs)
                b = np.repeat((1 - rates) * strength, runs)
                drawn = draw(generations, asked, a, b, rng)
                if len(probe) > 1:
                    ties = targets.detector_correlation[:, None]
                    own = rng.standard_normal((TARGETS, runs))
                    mixed = np.sqrt(ties) * factor + np.sqrt(1 - ties) * own
                    drawn = _rise_together(drawn, mixed)
                columns.append(drawn)
        return _TwoScans(*np.stack(columns, axis=2))

    def _scores(self, passed: Counts, prompts: float, generations: int) -> Floats:
        outputs = np.array(generations * self._prompts(prompts), dtype=np.float64)
        return raw_scores(self._pairs, passed.astype(np.float64), outputs)

    def _moves(
        self,
        scans: _TwoScans,
        turns: tuple[Floats, Floats],
        prompts: float,
        generations: int,
        rng: np.random.Generator,
    ) -> Floats:
        """How far each of the tests says that the second scan is worse; a row each.

        ``turns`` is how likely a pass turns into a hit, in the first scan and in the
        second.
        """
        first = rng.binomial(scans.first, 1 - turns[0])
        second = rng.binomial(scans.second, 1 - turns[1])
        size = self._prompts(prompts), generations
        if not self._knows_prompts:
            variance = self._variance_by_counts(first + second, *size)
        elif self._keeps_prompts:
            variance = scans.variance_on_same_prompts(turns, generations)
        else:
            variance = scans.variance_on_fresh_prompts(turns, size[0])
        fell = first - second
        z_scores = fell / np.sqrt(np.where(variance > 0, variance, 1))
        moves = [
            fell.sum(axis=1) / np.sqrt(np.maximum(variance.sum(axis=1), 1)),
            z_scores.max(axis=1),
        ]
        if self._has_score:
            scores = [
                self._scores(each, prompts, generations) for each in (first, second)
            ]
            moves.append(scores[0] - scores[1])
        return np.stack(moves)

    def _variance_by_counts(
        self, passed: Counts, prompts: Counts, generations: int
    ) -> Floats:
        """Of how far passes fall, for a test that takes outputs to be all alike."""
        alike = 1 if self._keeps_prompts else generations
        outputs = 2 * generations * prompts
        units = outputs / alike
        rates = passed / outputs
        variance: Floats = alike * outputs * rates * (1 - rates) * units / (units - 1)
        return variance

    def _is_found(self, moves: Floats, unchanged: Floats) -> NDArray[np.bool_]:
        """Whether each comparison is worse, among those of unchanged targets."""
        smallest = []
        for own, null in ((moves, unchanged), (unchanged, unchanged)):
            p_values = [shares_reaching(*each) for each in zip(null, own, strict=True)]
            smallest.append(np.min(p_values, axis=0))
        is_found: NDArray[np.bool_] = (
            shares_reaching(-smallest[1], -smallest[0]) < self._alpha
        )
        return is_found


@dataclass(frozen=True, slots=True)
class _TwoScans:
    """Two scans of the same targets; each array is (comparisons, pairs).

    ``first`` and ``second`` are pass counts, the others sums over prompts: of the
    squared passes of a prompt in either scan, and of their product where both scans
    have the same prompts.
    """

    first: Counts
    second: Counts
    first_squares: Counts
    second_squares: Counts
    products: Counts

    def _expected(self, turns: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Expected passes, and sums of squares over prompts, when so many turned."""
        passed, squares = np.zeros_like(turns[0]), np.zeros_like(turns[0])
        sums = (self.first, self.first_squares), (self.second, self.second_squares)
        for (own, own_squares), turned in zip(sums, turns, strict=True):
            passed += own * (1 - turned)
            squares += own * turned * (1 - turned) + own_squares * (1 - turned) ** 2
        return passed, squares

    def variance_on_same_prompts(
        self, turns: tuple[Floats, Floats], generations: int
    ) -> Floats:
        """Of how far passes fall, where outputs change places within their prompt."""
        passed, squares = self._expected(turns)
        both = 2 * self.products * (1 - turns[0]) * (1 - turns[1])
        outputs = 2 * generations
        variance: Floats = (outputs * passed - squares - both) / (outputs - 1)
        return variance

    def variance_on_fresh_prompts(
        self, turns: tuple[Floats, Floats], prompts: Counts
    ) -> Floats:
        """Of how far passes fall, where whole prompts change places."""
        passed, squares = self._expected(turns)
        units = 2 * prompts
        variance: Floats = (units * squares - passed**2) / (units - 1)
        return variance


def _on_fresh_prompts(
    generations: int, prompts: int, a: Floats, b: Floats, rng: np.random.Generator
) -> Counts:
    """Draw what :class:`_TwoScans` has of one pair; (5, comparisons)."""
    passes = np.arange(generations + 1)
    scans = []
    for _ in range(2):
        if prompts > generations:
            kinds = prompts_by_passes(generations, prompts, a, b, rng)
            scans.append((kinds @ passes, kinds @ passes**2))
        else:
            drawn = rng.binomial(generations, prompt_rates(prompts, a, b, rng))
            scans.append((drawn.sum(axis=1), (drawn**2).sum(axis=1)))
    (first, first_squares), (second, second_squares) = scans
    return np.stack(
        [first, second, first_squares, second_squares, np.zeros_like(first)]
    )


def _on_same_prompts(
    generations: int, prompts: int, a: Floats, b: Floats, rng: np.random.Generator
) -> Counts:
    """Draw what :class:`_TwoScans` has of one pair; (5, comparisons)."""
    if 3 * prompts <= (generations + 1) ** 2:
        rates = prompt_rates(prompts, a, b, rng)
        one, two = (rng.binomial(generations, rates) for _ in range(2))
        sums = [each.sum(axis=1) for each in (one, two, one**2, two**2, one * two)]
        return np.stack(sums)
    kinds = prompts_by_passes(generations, prompts, a, b, rng)
    total = np.zeros((5, len(a)), dtype=np.int64)
    passes = np.arange(generations + 1)
    for seen, times in zip(passes.tolist(), kinds.T, strict=True):
        # what a prompt showed first says which rate it has
        after = a + seen, b + generations - seen
        again = prompts_by_passes(generations, times, *after, rng)
        passed = again @ passes
        total += [
            seen * times,
            passed,
            seen**2 * times,
            again @ passes**2,
            seen * passed,
        ]
    return total


def _rise_together(drawn: Counts, ranked_by: Floats) -> Counts:
    """Let the comparisons of a target rise in the order of given values."""
    by_target = drawn.reshape(len(drawn), *ranked_by.shape)
    by_rise = np.argsort(by_target[1] - by_target[0], axis=1, kind="stable")
    places = np.argsort(np.argsort(ranked_by, axis=1), axis=1)
    order = np.take_along_axis(by_rise, places, axis=1)
    tied = np.take_along_axis(by_target, order[None], axis=2)
    return tied.reshape(drawn.shape)


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
