# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans drawn from pass rates that are known, with the installed calibration.

``scan_of_57_pairs.csv`` holds the counts of a real scan by garak 0.17.1 of an
offline target: dan, ansiescape, web_injection, encoding, promptinject and
latentinjection, one generation.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame import Floats, Generator
from garak_tbsa.report.garak_here import installed_calibration, tier_of
from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.report.rows import Measurement
from garak_tbsa.statistics.by_prompt import observe
from garak_tbsa.statistics.exchange import NO_ATTEMPTS, ScanOutcomes, exchange_of
from garak_tbsa.statistics.permutation import permutation_tests
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_distribution
from garak_tbsa.statistics.repeat_prompts import FRESH_PROMPTS
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import SCORED_TIERS
from garak_tbsa.tbsa.score import recomputed_grades

Counts = NDArray[np.int64]
Verdicts = NDArray[Any]
"""Whether each output passed; prompts by generations by detectors."""
Scan = tuple[list[Pair], ScanOutcomes]
"""Pairs of Tier 1 and 2, and what is known of the scan's outputs."""
Rates = Callable[[Generator], Floats]

ALPHA, PERMUTATIONS = 0.05, 999
REAL_SCAN = Path(__file__).with_name("scan_of_57_pairs.csv")

calibration = cache(installed_calibration)


def make_pair(probe: str, detector: str, tier: int, passed: int, total: int) -> Pair:
    """Return a pair with these counts."""
    stated = Measurement(
        probe=probe,
        detector=detector,
        passed=passed,
        total_evaluated=total,
        nones=0,
        where=REAL_SCAN.name,
    )
    return recomputed_grades(Pair(stated=stated, tier=tier), calibration())


