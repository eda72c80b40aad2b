# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether ``plan`` foretells how often a comparison finds a change.

Targets are known here. Each is scanned several times, and a plan is made from each
scan; the share that it prints is held against comparisons of two more scans of the
target, the second with the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.frame import Floats, Generator, simulations, table
from benchmarks.simulated_scans import (
    ALPHA,
    Cell,
    Scan,
    Target,
    Verdicts,
    beta,
    mostly_clean,
    p_values,
    passes_of,
)
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.scores import counts_of_pairs, raw_scores
from garak_tbsa.statistics.trials import Design, Trials

RUNS = (48, 40, 1), (3, 40, 1)
"""Targets of each kind, and comparisons and planned scans of each target."""

SEED = 7
DETECT, DROP = 0.12, 0.25
CELLS = [
    *(
        Cell("26 pairs, Beta(3, 1)", beta(3, 1, 26), [12] * 26, 5, correlation)
        for correlation in (0.27, 0.4, 0.83)
    ),
    Cell("8 probes, 4 detectors", beta(3, 1, 8), [12] * 8, 5, 0.27, 4),
    Cell("40 pairs, 70 % clean", mostly_clean(40, 0.7, 0.2, 0.9), [12] * 40, 5, 0.27),
]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is planned for: a cell, which prompts, and by how much what falls."""

    cell: Cell
    repeat: str
    whole_score: bool


KINDS = [
    Kind(cell=cell, repeat=repeat, whole_score=whole)
    for cell in CELLS
    for repeat in (SAME_PROMPTS, FRESH_PROMPTS)
    # what changes here is an output, for all detectors of its probe
    for whole in ((True, False) if cell.detectors == 1 else (True,))
]


class Changing:
    """A target that is scanned without a change and with it."""

    def __init__(self, kind: Kind, rng: Generator) -> None:
        self.kind, self.rng = kind, rng
        self.target = Target(kind.cell, self.rng)
        rates = self.target.rates
        self.place = int(np.argmin(np.abs(rates - 0.8)))
        # how likely a pass turns into a hit, by probe
        self.turns = np.zeros(len(rates))
        if kind.whole_score:
            self.turns = self._turns_of_score()
        else:
            self.turns[self.place] = DROP / rates[self.place]
        self.scans = 0

    def _turns_of_score(self) -> Floats:
        low, high = 0.0, 10.0
        start = self._mean_score(self.turns)
        for _ in range(12):
            middle = (low + high) / 2
            fell = start - self._mean_score(_by_odds(self.target.rates, middle))
            low, high = (middle, high) if fell < DETECT else (low, middle)
        return _by_odds(self.target.rates, low)

    def _mean_score(self, turns: Floats, scans: int = 300) -> float:
        target = self.target
        target.rng = np.random.default_rng(1)
        counts = [
            passes_of(_turned(target.verdicts(self.kind.repeat), turns, target.rng))
            for _ in range(scans)
        ]
        target.rng = self.rng
        totals = counts_of_pairs(target.pairs)[1].astype(float)
        scores = raw_scores(target.pairs, np.array(counts, dtype=float), totals)
        return float(scores.mean())

    def scan(self, *, changed: bool) -> Scan:
        """Return one more scan."""
        verdicts = self.target.verdicts(self.kind.repeat)
        if changed:
            verdicts = _turned(verdicts, self.turns, self.rng)
        if self.kind.repeat == SAME_PROMPTS:
            return self.target.scan(verdicts, "0", seed=1)
        self.scans += 1
        return self.target.scan(verdicts, str(self.scans))

    def share_found(self, comparisons: int) -> float:
        """Return how often the change is found."""
        found = [
            p_values(self.scan(changed=False), self.scan(changed=True), run)[-1] < ALPHA
            for run in range(comparisons)
        ]
        return sum(found) / comparisons

    def planned(self, number: int) -> Design:
        """Return what a plan from one more scan says of scans as large."""
        graded, known = self.scan(changed=False)
        scan = observe(graded, known.outcomes, known.generations)
        trials = Trials(scan, alpha=ALPHA, repeat=self.kind.repeat, seed=number)
        size = 1.0, self.kind.cell.generations
        if self.kind.whole_score:
            turns = trials.turns_of_odds(trials.turned_by_odds(DETECT, size)[0])
        else:
            turns = trials.turns_of_pair(graded[self.place].name, DROP)
        return trials.design(turns, size)


def _by_odds(rates: Floats, logarithm: float) -> Floats:
    return np.asarray(1 - 1 / (rates + np.exp(logarithm) * (1 - rates)))


def _turned(
    verdicts: Sequence[Verdicts], turns: Floats, rng: Generator
) -> list[Verdicts]:
    """One chance for all detectors of an output."""
    return [
        passed & (rng.random(passed.shape[:2]) >= turn)[..., None]
        for passed, turn in zip(verdicts, turns, strict=True)
    ]


def of_target(
    rng: Generator, _: int, *, kind: Kind, comparisons: int, scans: int
) -> list[tuple[float, ...]]:
    """Return, of one target, the true share, and each plan's share and interval."""
    changing = Changing(kind, rng)
    truth = changing.share_found(comparisons)
    designs = [changing.planned(each) for each in range(scans)]
    return [(truth, each.share, each.lower, each.upper) for each in designs]


def rows(targets: int, comparisons: int, scans: int) -> Iterator[str]:
    """Simulate each kind."""
    for kind in KINDS:
        measured = partial(of_target, kind=kind, comparisons=comparisons, scans=scans)
        found = simulations(measured, targets, SEED)
        truth, share, lower, upper = np.concatenate(found).T
        # of a uniform prior: where all comparisons agree, it is not 0
        likely = (comparisons * truth + 1) / (comparisons + 2)
        error = np.sqrt(likely * (1 - likely) / (comparisons + 3))
        within = (lower - error <= truth) & (truth <= upper + error)
        shares = [100 * each.mean() for each in (truth, share, within)]
        yield (
            f"{kind.cell.name} | {kind.cell.correlation:g} | {kind.repeat} | "
            + (f"score by {DETECT}" if kind.whole_score else f"a pair by {DROP}")
            + "".join(f" | {each:.0f} %" for each in shares)
            + f" | {100 * (upper - lower).mean():.0f}"
        )


def main(runs: tuple[int, int, int]) -> str:
    """Simulate, and return the table."""
    header = "target | correlation | repeat | falls | found | foretold"
    return table(f"{header} | within the interval | its width, points", rows(*runs))
