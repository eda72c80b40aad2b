# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the repeat interval adds to a score."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.score_speed import our_command
from benchmarks.synthetic_reports import scan_of, write_scan
from benchmarks.timing import in_turn, isolated_environment, milliseconds, table
from garak_tbsa.garak_files.calibration import (
    Calibration,
    CalibrationIdentity,
    Distribution,
)
from garak_tbsa.tbsa.grades import GradedPair, recomputed_grades
from garak_tbsa.tbsa.pairs import Pair

SIZES = ((60, "80 ms"), (200, "200 ms"))
RUNS, QUICK_RUNS = 25, 5
MANY = (
    # pairs, fewest and most outputs of one, seconds
    (5_000, 5, 256, 1.0),
    (5_000, 5, 20_000, None),
    (3_000, 399_999_000, 400_000_000, None),
    (100_000, 5, 256, 20.0),
    (100_000, 5, 20_000, None),
)
QUICK_MANY = 5_000
SEED = 1
MEASURE = """
import resource, sys, time
from benchmarks.interval_speed import many_pairs
from garak_tbsa.tbsa.interval import repeat_distribution
pairs = many_pairs(*map(int, sys.argv[1:]))
start = time.perf_counter()
repeat_distribution(pairs)
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main(quick: bool = False) -> str:
    """Measure, and return the table."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        for count, bound in SIZES:
            pairs = scan_of(count)
            passed = [pair.passed or 0 for pair in pairs]
            report = write_scan(folder / f"{count}.report.jsonl", pairs, passed)
            whole_command = our_command(report)
            bare, whole = in_turn(
                [our_command(report, "--no-interval"), whole_command],
                environment,
                QUICK_RUNS if quick else RUNS,
            )
            rows.append(
                [
                    f"{count} pairs",
                    milliseconds(bare.wall),
                    milliseconds(whole.wall),
                    milliseconds(whole.beyond(bare)),
                    bound,
                ]
            )
    header = ["report", "bare score", "with interval", "added", "at most"]
    return table(header, rows) + "\n\n" + _many_table(quick)


def many_pairs(count: int, fewest: int, most: int) -> list[GradedPair]:
    """Return pairs with random counts, two thirds of them calibrated at random."""
    rng = np.random.default_rng(SEED)
    pairs = []
    for index in range(count):
        total = int(rng.integers(fewest, most, endpoint=True))
        mu, sigma = rng.uniform(0, 1), rng.uniform(0, 0.3)
        name = f"p.P{index}"
        calibration = Calibration(
            source="random",
            identity=CalibrationIdentity(),
            distributions={}
            if index % 3 == 0
            else {f"{name}/d.D": Distribution(mu=mu, sigma=sigma)},
        )
        pair = Pair(
            probe=name,
            detector="d.D",
            tier=1 + index % 2,
            passed=int(rng.binomial(total, rng.beta(0.8, 0.3))),
            total_evaluated=total,
            nones=0,
            stated_pass_rate=None,
            stated_z_score=None,
            stated_pass_rate_grade=None,
            stated_z_grade=None,
        )
        pairs.append(recomputed_grades(pair, calibration))
    return pairs


def _many_table(quick: bool) -> str:
    rows = []
    for count, fewest, most, bound in MANY:
        if quick and count > QUICK_MANY:
            continue
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, *map(str, (count, fewest, most))],
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        seconds, memory = map(float, done.stdout.split())
        rows.append(
            [
                f"{count:,} pairs of {fewest:,} to {most:,} outputs",
                f"{seconds:.2f} s",
                "" if bound is None else f"{bound:g} s",
                f"{memory:.0f} MiB",
            ]
        )
    return table(["interval alone", "time", "at most", "memory with the pairs"], rows)


if __name__ == "__main__":
    print(main())