@cache
def real_scan() -> Sequence[Pair]:
    """Return the 57 pairs of the real scan."""
    with open(REAL_SCAN, encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return [make_pair(row[0], row[1], *map(int, row[2:])) for row in rows]


def recounted(pairs: Sequence[Pair], passed: Counts) -> list[Pair]:
    """Return the pairs with other pass counts, graded again."""
    return [
        recomputed_grades(
            pair.with_counts(int(count), pair.total_evaluated), calibration()
        )
        for pair, count in zip(pairs, passed, strict=True)
    ]


def outcomes_of(
    verdicts: Mapping[str, Verdicts],
    detectors: Mapping[str, Sequence[str]],
    prompts: str,
    start: int = 0,
) -> dict[str, ProbeOutcomes]:
    """Return what a report would say; a prompt's name is ``prompts`` and a number."""
    return {
        probe: ProbeOutcomes(
            detectors=tuple(detectors[probe]),
            prompts={
                f"{prompts} {number}".encode(): Counter(map(tuple, outputs))
                for number, outputs in enumerate(passed.tolist(), start)
            },
        )
        for probe, passed in verdicts.items()
    }


def scan_of(
    outcomes: Mapping[str, ProbeOutcomes], seed: int | None, generations: int
) -> Scan:
    """Grade the pairs of a scan by the installed calibration."""
    graded = [
        make_pair(probe, detector, tier, passed, total)
        for probe, found in outcomes.items()
        for tier in [tier_of(probe)]
        if tier in SCORED_TIERS
        for detector, (passed, total) in found.counts().items()
        if total
    ]
    known = ScanOutcomes(outcomes=outcomes, seed=seed, generations=generations)
    return sorted(graded, key=lambda pair: pair.name), known


def without_attempts(scan: Scan) -> Scan:
    """Return a scan of which the counts alone are known."""
    return scan[0], replace(scan[1], outcomes=NO_ATTEMPTS)


def repeats_of(scan: Scan, repeat: str, rng: Generator) -> RepeatDistribution:
    """Return what a repeat of a scan would give."""
    graded, known = scan
    observed = observe(graded, known.outcomes, known.generations)
    return repeat_distribution(observed, repeat, rng)


def p_values(first: Scan, second: Scan, seed: int) -> list[float]:
    """Return those of score, direction, largest change, and that it is worse."""
    before = {pair.name: pair for pair in first[0]}
    tests = permutation_tests(
        exchange_of(
            [(before[pair.name], pair) for pair in second[0] if pair.name in before],
            first[1],
            second[1],
        ),
        with_score=True,
        replicates=PERMUTATIONS,
        seed=seed,
    )
    assert tests.p_score is not None
    return [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of target.

    Attributes
    ----------
    name : str
    rates : callable
        Draws the pass rate of each probe.
    prompts : sequence of int
        Of each probe.
    generations : int
    correlation : float
        Of two outputs of a prompt.
    detectors : int
        Of each probe.
    exclude : bool
        Whether an output fails for one detector at most; else nine verdicts in ten are
        those of the first detector.
    pairs : sequence of Pair
        With calibration, names and tiers; none for uncalibrated ones.
    """

    name: str
    rates: Rates
    prompts: Sequence[int]
    generations: int = 1
    correlation: float = 0.0
    detectors: int = 1
    exclude: bool = False
    pairs: Sequence[Pair] = ()


def always(*rates: float, times: int = 1) -> Rates:
    """The same rates in every run."""
    return lambda _: np.repeat(rates, times)


def beta(a: float, b: float, count: int) -> Rates:
    """Rates that are beta-distributed."""
    return lambda rng: rng.beta(a, b, count)


def mostly_clean(count: int, clean: float, worst: float, best: float) -> Rates:
    """Rates of 1, and some that are evenly distributed."""

    def rates(rng: Generator) -> Floats:
        other = rng.uniform(worst, best, count)
        return np.where(rng.random(count) < clean, 1.0, other)

    return rates


class Target:
    """A target of a cell: what its scans show.

    Its pairs are in the order of probes, Tier 1 and 2 in turn.
    """

    def __init__(self, cell: Cell, rng: Generator) -> None:
        self.cell, self.rng = cell, rng
        self.rates = cell.rates(rng)
        self.of_prompts = self._prompt_rates()
        self.pairs = cell.pairs or [
            make_pair(
                *(f"simulated.P{number}", f"simulated.D{detector}", 1 + number % 2),
                *(2 * [prompts * cell.generations]),
            )
            for number, prompts in enumerate(cell.prompts)
            for detector in range(cell.detectors)
        ]

    def _prompt_rates(self) -> list[Floats]:
        rho = self.cell.correlation
        found = []
        for rate, prompts in zip(self.rates, self.cell.prompts, strict=True):
            if rho == 0 or rate in (0, 1):
                found.append(np.full(prompts, rate))
            elif rho == 1:
                found.append((self.rng.random(prompts) < rate).astype(float))
            else:
                strength = 1 / rho - 1
                a, b = rate * strength, (1 - rate) * strength
                found.append(self.rng.beta(max(a, 1e-9), max(b, 1e-9), prompts))
        return found

    def verdicts(self, repeat: str) -> list[Verdicts]:
        """Return the verdicts of one more scan, for each probe."""
        if repeat == FRESH_PROMPTS:
            self.of_prompts = self._prompt_rates()
        return [self._passed(rates[:, None]) for rates in self.of_prompts]

    def _passed(self, rates: Floats) -> Verdicts:
        count = self.cell.detectors
        shape = (len(rates), self.cell.generations)
        first = (self.rng.random(shape) < rates)[..., None]
        if count == 1:
            return first
        if self.cell.exclude:
            who = self.rng.integers(count, size=shape)[..., None]
            return np.asarray(first | (who != np.arange(count)))
        differs = self.rng.random((*shape, count - 1)) > 0.9
        return np.concatenate([first, first ^ differs], axis=2)

    def scan(
        self, verdicts: Sequence[Verdicts], prompts: str, seed: int | None = None
    ) -> Scan:
        """Return a scan of these verdicts, whose prompts have such a name."""
        count = self.cell.detectors
        probes = [pair.probe for pair in self.pairs[::count]]
        names = [pair.detector for pair in self.pairs]
        outcomes = outcomes_of(
            dict(zip(probes, verdicts, strict=True)),
            {
                probe: names[count * n : count * (n + 1)]
                for n, probe in enumerate(probes)
            },
            prompts,
        )
        known = ScanOutcomes(
            outcomes=outcomes, seed=seed, generations=self.cell.generations
        )
        return recounted(self.pairs, passes_of(verdicts)), known


def passes_of(verdicts: Sequence[Verdicts]) -> Counts:
    """Return the pass count of each pair, probe by probe."""
    return np.concatenate([passed.sum(axis=(0, 1)) for passed in verdicts])
