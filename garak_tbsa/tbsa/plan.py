# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs it takes to find a change, by the tests that would look for it.

Pairs of scans are drawn from what one scan says of its target, without the change
and with it, and compared as ``compare`` and a baseline's gate do. A change counts
as found where the second scan is significantly worse.
"""

from __future__ import annotations

from collections import Counter

from garak_tbsa.errors import NotPlannableError
from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.design_trials import GENERATIONS, Trials
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.virtual_scans import target_of
from garak_tbsa.tbsa.worsening import changed_rates, rate, turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from garak_tbsa.garak_files.outcomes import Outcomes
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.design_trials import Design
    from garak_tbsa.tbsa.virtual_scans import VirtualTarget
    from garak_tbsa.tbsa.worsening import Change
    from garak_tbsa.unavailable import Unavailable

LARGEST_SCAN = 1_000_000
"""Evaluated outputs of all pairs."""

FEWER, MORE = (0.25, 0.5, 1.0), (1.0, 2.0, 4.0)
"""Prompts to try, as multiples of the scan's: where it is enough, and where not."""


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
        Of outputs of one prompt, 0.01-0.98.
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
    tell: Callable[[float], None] = lambda work: None,
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
    tell : callable, optional
        Told of each piece of work, of :data:`~.design_trials.WORK` at most.

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
    outputs = sum(counts_of(pair).total_evaluated for pair in pairs)
    if outputs > LARGEST_SCAN:
        raise NotPlannableError(
            f"{source}: it has {outputs:,} evaluated outputs, and scans of more than"
            f" {LARGEST_SCAN:,} are not drawn; give a report with fewer prompts"
        )
    generations = _stated_generations(assessment)
    target = target_of(pairs, outcomes, generations)
    rates = {pair.name: rate(pair) for pair in pairs}
    change, after = changed_rates(source, pairs, rates, change)
    before_turns = {pair.name: turn(pair.pass_rate, rates[pair.name]) for pair in pairs}
    after_turns = {pair.name: turn(pair.pass_rate, after[pair.name]) for pair in pairs}
    trial = Trials(
        assessment,
        target,
        (before_turns, after_turns),
        alpha=alpha,
        same_prompts=same_prompts,
        seed=seed,
        tell=tell,
    )
    size = 1.0, _usual_generations(target)
    is_enough = trial.design(*size).is_enough
    searches = [_Search(trial, prompts) for prompts in (FEWER if is_enough else MORE)]
    trial.sharpen(lambda: [size, *(search.shown() for search in searches)])
    return Plan(
        change=change,
        alpha=alpha,
        same_prompts=same_prompts,
        correlation=target.correlation,
        is_measured=target.is_measured,
        pairs=len(pairs),
        by_attempts=target.by_attempts,
        now=trial.design(*size),
        rows=tuple(search.row() for search in searches),
    )


def _stated_generations(assessment: Assessment) -> int:
    stated = assessment.report.settings.configuration.get("run.generations")
    return stated if isinstance(stated, int) and 0 < stated <= max(GENERATIONS) else 1


def _usual_generations(target: VirtualTarget) -> int:
    """Outputs of most of the scan's prompts."""
    prompts: Counter[int] = Counter()
    for probe in target.probes:
        prompts[probe.generations] += len(probe.seen)
    return prompts.most_common(1)[0][0]


class _Search:
    """The fewest generations that are enough with so many prompts, as far as drawn."""

    def __init__(self, trial: Trials, prompts: float) -> None:
        self._trial = trial
        self._prompts = prompts
        self._tried = trial.within_reach(prompts)
        self._largest = 0
        self._place = self._found()

    def _found(self) -> int:
        """Where it is among those that are tried; their number where it is none."""
        low, high, step = 0, len(self._tried), 1
        # in growing steps while nothing is enough: small designs are drawn soonest
        while low < high:
            place = (low + high) // 2
            if high == len(self._tried):
                place = min(low + step - 1, high - 1)
            if self._at(place).is_enough:
                high = place
            else:
                low, step = place + 1, 2 * step
        return high

    def _at(self, place: int) -> Design:
        self._largest = max(self._largest, place)
        return self._trial.design(self._prompts, self._tried[place])

    def shown(self) -> tuple[float, int]:
        """Prompts and generations of the design that the row shows.

        One more step where more comparisons say that it is not enough after all.
        """
        while self._place < len(self._tried) and not self._at(self._place).is_enough:
            self._place += 1
        last = min(self._place, len(self._tried) - 1)
        return self._prompts, self._tried[last]

    def row(self) -> Row:
        """Return what was found."""
        design = self._trial.design(*self.shown())
        return Row(
            prompts=self._prompts,
            enough=design if design.is_enough else None,
            largest=self._at(self._largest),
        )
