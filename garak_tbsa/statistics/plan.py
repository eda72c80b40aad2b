# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs it takes to find a change."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from garak_tbsa.errors import NotPlannableError
from garak_tbsa.garak_files.outcomes import Outcomes
from garak_tbsa.statistics.observed import ObservedScan, observe
from garak_tbsa.statistics.special import Floats
from garak_tbsa.statistics.trials import Change, Design, Size, Trials
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.grades import GradedPair, why_unknown
from garak_tbsa.unavailable import Unavailable

GENERATIONS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
FEWER, MORE = (0.25, 0.5, 1.0), (1.0, 2.0, 4.0)
"""Prompts to try, as multiples of the scan's: where it is enough, and where not."""

MOST_DESIGNS = 1 + len(MORE) * len(GENERATIONS).bit_length()
"""That a plan tries: each search halves what is left."""


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What it takes to find a change.

    Attributes
    ----------
    change : Change
    alpha : float
        Level of the tests.
    repeat : str
        One of :data:`~garak_tbsa.statistics.kinds.REPEATS`: which prompts the second
        scan has.
    correlation : float
        Of outputs of one prompt, 0-0.98.
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
    repeat: str
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
    repeat: str,
    seed: int,
    tell: Callable[[], None] = lambda: None,
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
    repeat : str
        Which prompts the second scan has.
    seed : int
        Where drawing starts.
    tell : callable, optional
        Called with each design that was tried.

    Raises
    ------
    NotPlannableError
        The scan has no counts, or cannot change by that much.
    """
    source = assessment.report.source
    pairs = [pair for pair in assessment.graded if pair.has_counts]
    if not pairs:
        raise NotPlannableError(
            f"{source}: its pairs have no counts, from which other scans could be"
            " drawn; give a report with eval rows or by garak 0.14 or later"
        )
    scan = observe(pairs, outcomes, assessment.report.settings.generations)
    trials = Trials(scan, alpha=alpha, repeat=repeat, seed=seed)
    size = 1.0, _usual_generations(scan)
    turns, change = _turns(source, pairs, trials, change, size)

    def tried(size: Size) -> Design:
        tell()
        return trials.design(turns, size)

    now = tried(size)
    return Plan(
        change=change,
        alpha=alpha,
        repeat=repeat,
        correlation=float(np.median(trials.targets.prompt_correlation)),
        is_measured=scan.prompt_correlation is not None,
        pairs=len(pairs),
        by_attempts=scan.pairs_with_attempts,
        now=now,
        rows=tuple(
            _row(prompts, tried) for prompts in (FEWER if now.is_enough else MORE)
        ),
    )


def _usual_generations(scan: ObservedScan) -> int:
    """Evaluated outputs of most of the scan's prompts."""
    prompts: Counter[int] = Counter()
    for pair in scan.pairs:
        for outputs, times in zip(pair.evaluated, pair.prompts, strict=True):
            prompts[int(outputs)] += int(times)
    return max(1, prompts.most_common(1)[0][0])


def _turns(
    source: str,
    pairs: Sequence[GradedPair],
    trials: Trials,
    change: Change,
    size: Size,
) -> tuple[Floats, Change]:
    """How likely a pass turns into a hit for this change, and the change with odds."""
    if change.pair is not None and change.rate_drop is not None:
        rate = {pair.name: pair.pass_rate for pair in pairs}[change.pair]
        if rate < change.rate_drop:
            raise NotPlannableError(
                f"{source}: {change.pair} passes {rate:.1%} of the time,"
                f" which cannot fall by {change.rate_drop:g}; give a smaller --drop"
            )
        return trials.turns_of_pair(change.pair, change.rate_drop), change
    unknown = why_unknown(pairs)
    if unknown is not None:
        raise NotPlannableError(
            f"{source}: what another scan would score is not known:"
            f" {unknown.reason}; --pair NAME --drop R plans without a score"
        )
    drop = change.score_drop or 0
    odds, most = trials.turned_by_odds(drop, size)
    if np.median(most) < drop:
        raise NotPlannableError(
            f"{source}: scans like this one score {1 + np.median(most):.1f} on average,"
            f" which cannot fall by {drop:g} to 1.0 or more; give a smaller --detect"
        )
    factor = float(np.median(odds))
    return trials.turns_of_odds(odds), replace(change, odds_factor=factor)


def _row(prompts: float, design: Callable[[Size], Design]) -> Row:
    """Find the fewest generations that are enough with so many prompts."""
    drawn: dict[int, Design] = {}

    def is_enough(generations: int) -> bool:
        drawn[generations] = design((prompts, generations))
        return drawn[generations].is_enough

    place = bisect_left(GENERATIONS, True, key=is_enough)
    return Row(
        prompts=prompts,
        enough=drawn[GENERATIONS[place]] if place < len(GENERATIONS) else None,
        largest=drawn[max(drawn)],
    )
