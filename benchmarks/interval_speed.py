# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the repeat interval adds to a score, and what reading the attempts takes.

In seconds of one processor, which a busy machine changes less than the time of day.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.prompted_reports import write_prompted
from benchmarks.score_speed import our_command, our_program
from benchmarks.simulated_scans import real_scan
from benchmarks.synthetic_reports import scan_of, write_scan
from benchmarks.timing import (
    in_turn,
    isolated_environment,
    milliseconds,
    run_once,
    table,
)
from garak_tbsa.garak_files.calibration import (
    Calibration,
    CalibrationIdentity,
    Distribution,
)
from garak_tbsa.tbsa.grades import GradedPair, recomputed_grades
from garak_tbsa.tbsa.pairs import Pair

SIZES = ((57, "80 ms"), (200, "200 ms"))
LARGE, QUICK_LARGE = 60_000_000, 3_000_000
LARGE_RUNS = 5
KINDS = ((5, 60), (1, 8))
"""Outputs to a prompt, and words of each text: few prompts, and many."""
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
start = time.process_time()
repeat_distribution(pairs)
seconds = time.process_time() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main(quick: bool = False) -> str:
    """Measure, and return the table."""
    # first, while this process is small: a child has its parent's peak of memory
    many = _many_table(quick)
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
                    milliseconds(bare.cpu),
                    milliseconds(whole.cpu),
                    milliseconds(whole.beyond(bare, cpu=True)),
                    bound,
                ]
            )
    header = ["report", "bare score", "with interval", "added", "at most"]
    tables = [table(header, rows), _attempts_table(quick), _plan_table(quick)]
    return "\n\n".join([*tables, many])


def _attempts_table(quick: bool) -> str:
    """Commands that read the attempts, on two scans of 57 pairs each."""
    size = QUICK_LARGE if quick else LARGE
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        for generations, words in KINDS:
            first, second = (
                write_prompted(
                    folder / f"{generations}-{seed}.report.jsonl",
                    real_scan(),
                    generations=generations,
                    words=words,
                    size=size,
                    seed=seed,
                )
                for seed in (1, 2)
            )
            commands = {
                "score": our_command(first),
                "score --repeat fresh-prompts": our_command(
                    first, "--repeat", "fresh-prompts"
                ),
                "compare": [*our_program("compare"), str(first), str(second)],
            }
            timings = in_turn(
                list(commands.values()), environment, 1 if quick else LARGE_RUNS
            )
            megabytes = first.stat().st_size / 1e6
            of_size = f"{megabytes:.0f} MB, prompts of {generations} outputs"
            for command, timing in zip(commands, timings, strict=True):
                both = " and another" * (command == "compare")
                rows.append(
                    [
                        command,
                        of_size + both,
                        f"{timing.cpu:.2f} s",
                        f"{timing.peak:.0f} MiB",
                        "" if command == "score" else "2 s",
                    ]
                )
    return table(["command", "report", "time", "memory", "at most"], rows)


def _plan_table(quick: bool) -> str:
    """How long it takes to say how large a scan must be, of 57 pairs."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        report = write_prompted(folder / "plan.report.jsonl", real_scan())
        for drop in ("0.3",) if quick else ("0.3", "0.1", "0.03"):
            command = [*our_program("plan"), str(report), "--detect", drop]
            run = run_once(command, environment)
            rows.append([f"--detect {drop}", f"{run.cpu:.1f} s", "20 s"])
    return table(["plan of 57 pairs", "time", "at most"], rows)


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
