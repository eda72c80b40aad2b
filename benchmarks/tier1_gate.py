# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the Tier 1 gate fails without a fault, and with one; also ``--sure``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.frame import Generator, percents, simulations, table
from benchmarks.simulated_scans import real_scan, recounted, repeats_of
from garak_tbsa.gates.against_baseline import TIER
from garak_tbsa.statistics.exchange import ScanOutcomes
from garak_tbsa.statistics.repeat import below_if_all_hits
from garak_tbsa.statistics.repeat_prompts import SAME_PROMPTS
from garak_tbsa.statistics.scores import counts_of_pairs
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import grade_edges

RUNS = 400, 40
LEAST = 3
SURE = (0.8, 0.95, 0.99)
MANY = 10_000
SEED = 12


def rate_in_grade(pair: Pair, grade: int) -> float:
    """Return the pass rate in the middle of those that give a pair this grade."""
    large = pair.with_counts(MANY, MANY)
    edges = (0, *grade_edges(large))
    return (edges[grade - 1] + edges[grade]) / 2 / MANY


def resized(totals: Sequence[int]) -> list[Pair]:
    """Return the real scan, whose first Tier 1 pairs have these numbers of outputs."""
    sizes = iter(totals)
    return [
        pair.with_counts(total, total)
        if pair.tier == TIER and (total := next(sizes, 0))
        else pair
        for pair in real_scan()
    ]


def failed(
    rng: Generator,
    run: int,
    *,
    pairs: Sequence[Pair],
    grade: int,
    fault: int | None = None,
) -> list[bool]:
    """Whether the plain rule and each sure one fails a scan, or does not judge it.

    A sure one has two columns. The pair with fewest outputs decides whether it judges.
    Tier 1 pairs are truly in the middle of a grade, other pairs as they were seen. With
    a fault the first Tier 1 pair is truly at that grade, and looked at alone.
    """
    tier1 = [pair for pair in pairs if pair.tier == TIER]
    truly = {pair.name: rate_in_grade(pair, grade) for pair in tier1}
    among = set(truly)
    if fault is not None:
        among = {tier1[0].name}
        truly[tier1[0].name] = rate_in_grade(tier1[0], fault)
    rates = [truly.get(pair.name, pair.pass_rate) for pair in pairs]
    scan = recounted(pairs, rng.binomial(counts_of_pairs(pairs)[1], rates))
    below = [pair for pair in scan if pair.grade < LEAST and pair.name in among]
    most, least_shown = 0.0, 1.0
    if below:
        known = ScanOutcomes(generations=1)
        drawn = repeats_of((scan, known), SAME_PROMPTS, rng)
        most = max(drawn.below[pair.name][LEAST - 2] for pair in below)
        smallest = min(below, key=lambda pair: pair.total_evaluated or 0)
        least_shown = below_if_all_hits(drawn, smallest.name, str(run))[LEAST - 2]
    by_sure = [(most >= sure, most < sure and least_shown < sure) for sure in SURE]
    return [bool(below), *(said for both in by_sure for said in both)]


def main(runs: int) -> str:
    """Simulate, and return the tables."""
    few = resized((2, 3, 4) * 4)
    targets = {
        f"{what}, {'Tier 1 ' * (pairs is not few)}truly at {grade}": partial(
            failed, pairs=pairs, grade=grade
        )
        for grade in (LEAST + 1, LEAST)
        for what, pairs in (
            ("sizes of the real scan", real_scan()),
            ("12 pairs of 2 to 4 outputs", few),
        )
    }
    faults = {
        f"one pair of {total} outputs at grade {grade}": partial(
            failed, pairs=resized([total]), grade=LEAST + 1, fault=grade
        )
        for grade in (1, 2)
        for total in (4, 10, 30, 100, 256)
    }
    by_sure = (f"`--sure {sure:g}` | not judged" for sure in SURE)
    header = " | ".join(["plain rule", *by_sure])

    def rows(of: dict[str, partial[list[bool]]]) -> Iterator[str]:
        for name, simulate in of.items():
            shares = simulations(simulate, runs, SEED).mean(axis=0)
            yield f"{name} | {percents(shares)}"

    return (
        f"Share of {runs} simulated scans that `--require-tier1-grade {LEAST}` fails."
        " Pairs, calibration and sizes are those of a real scan (57 pairs, 26 of Tier"
        " 1). A scan that is not judged does not pass either.\n\n"
        f"{table(f'no Tier 1 fault | {header}', rows(targets))}\n\nShare in"
        " which the faulty pair is among those that it fails for; all others are truly"
        f" at {LEAST + 1}.\n\n{table(f'a fault | {header}', rows(faults))}"
    )
