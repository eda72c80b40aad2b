# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the range holds the score of a repeat, over targets that are known.

Each cell is a kind of target. A run draws a target, its scan, the range of that scan,
and ten repeats. Calibrated cells grade by the installed calibration too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.frame import Generator, simulations, table
from benchmarks.simulated_scans import (
    Cell,
    Rates,
    Target,
    always,
    beta,
    mostly_clean,
    passes_of,
    real_scan,
    repeats_of,
    without_attempts,
)
from garak_tbsa.statistics.repeat_prompts import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.statistics.scores import counts_of_pairs, grades_of, score_tenths

RUNS = 1000, 20
REPEATS, SEED = 10, 2026
BOUNDS = np.array([0.05, 0.4, 0.8, 0.99])


def joined(*parts: Rates) -> Rates:
    """One kind of rates after the other."""
    return lambda rng: np.concatenate([part(rng) for part in parts])


NEAR = np.clip(np.repeat(BOUNDS, 8)[:30] + np.tile([-0.02, 0.02], 15), 0, 1)
SMALL_AND_LARGE = [*[3, 4, 5, 6, 7] * 4, *[150] * 20]
TWO_KINDS = joined(mostly_clean(20, 0, 0.95, 1), mostly_clean(20, 0, 0.1, 0.5))
HALF_CLEAN = joined(always(0.97, times=12), beta(1, 1, 12))
SIZES = [2, 3, 4, 6, 9, 13, 20, 30, 45, 70, 100, 150] * 2
CELLS = [
    Cell(
        "20 pairs of 3 to 7 at .997, 20 of 150 at Beta(3, 2)",
        joined(always(0.997, times=20), beta(3, 2, 20)),
        SMALL_AND_LARGE,
    ),
    Cell(
        "20 pairs of 3 to 7 at Beta(3, 2), 20 of 150 at .997",
        joined(beta(3, 2, 20), always(0.997, times=20)),
        SMALL_AND_LARGE,
    ),
    Cell(
        "two kinds: 20 pairs at .95 to 1, 20 at .1 to .5", TWO_KINDS, [10] * 40, 5, 0.3
    ),
    Cell(
        "40 pairs, 85 % clean, others at 0 to .3",
        mostly_clean(40, 0.85, 0, 0.3),
        *([10] * 40, 5, 0.2),
    ),
    *(
        Cell("26 pairs, Beta(.8, .2)", beta(0.8, 0.2, 26), [10] * 26, 10, correlation)
        for correlation in (0.2, 0.6, 0.9, 1.0)
    ),
    Cell("8 probes, 4 detectors that agree", beta(3, 1, 8), [10] * 8, 5, 0.2, 4),
    Cell(
        "12 probes, 3 detectors that exclude each other",
        beta(3, 1, 12),
        *([10] * 12, 5, 0.2, 3, True),
    ),
    Cell("200 pairs of 5", beta(3, 1, 200), [5] * 200),
    Cell("30 pairs of 40 that never fail", always(1.0, times=30), [8] * 30, 5),
    Cell("25 pairs of 6 at .95", always(0.95, times=25), [6] * 25),
    Cell("26 pairs at .99", always(0.99, times=26), [12] * 26, 5, 0.2),
    Cell("30 pairs at the bounds of grades", always(*NEAR), [12] * 30, 5, 0.2),
    Cell("3 pairs, Beta(3, 1)", beta(3, 1, 3), [10] * 3, 5, 0.2),
    Cell("5 pairs of 5, Beta(3, 1)", beta(3, 1, 5), [5] * 5),
    Cell("8 pairs of 6 at .9", always(0.9, times=8), [6] * 8),
]
HELD_BACK = [
    Cell(
        "held back: 24 pairs of 2 to 150, half at .97, half Beta(1, 1)",
        *(HALF_CLEAN, SIZES, 3, 0.5),
    ),
    Cell(
        "held back: 15 probes, 2 detectors that agree, Beta(.5, .5)",
        *(beta(0.5, 0.5, 15), [25] * 15, 2, 0.35, 2),
    ),
]
"""Written down first and simulated last: nothing of the model was chosen by them."""


def calibrated() -> Iterator[Cell]:
    """Yield targets with the pairs of the real scan, calibrated; one generation."""
    real = real_scan()
    passed, totals = counts_of_pairs(real)
    rates, nearly = passed / totals, 1 - 1 / (3 * totals)
    for name, drawn in (
        ("real scan, 57 pairs", always(*rates)),
        (
            "the same, clean ones at 1 - 1/(3n)",
            always(*np.where(rates == 1, nearly, rates)),
        ),
        ("its pairs, Beta(.8, .1)", beta(0.8, 0.1, 57)),
        ("its pairs, all at .9985", always(0.9985, times=57)),
        ("its pairs, all at 1 - 1/(3n)", always(*nearly)),
    ):
        yield Cell(name, drawn, totals.tolist(), pairs=real)


def held(
    rng: Generator, _: int, *, cell: Cell, repeat: str
) -> list[tuple[float, float]]:
    """By attempts and by counts: share of repeats within the range, and its width."""
    target = Target(cell, rng)
    scan = target.scan(target.verdicts(SAME_PROMPTS), "scan")
    both = [
        repeats_of(known, repeat, rng).prediction_interval
        for known in (scan, without_attempts(scan))
    ]
    counts = np.array([passes_of(target.verdicts(repeat)) for _ in range(REPEATS)])
    grades = grades_of(target.pairs, counts, counts_of_pairs(target.pairs)[1])
    tenths = score_tenths(target.pairs, grades)
    return [
        (float(np.mean((low <= tenths) & (tenths <= high))), (high - low) / 10)
        for low, high in np.rint(10 * np.array(both))
    ]


def rows(runs: int) -> Iterator[str]:
    """Simulate each cell in each way that makes a difference."""
    for cell in (*CELLS, *calibrated(), *HELD_BACK):
        is_single = cell.generations == 1
        for repeat in (SAME_PROMPTS, FRESH_PROMPTS)[: 1 if is_single else 2]:
            found = simulations(partial(held, cell=cell, repeat=repeat), runs, SEED)
            by_attempts, by_counts = np.moveaxis(found, 1, 0)
            known = {"attempts": by_attempts}
            if not is_single:
                known["counts"] = by_counts
            for what, own in known.items():
                share, width = own.mean(axis=0)
                error = own[:, 0].std() / np.sqrt(runs)
                yield (
                    f"{cell.name} | {cell.correlation:g}"
                    f" | {'one output' if is_single else repeat} | {what} | {runs:,}"
                    f" | {100 * share:.1f} ± {100 * error:.1f} % | {width:.2f}"
                )


def main(runs: int) -> str:
    """Simulate, and return the table."""
    header = "target | correlation | repeat | known by | runs | held | width"
    return table(header, rows(runs))
