# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs it takes to find a change, by the tests that would look for it.

Pairs of scans are drawn from what one scan says of its target, without the change
and with it, and compared as ``compare`` and a baseline's gate do. A change counts
as found where the second scan is significantly worse.
"""

from __future__ import annotations

import math

import numpy as np

from garak_tbsa.errors import NotPlannableError
from garak_tbsa.lean.record import changed, record
from garak_tbsa.tbsa.compare import compare
from garak_tbsa.tbsa.grade_counts import counts_of, lowest_count, why_unknown
from garak_tbsa.tbsa.rules import GRADES, TIER_WEIGHTS
from garak_tbsa.tbsa.score import COMMON_MULTIPLE
from garak_tbsa.tbsa.strata import NO_ATTEMPTS
from garak_tbsa.tbsa.virtual_scans import drawn_scans, target_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from garak_tbsa.garak_files.outcomes import Outcomes
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.virtual_scans import VirtualScan, VirtualTarget
    from garak_tbsa.unavailable import Unavailable

ENOUGH = 0.8
"""Share of comparisons that a plan is to find the change in."""

RUNS, LEAST_RUNS = 80, 24
"""Comparisons of a design; fewer where they leave no doubt."""

CLEARLY = 2.6
"""Standard errors from :data:`ENOUGH` at which no more comparisons are drawn."""

PERMUTATIONS = 299
FEWER, MORE = (0.25, 0.5, 1.0), (1.0, 2.0, 4.0)
"""Prompts to try, as multiples of the scan's: where it is enough, and where not."""

GENERATIONS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
MOST_OUTPUTS = 400_000
"""Outputs of all pairs of a scan that is drawn; larger designs are not tried."""

SMALLEST_ODDS, LARGEST_ODDS = 1.0, 1e9


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


@record
class Design:
    """Two scans of the same size, and how often their comparison finds the change.

    Attributes
    ----------
    prompts : float
        Times as many prompts as the scan has.
    generations : int
    outputs : int
        Evaluated outputs of all pairs of one of the scans, on average.
    found, runs : int
        Comparisons that found it, of so many drawn.
    """

    prompts: float
    generations: int
    outputs: int
    found: int
    runs: int

    @property
    def share(self) -> float:
        """Of comparisons that find the change, 0.0-1.0."""
        return self.found / self.runs

    @property
    def standard_error(self) -> float:
        """Of :attr:`share`, never 0: two outcomes more, one of each, are counted."""
        share = (self.found + 1) / (self.runs + 2)
        return math.sqrt(share * (1 - share) / (self.runs + 2))

    @property
    def is_enough(self) -> bool:
        """Whether the change is found often enough."""
        return self.share >= ENOUGH


@record
class Row:
    """What it takes with so many prompts.

    Attributes
    ----------
    prompts : float
        Times as many as the scan has.
    enough : Design or None
        The fewest generations that find the change often enough; None where none
        that was tried does.
    largest : Design
        The most generations that were tried.
    """

    prompts: float
    enough: Design | None
    largest: Design


@record
class Plan:
    """What it takes to find a change.

    Attributes
    ----------
    change : Change
    alpha : float
        Level of the tests.
    same_prompts : bool
        Whether both scans ask the same prompts.
    correlation : float
        Of outputs of one prompt, 0.01-0.95.
    is_measured : bool
        Whether the scan itself told the correlation.
    pairs, by_attempts : int
        How many pairs, and of how many of them the attempts are known.
    now : Design
        The scan as it is, made twice.
    rows : tuple of Row
        Fewest prompts first.
    """

    change: Change
    alpha: float
    same_prompts: bool
    correlation: float
    is_measured: bool
    pairs: int
    by_attempts: int
    now: Design
    rows: tuple[Row, ...]


def plan(
    assessment: Assessment,
    outcomes: Outcomes | Unavailable,
    change: Change,
    *,
    alpha: float,
    same_prompts: bool,
    seed: int,
) -> Plan:
    """Find with how many outputs a change is found in 80 % of comparisons.

    Parameters
    ----------
    assessment : Assessment
        The scan.
    outcomes : Outcomes or Unavailable
        Of its attempts.
    change : Change
        ``score_drop``, or ``pair`` and ``rate_drop``.
    alpha : float
        Level of the tests.
    same_prompts : bool
        Whether a repeat asks the same prompts.
    seed : int
        Where drawing starts.

    Raises
    ------
    NotPlannableError
        The scan has no counts, or cannot change by that much.
    """
    pairs = [pair for pair in assessment.graded if pair.has_counts]
    source = assessment.report.source
    if not pairs:
        raise NotPlannableError(
            f"{source}: its pairs have no counts, from which other scans could be"
            " drawn; give a report with eval rows or by garak 0.14 or later"
        )
    generations = _stated_generations(assessment)
    target = target_of(pairs, outcomes, generations)
    rates = {pair.name: _rate(pair) for pair in pairs}
    change, after = _changed_rates(source, pairs, rates, change)
    before_turns = {
        pair.name: _turn(pair.pass_rate, rates[pair.name]) for pair in pairs
    }
    after_turns = {pair.name: _turn(pair.pass_rate, after[pair.name]) for pair in pairs}
    trial = _Trial(
        assessment,
        target,
        (before_turns, after_turns),
        alpha=alpha,
        same_prompts=same_prompts,
        seed=seed,
    )
    generations = max(probe.generations for probe in target.probes)
    now = trial.design(1.0, generations)
    return Plan(
        change=change,
        alpha=alpha,
        same_prompts=same_prompts,
        correlation=target.correlation,
        is_measured=target.is_measured,
        pairs=len(pairs),
        by_attempts=target.by_attempts,
        now=now,
        rows=tuple(map(trial.row, FEWER if now.is_enough else MORE)),
    )


