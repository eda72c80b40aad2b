# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the Tier 1 gate fails without a fault, and with one; also ``--sure``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.simulated_scans import (
    NO_ATTEMPTS,
    Counts,
    Floats,
    rates_of,
    real_scan,
    recounted,
    totals_of,
)
from benchmarks.timing import table
from garak_tbsa.gates.verdict import TIER
from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.repeat import repeat_distribution
from garak_tbsa.tbsa.grades import GradedPair, grade_edges

SCANS, QUICK_SCANS = 400, 40
LEAST = 3
SURE = (0.8, 0.95, 0.99)
FEW = (2, 3, 4)
MANY = 10_000
SEED = 12


@dataclass(frozen=True, kw_only=True)
class Target:
    """Pairs of a scan and the pass rates that the target truly has."""

    name: str
    pairs: Sequence[GradedPair]
    rates: Floats


def rate_in_grade(pair: GradedPair, grade: int) -> float:
    """Return the pass rate in the middle of those that give a pair this grade."""
    large = replace(pair, passed=MANY, total_evaluated=MANY)
    edges = (0, *grade_edges(large))
    return (edges[grade - 1] + edges[grade]) / 2 / MANY


def clean(name: str, pairs: Sequence[GradedPair], grade: int) -> Target:
    """Every Tier 1 pair truly in the middle of a grade, others as they were seen."""
    seen = rates_of(pairs)
    return Target(
        name=name,
        pairs=pairs,
        rates=np.array(
            [
                rate_in_grade(pair, grade) if pair.tier == TIER else rate
                for pair, rate in zip(pairs, seen, strict=True)
            ]
        ),
    )


def resized(pairs: Sequence[GradedPair], totals: Sequence[int]) -> list[GradedPair]:
    """Give the first Tier 1 pairs these numbers of outputs."""
    sizes = iter(totals)
    return [
        replace(pair, passed=total, total_evaluated=total)
        if pair.tier == TIER and (total := next(sizes, 0))
        else pair
        for pair in pairs
    ]


def first_tier1(pairs: Sequence[GradedPair]) -> int:
    """Return the place of the first Tier 1 pair."""
    return next(i for i, pair in enumerate(pairs) if pair.tier == TIER)


def faulty(total: int, grade: int) -> Target:
    """One Tier 1 pair with so many outputs truly at a low grade, the others at 4."""
    pairs = resized(real_scan(), [total])
    target = clean(f"one pair of {total} outputs at grade {grade}", pairs, LEAST + 1)
    place = first_tier1(pairs)
    rates = target.rates.copy()
    rates[place] = rate_in_grade(pairs[place], grade)
    return Target(name=target.name, pairs=pairs, rates=rates)


def failed(
    pairs: Sequence[GradedPair], among: Sequence[str], rng: np.random.Generator
) -> Counts:
    """Whether the plain rule and each sure one fails for any of these pairs."""
    below = [
        pair
        for pair in pairs
        if pair.tier == TIER and pair.grade < LEAST and pair.name in among
    ]
    most = 0.0
    if below:
        scan = observe(pairs, NO_ATTEMPTS, 1)
        shares = repeat_distribution(scan, SAME_PROMPTS, rng).below
        most = max(shares[pair.name][LEAST - 2] for pair in below)
    return np.array([bool(below), *(most >= sure for sure in SURE)], dtype=np.int64)


def simulate(target: Target, scans: int, among: Sequence[str]) -> Floats:
    """Return the share of scans that each rule fails for one of these pairs."""
    rng = np.random.default_rng(SEED)
    totals = totals_of(target.pairs)
    found = np.zeros(1 + len(SURE))
    for _ in range(scans):
        passed = rng.binomial(totals, target.rates)
        found += failed(recounted(target.pairs, passed), among, rng)
    shares: Floats = found / scans
    return shares


def row(target: Target, scans: int, among: Sequence[str]) -> list[str]:
    """Return a target and how often each rule fails it."""
    return [target.name, *(f"{x:.1%}" for x in simulate(target, scans, among))]


def main(quick: bool = False) -> str:
    """Simulate, and return the tables."""
    scans = QUICK_SCANS if quick else SCANS
    real = real_scan()
    few = resized(real, FEW * 4)
    targets = [
        clean("sizes of the real scan, Tier 1 truly at 4", real, LEAST + 1),
        clean("12 pairs of 2 to 4 outputs, truly at 4", few, LEAST + 1),
        clean("sizes of the real scan, Tier 1 truly at 3", real, LEAST),
        clean("12 pairs of 2 to 4 outputs, truly at 3", few, LEAST),
    ]
    names = [pair.name for pair in real]
    header = ["", "plain rule", *(f"`--sure {sure:g}`" for sure in SURE)]
    noise = table(
        ["no Tier 1 fault", *header[1:]],
        [row(target, scans, names) for target in targets],
    )
    culprit = [real[first_tier1(real)].name]
    faults = table(
        ["a fault", *header[1:]],
        [
            row(faulty(total, grade), scans, culprit)
            for grade in (1, 2)
            for total in (4, 10, 30, 100, 256)
        ],
    )
    return (
        f"Share of {scans} simulated scans that `--require-tier1-grade {LEAST}` fails."
        " Pairs, calibration and sizes are those of a real scan (57 pairs, 26 of Tier"
        f" 1).\n\n{noise}\n\nShare in which the faulty pair is among those that it"
        f" fails for; all others are truly at {LEAST + 1}.\n\n{faults}"
    )


if __name__ == "__main__":
    print(main())
