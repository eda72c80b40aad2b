# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history of a thousand reports, one in ten of them without a digest."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.large_reports import seed_report
from benchmarks.simulated_scans import rates_of, real_scan, totals_of
from benchmarks.synthetic_reports import write_scan
from benchmarks.timing import in_turn, isolated_environment, table

REPORTS, QUICK_REPORTS = 1000, 100
ATTEMPTS = 300


def write_reports(folder: Path, count: int, attempts: bytes) -> float:
    """Write the reports of as many scans, and return how large they are in MB."""
    folder.mkdir()
    pairs = real_scan()
    rng = np.random.default_rng(3)
    size = 0
    for number in range(count):
        path = folder / f"{number:04d}.report.jsonl"
        write_scan(
            path,
            pairs,
            rng.binomial(totals_of(pairs), rates_of(pairs)),
            start=f"2026-01-{1 + number % 28:02d}T{number // 42:02d}:00:00",
            attempts=attempts,
        )
        if number % 10 == 0:
            content = path.read_bytes()
            path.write_bytes(content[: content.rindex(b"\n") + 1])
        size += path.stat().st_size
    return size / 1e6


def main(quick: bool = False) -> str:
    """Measure, and return the table."""
    count = QUICK_REPORTS if quick else REPORTS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        seed = seed_report(folder, environment)
        lines = seed.read_bytes().splitlines(keepends=True)
        attempts = [
            line for line in lines if line.startswith(b'{"entry_type": "attempt"')
        ]
        size = write_reports(folder / "scans", count, b"".join(attempts[:ATTEMPTS]))
        script = Path(sys.executable).parent / "garak-tbsa"
        command = [str(script), "history", str(folder / "scans")]
        command += [
            "--jsonl",
            str(folder / "h.jsonl"),
            "--html",
            str(folder / "h.html"),
        ]
        (timing,) = in_turn([command], environment, 3)
    return table(
        ["reports", "size", "time, with JSON Lines and page", "at most", "memory"],
        [
            [
                f"{count:,} of 57 pairs",
                f"{size:,.0f} MB",
                f"{timing.wall:.1f} s",
                "15 s on 2 cores" if not quick else "",
                f"{timing.peak:.0f} MiB",
            ]
        ],
    )


if __name__ == "__main__":
    print(main())