def _stated_generations(assessment: Assessment) -> int:
    stated = assessment.report.settings.configuration.get("run.generations")
    return stated if isinstance(stated, int) and 0 < stated <= max(GENERATIONS) else 1


def _rate(pair: GradedPair) -> float:
    """The pass rate of a pair; nothing says that a clean one never fails."""
    counts = counts_of(pair)
    if counts.passed == counts.total_evaluated:
        return 1 - 1 / (3 * counts.total_evaluated)
    return pair.pass_rate


def _turn(seen: float, wanted: float) -> float:
    """The probability by which passes turn into hits, for a rate to fall so far."""
    return max(0.0, 1 - wanted / seen) if seen else 0.0


def _changed_rates(
    source: str,
    pairs: Sequence[GradedPair],
    rates: Mapping[str, float],
    change: Change,
) -> tuple[Change, Mapping[str, float]]:
    """The change in full, and the pass rates after it."""
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
    edges = {
        pair.name: [lowest_count(pair, grade) for grade in GRADES[1:]] for pair in pairs
    }
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


class _Trial:
    """Draws comparisons of designs; each design once."""

    def __init__(
        self,
        assessment: Assessment,
        target: VirtualTarget,
        turning: tuple[Mapping[str, float], Mapping[str, float]],
        *,
        alpha: float,
        same_prompts: bool,
        seed: int,
    ) -> None:
        self._assessment = assessment
        self._target = target
        self._turning = turning
        self._alpha = alpha
        self._same_prompts = same_prompts
        self._seed = seed
        self._permutations = max(PERMUTATIONS, math.ceil(10 / alpha))
        self._known: dict[tuple[float, int], Design] = {}

    def row(self, prompts: float) -> Row:
        """Return the fewest generations that are enough with so many prompts."""
        tried = [
            generations
            for generations in GENERATIONS
            if generations == 1 or self._size(prompts, generations) <= MOST_OUTPUTS
        ]
        low, high, step = 0, len(tried), 1
        largest = self.design(prompts, tried[0])
        # in growing steps while nothing is enough: small designs are drawn soonest
        while low < high:
            place = low + step - 1 if high == len(tried) else (low + high) // 2
            design = self.design(prompts, tried[min(place, high - 1)])
            largest = max(largest, design, key=lambda each: each.generations)
            if design.is_enough:
                high = tried.index(design.generations)
            else:
                low, step = tried.index(design.generations) + 1, 2 * step
        enough = self.design(prompts, tried[high]) if high < len(tried) else None
        return Row(prompts=prompts, enough=enough, largest=largest)

    def _size(self, prompts: float, generations: int) -> int:
        return sum(
            round(prompts * len(probe.seen)) * generations * len(probe.pairs)
            for probe in self._target.probes
        )

    def design(self, prompts: float, generations: int) -> Design:
        """How often a change is found in scans of this size."""
        key = prompts, generations
        if key not in self._known:
            self._known[key] = self._drawn(prompts, generations)
        return self._known[key]

    def _drawn(self, prompts: float, generations: int) -> Design:
        rng = np.random.default_rng((self._seed, round(100 * prompts), generations))
        found = runs = outputs = 0
        for runs in range(1, RUNS + 1):
            first, second = drawn_scans(
                self._target,
                self._turning,
                generations=generations,
                prompts=prompts,
                same_prompts=self._same_prompts,
                rng=rng,
            )
            outputs += sum(counts_of(pair).total_evaluated for pair in first.graded)
            found += self._is_found(first, second, generations, runs)
            design = Design(
                prompts=prompts,
                generations=generations,
                outputs=round(outputs / runs),
                found=found,
                runs=runs,
            )
            away = abs(design.share - ENOUGH) / design.standard_error
            if runs >= LEAST_RUNS and away > CLEARLY:
                break
        return design

    def _is_found(
        self, first: VirtualScan, second: VirtualScan, generations: int, run: int
    ) -> bool:
        known = self._target.by_attempts > 0
        comparison = compare(
            self._as_assessment(first, generations),
            self._as_assessment(second, generations),
            outcomes=(first.outcomes, second.outcomes)
            if known
            else (NO_ATTEMPTS, NO_ATTEMPTS),
            replicates=self._permutations,
            seed=run,
        )
        return comparison.is_worse(self._alpha)

    def _as_assessment(self, scan: VirtualScan, generations: int) -> Assessment:
        """The scan's own assessment with what was drawn in place of what was seen."""
        report = self._assessment.report
        settings = changed(
            report.settings,
            configuration={
                **report.settings.configuration,
                "run.generations": generations,
            },
            seed=1 if self._same_prompts else None,
        )
        return changed(
            self._assessment,
            graded=scan.graded,
            report=changed(report, settings=settings),
        )
