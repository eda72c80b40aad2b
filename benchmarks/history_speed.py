# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Histories of 1,000 and 10,000 reports, one in ten without a digest.

With JSON Lines and page. The 10,000 are ten hard links to each of the 1,000, each of
which is read; `all` works out repeat intervals and tests each change.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.large_reports import seed_report
from benchmarks.simulated_scans import rates_of, real_scan, totals_of
from benchmarks.synthetic_reports import write_scan
from benchmarks.timing import Timing, in_turn, isolated_environment, table

REPORTS, QUICK_REPORTS = 1000, 100
ATTEMPTS = 300
LINKS = 10
LIMIT = "60 s on 2 cores"


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


def link_reports(source: Path, folder: Path, times: int) -> None:
    """Give each report as many names; hard links spare the disk, not the reading."""
    folder.mkdir()
    for path in sorted(source.iterdir()):
        for again in range(times):
            os.link(path, folder / f"{again}-{path.name}")


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
        few, many = folder / "few", folder / "many"
        size = write_reports(few, count, b"".join(attempts[:ATTEMPTS]))
        link_reports(few, many, LINKS)
        script = Path(sys.executable).parent / "garak-tbsa"
        outputs = ["--jsonl", str(folder / "h.jsonl"), "--html", str(folder / "h.html")]
        commands = [
            [str(script), "history", str(few), *outputs],
            [str(script), "history", str(few), *outputs, "--no-interval"],
            [str(script), "history", str(many), *outputs, "--no-interval"],
        ]
        rows = [
            _row(told, reports, megabytes, limit if not quick else "", command)
            for (told, reports, megabytes, limit), command in zip(
                [
                    ("all", count, size, ""),
                    ("--no-interval", count, size, ""),
                    ("--no-interval", count * LINKS, size * LINKS, LIMIT),
                ],
                in_turn(commands, environment, 1 if quick else 2),
                strict=True,
            )
        ]
    return table(
        ["options", "reports", "size", "time", "processor time", "at most", "memory"],
        rows,
    )


def _row(
    options: str, reports: int, megabytes: float, limit: str, timing: Timing
) -> list[str]:
    return [
        options,
        f"{reports:,} of 57 pairs",
        f"{megabytes:,.0f} MB",
        f"{timing.wall:.1f} s",
        f"{timing.cpu:.1f} s",
        limit,
        f"{timing.peak:.0f} MiB",
    ]


if __name__ == "__main__":
    print(main())
