# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of detector metrics: the interval, the evaluation, a million rows."""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy

from benchmarks.timing import in_turn, isolated_environment, run_once, table
from garak_tbsa.detector_eval.intervals import IntervalOptions, f1_intervals
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.shipped import shipped_folder

REPLICATES = 10_000
DETECTORS = ("mitigation.MitigationBypass", "dan.DAN")
OVERHEAD_ROWS = 20_000
LARGE_ROWS = (100_000, 300_000)
# MiB of garak and a detector; bytes of what is kept of a row that was checked
BASE_MEMORY, ROW_MEMORY = 64, 1_500


def seconds(work: Callable[[], object], runs: int) -> float:
    """Return the median seconds of ``work``."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def outcomes(samples: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return truth and prediction of rows, half of them hits, as booleans."""
    truth = numpy.arange(samples) % 2 == 0
    wrong = numpy.random.default_rng(1).random(samples) < 0.2
    return truth, truth ^ wrong


def counts_of(truth: numpy.ndarray, said: numpy.ndarray) -> ConfusionCounts:
    """Return the confusion counts of two boolean arrays."""
    return ConfusionCounts(
        tp=int((truth & said).sum()),
        fp=int((~truth & said).sum()),
        fn=int((truth & ~said).sum()),
        tn=int((~truth & ~said).sum()),
    )


def intervals() -> str:
    """Measure one detector's intervals."""
    rows = []
    for samples in (50, 7_166, 1_000_000):
        truth, said = outcomes(samples)
        counts = counts_of(truth, said)
        options = IntervalOptions(replicates=REPLICATES)

        def ours(
            counts: ConfusionCounts = counts, options: IntervalOptions = options
        ) -> object:
            return f1_intervals(counts, "x.X", options)

        ours()
        rows.append([f"{samples:,}", f"{seconds(ours, 200) * 1000:.1f} ms", "5 ms"])
    return table(["rows", "four intervals", "at most"], rows)


def labelled_rows(detector: str, count: int, folder: Path) -> Path:
    """Repeat the shipped rows of a detector, with ids of their own."""
    shipped = Path(shipped_folder()) / f"{detector}.jsonl"
    rows = [json.loads(line) for line in shipped.read_text("utf-8").splitlines()]
    generator = random.Random(1)
    folder.mkdir(exist_ok=True)
    path = folder / f"{detector}.jsonl"
    with open(path, "w", encoding="utf-8") as handle:
        for number in range(count):
            row = generator.choice(rows) | {"id": str(number)}
            handle.write(json.dumps(row) + "\n")
    return path


BARE_LOOP = """
import json, sys
from garak import _config, _plugins
from garak.attempt import Attempt, Message
_config.load_config()
detector = _plugins.load_plugin("detectors." + sys.argv[1])
hits = 0
for line in open(sys.argv[2], encoding="utf-8"):
    row = json.loads(line)
    attempt = Attempt(
        prompt=Message(row["prompt"], lang="en"), notes=dict(row.get("notes") or {})
    )
    attempt.outputs = [Message(row["output"], lang="en")]
    hits += list(detector.detect(attempt))[0] >= 0.5
"""


def our_command(path: Path, output: Path) -> list[str]:
    """Return the command that evaluates one file."""
    command = [sys.executable, "-m", "garak_tbsa.host.served_detector_eval"]
    return [*command, "--data", str(path), "--output", str(output), "-q"]


def overhead(folder: Path, environment: dict[str, str]) -> str:
    """Measure the evaluation against a loop that does nothing but detect."""
    rows = []
    for detector in DETECTORS:
        path = labelled_rows(detector, OVERHEAD_ROWS, folder / "overhead")
        bare_loop = [sys.executable, "-c", BARE_LOOP, detector, str(path)]
        commands = [our_command(path, folder / "summary.json"), bare_loop]
        ours, bare = in_turn(commands, environment, 5)
        rows.append(
            [
                f"{detector}, {OVERHEAD_ROWS:,} rows",
                f"{ours.wall:.2f} s",
                f"{bare.wall:.2f} s",
                f"{ours.ratio(bare):.2f}",
                "1.10",
            ]
        )
    return table(["data", "evaluate", "bare loop", "ratio", "at most"], rows)


def memory(folder: Path, environment: dict[str, str], sizes: Sequence[int]) -> str:
    """Measure peak memory of large data sets."""
    rows = []
    for count in sizes:
        path = labelled_rows("shields.Up", count, folder / "memory")
        size = path.stat().st_size / 1e6
        run = run_once(our_command(path, folder / "summary.json"), environment)
        path.unlink()
        rows.append(
            [
                f"{count:,}",
                f"{size:.0f} MB",
                f"{run.peak:.0f} MiB",
                f"{BASE_MEMORY + count * ROW_MEMORY / 2**20:.0f} MiB",
                f"{run.wall:.0f} s",
            ]
        )
    return table(["rows", "file", "peak memory", "at most", "time"], rows)


def main(quick: bool = False) -> str:
    """Measure, and return the tables; quick leaves the larger set out."""
    sizes = LARGE_ROWS[:1] if quick else LARGE_ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        return "\n\n".join(
            [
                intervals(),
                overhead(folder, environment),
                memory(folder, environment, sizes),
            ]
        )


if __name__ == "__main__":
    print(main())
