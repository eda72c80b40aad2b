# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans of some size show a change, by drawing and comparing them."""

from __future__ import annotations

import math

import numpy as np

from garak_tbsa.lean.record import changed, record
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.tbsa.compare import compare
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.virtual_scans import drawn_scans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.virtual_scans import VirtualScan, VirtualTarget

ENOUGH = 0.8
"""Share of comparisons that a plan is to find the change in."""

SEARCH_RUNS, LEAST_RUNS = 40, 10
"""Comparisons of a design while the search goes on; fewer where they leave no doubt."""

CLEARLY = 2.6
"""Standard errors from :data:`ENOUGH` that leave no doubt."""

MOST_RUNS, BATCH = 250, 10
"""Comparisons of a design that is shown, and how many are drawn at a time."""

SHARP = 0.025
"""Standard error at which a share is known well enough."""

WORK = 40_000
OUTPUTS_LIKE_A_PAIR = 500
"""How much is drawn, in pairs compared; so many outputs take as long as a pair."""

PERMUTATIONS = 299
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

    @property
    def is_blunt(self) -> bool:
        """Whether more comparisons are worth their time."""
        return self.standard_error > SHARP and self.runs < MOST_RUNS


class _Drawn:
    """Comparisons of one design so far; each goes on where the last one ended."""

    def __init__(self, seed: int, prompts: float, generations: int) -> None:
        self.prompts = prompts
        self.generations = generations
        self.rng = np.random.default_rng((seed, round(100 * prompts), generations))
        self.found = self.runs = self.outputs = 0

    @property
    def design(self) -> Design:
        """What they say; there is at least one."""
        return Design(
            prompts=self.prompts,
            generations=self.generations,
            outputs=round(self.outputs / self.runs),
            found=self.found,
            runs=self.runs,
        )


class Trials:
    """Draws comparisons of designs, more of those that are shown."""

    def __init__(
        self,
        assessment: Assessment,
        target: VirtualTarget,
        turning: tuple[Mapping[str, float], Mapping[str, float]],
        *,
        alpha: float,
        same_prompts: bool,
        seed: int,
        tell: Callable[[float], None] = lambda work: None,
    ) -> None:
        self._assessment = assessment
        self._tell = tell
        self._target = target
        self._turning = turning
        self._alpha = alpha
        self._same_prompts = same_prompts
        self._seed = seed
        self._permutations = max(PERMUTATIONS, math.ceil(10 / alpha))
        self._known: dict[tuple[float, int], _Drawn] = {}
        self._left = float(WORK)

    def within_reach(self, prompts: float) -> list[int]:
        """Generations that are not too many to be drawn, 1 among them."""
        return [
            generations
            for generations in GENERATIONS
            if generations == 1 or self._size(prompts, generations) <= MOST_OUTPUTS
        ]

    def _size(self, prompts: float, generations: int) -> int:
        return sum(
            round(prompts * len(probe.seen)) * generations * len(probe.pairs)
            for probe in self._target.probes
        )

    def design(self, prompts: float, generations: int) -> Design:
        """How often a change is found in scans of this size, as far as drawn."""
        key = prompts, generations
        if key not in self._known:
            self._known[key] = _Drawn(self._seed, prompts, generations)
            self._draw_until_clear(self._known[key])
        return self._known[key].design

    def sharpen(self, shown: Callable[[], Sequence[tuple[float, int]]]) -> None:
        """Draw more of the designs that are shown, while there is work left.

        Parameters
        ----------
        shown : callable
            Their prompts and generations, which may change as more is known.
        """
        while self._left > 0:
            blunt = [key for key in shown() if self.design(*key).is_blunt]
            if not blunt:
                return
            for key in blunt:
                for _ in range(BATCH):
                    self._draw(self._known[key])

    def _draw_until_clear(self, drawn: _Drawn) -> None:
        most = SEARCH_RUNS if self._left > 0 else LEAST_RUNS
        while drawn.runs < most:
            self._draw(drawn)
            design = drawn.design
            away = abs(design.share - ENOUGH) / design.standard_error
            if drawn.runs >= LEAST_RUNS and away > CLEARLY:
                return

    def _draw(self, drawn: _Drawn) -> None:
        """Draw and compare one pair of scans."""
        first, second = drawn_scans(
            self._target,
            self._turning,
            generations=drawn.generations,
            prompts=drawn.prompts,
            same_prompts=self._same_prompts,
            rng=drawn.rng,
        )
        outputs = sum(counts_of(pair).total_evaluated for pair in first.graded)
        drawn.runs += 1
        drawn.outputs += outputs
        drawn.found += self._is_found(first, second, drawn.generations, drawn.runs)
        work = len(first.graded) + outputs / OUTPUTS_LIKE_A_PAIR
        self._left -= work
        self._tell(work)

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
