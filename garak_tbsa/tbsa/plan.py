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
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.strata import NO_ATTEMPTS
from garak_tbsa.tbsa.virtual_scans import drawn_scans, target_of
from garak_tbsa.tbsa.worsening import changed_rates, rate, turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from garak_tbsa.garak_files.outcomes import Outcomes
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.virtual_scans import VirtualScan, VirtualTarget
    from garak_tbsa.tbsa.worsening import Change
    from garak_tbsa.unavailable import Unavailable

ENOUGH = 0.8
"""Share of comparisons that a plan is to find the change in."""

RUNS, LEAST_RUNS = 40, 10
"""Comparisons of a design; fewer where they leave no doubt."""

CLEARLY = 2.6
"""Standard errors from :data:`ENOUGH` at which no more comparisons are drawn."""

PERMUTATIONS = 299
FEWER, MORE = (0.25, 0.5, 1.0), (1.0, 2.0, 4.0)
"""Prompts to try, as multiples of the scan's: where it is enough, and where not."""

GENERATIONS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
MOST_OUTPUTS = 400_000
"""Outputs of all pairs of a scan that is drawn; larger designs are not tried."""


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
    rates = {pair.name: rate(pair) for pair in pairs}
    change, after = changed_rates(source, pairs, rates, change)
    before_turns = {pair.name: turn(pair.pass_rate, rates[pair.name]) for pair in pairs}
    after_turns = {pair.name: turn(pair.pass_rate, after[pair.name]) for pair in pairs}
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
