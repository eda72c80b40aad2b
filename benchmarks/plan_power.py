# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether ``plan`` foretells how often a comparison finds a change.

Targets are known here. Each is scanned several times, and a plan is made from each
scan; the share that it prints is held against comparisons of two more scans of the
target, the second with the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from benchmarks.repeat_coverage import (
    Cell,
    Target,
    attempts_of,
    beta,
    mostly_clean,
    pairs_of,
    passes_of,
)
from benchmarks.simulated_outputs import Verdicts
from benchmarks.simulated_scans import Floats, recounted
from benchmarks.timing import table
from garak_tbsa.statistics.exchange import ScanOutcomes, exchange_of
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.permutation import permutation_tests
from garak_tbsa.statistics.scores import raw_scores
from garak_tbsa.statistics.trials import Design, Trials
from garak_tbsa.tbsa.grades import GradedPair

ALPHA, PERMUTATIONS = 0.05, 999
TARGETS, COMPARISONS, SCANS, SEED = 8, 120, 6, 7
QUICK = 3, 40, 2
DETECT, DROP = 0.12, 0.25

Scan = tuple[list[GradedPair], ScanOutcomes]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is planned for: a cell, which prompts, and by how much what falls."""

    cell: Cell
    repeat: str
    whole_score: bool


def kinds() -> list[Kind]:
    """Return what is simulated."""
    cells = [
        Cell(
            name=name,
            rates=rates,
            prompts=[12] * count,
            generations=5,
            correlation=correlation,
            detectors=detectors,
        )
        for name, rates, count, detectors, correlations in (
            ("26 pairs, Beta(3, 1)", beta(3, 1, 26), 26, 1, (0.27, 0.4, 0.83)),
            ("8 probes, 4 detectors", beta(3, 1, 8), 8, 4, (0.27,)),
            ("40 pairs, 70 % clean", mostly_clean(40, 0.7, 0.2, 0.9), 40, 1, (0.27,)),
        )
        for correlation in correlations
    ]
    return [
        Kind(cell=cell, repeat=repeat, whole_score=whole)
        for cell in cells
        for repeat in (SAME_PROMPTS, FRESH_PROMPTS)
        # what changes here is an output, for all detectors of its probe
        for whole in ((True, False) if cell.detectors == 1 else (True,))
    ]


class Changing:
    """A target that is scanned without a change and with it."""

    def __init__(self, kind: Kind, number: int) -> None:
        self.kind, self.rng = kind, np.random.default_rng((SEED, number))
        self.target, self.pairs = Target(kind.cell, self.rng), pairs_of(kind.cell)
        self.turns = self._turns()
        self.scans = 0

    def _turns(self) -> Floats:
        """How likely a pass turns into a hit, by probe."""
        rates = self.target.rates
        if not self.kind.whole_score:
            place = int(np.argmin(np.abs(rates - 0.8)))
            self.place = place
            return np.where(np.arange(len(rates)) == place, DROP / rates[place], 0.0)
        low, high = 0.0, 10.0
        start = self._mean_score(np.zeros(len(rates)))
        for _ in range(12):
            middle = (low + high) / 2
            turns = _by_odds(rates, np.exp(middle))
            fell = start - self._mean_score(turns)
            low, high = (middle, high) if fell < DETECT else (low, middle)
        return _by_odds(rates, np.exp(low))

    def _mean_score(self, turns: Floats, scans: int = 300) -> float:
        self.target.rng = np.random.default_rng(1)
        counts = [
            passes_of(
                _turned(self.target.scan(self.kind.repeat), turns, self.target.rng)
            )
            for _ in range(scans)
        ]
        self.target.rng = self.rng
        totals = np.array([pair.total_evaluated for pair in self.pairs], dtype=float)
        return float(
            raw_scores(self.pairs, np.array(counts, dtype=float), totals).mean()
        )

    def scan(self, *, changed: bool) -> Scan:
        """Return one more scan."""
        verdicts = self.target.scan(self.kind.repeat)
        if changed:
            verdicts = _turned(verdicts, self.turns, self.rng)
        cell = self.kind.cell
        graded = recounted(self.pairs, passes_of(verdicts))
        same = self.kind.repeat == SAME_PROMPTS
        self.scans += not same
        name = str(self.scans)
        outcomes = attempts_of(verdicts, self.pairs, cell.detectors, name)
        generations = cell.generations
        seed = 1 if same else None
        return graded, ScanOutcomes(
            outcomes=outcomes, seed=seed, generations=generations
        )

    def share_found(self, comparisons: int) -> float:
        """Return how often the change is found."""
        found = 0
        for run in range(comparisons):
            (before, one), (after, other) = (
                self.scan(changed=changed) for changed in (False, True)
            )
            both = list(zip(before, after, strict=True))
            tests = permutation_tests(
                exchange_of(both, one, other),
                with_score=True,
                replicates=PERMUTATIONS,
                seed=run,
            )
            found += tests.p_worse < ALPHA
        return found / comparisons

    def planned(self, number: int) -> Design:
        """Return what a plan from one more scan says of scans as large."""
        graded, known = self.scan(changed=False)
        cell = self.kind.cell
        scan = observe(graded, known.outcomes, cell.generations)
        trials = Trials(scan, alpha=ALPHA, repeat=self.kind.repeat, seed=number)
        size = 1.0, cell.generations
        if self.kind.whole_score:
            turns = trials.turns_of_odds(trials.turned_by_odds(DETECT, size)[0])
        else:
            name = self.pairs[self.place * cell.detectors].name
            turns = trials.turns_of_pair(name, DROP)
        return trials.design(turns, size)


def _by_odds(rates: Floats, factor: float) -> Floats:
    turns: Floats = 1 - 1 / (rates + factor * (1 - rates))
    return turns


def _turned(
    verdicts: Sequence[Verdicts], turns: Floats, rng: np.random.Generator
) -> list[Verdicts]:
    """One chance for all detectors of an output."""
    return [
        passed & (rng.random(passed.shape[:2]) >= turn)[..., None]
        for passed, turn in zip(verdicts, turns, strict=True)
    ]


def of_target(kind: Kind, number: int, comparisons: int, scans: int) -> Floats:
    """Return, of one target, the true share, and each plan's share and interval."""
    changing = Changing(kind, number)
    truth = changing.share_found(comparisons)
    designs = [changing.planned(each) for each in range(scans)]
    return np.array([(truth, d.share, d.lower, d.upper) for d in designs])


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    targets, comparisons, scans = QUICK if quick else (TARGETS, COMPARISONS, SCANS)
    rows = []
    for kind in kinds():
        found = np.concatenate(
            Parallel(n_jobs=2)(
                delayed(of_target)(kind, number, comparisons, scans)
                for number in range(targets)
            )
        )
        truth, share, lower, upper = found.T
        error = np.sqrt(truth * (1 - truth) / comparisons)
        within = (lower - error <= truth) & (truth <= upper + error)
        rows.append(
            [
                kind.cell.name,
                f"{kind.cell.correlation:g}",
                kind.repeat,
                f"score by {DETECT}" if kind.whole_score else f"a pair by {DROP}",
                f"{100 * truth.mean():.0f} %",
                f"{100 * share.mean():.0f} %",
                f"{100 * within.mean():.0f} %",
                f"{100 * (upper - lower).mean():.0f}",
            ]
        )
        print(rows[-1], flush=True)
    header = [
        "target",
        "correlation",
        "repeat",
        "falls",
        "found",
        "foretold",
        "within the interval",
        "its width, points",
    ]
    return table(header, rows)
