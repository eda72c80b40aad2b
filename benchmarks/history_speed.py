# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Histories of 1,000 and 10,000 reports, one in ten without a digest.

With JSON Lines and page. The reports are of one target on the same prompts, and their
attempts give their counts. The 10,000 are ten hard links to each of the 1,000, each of
which is read; `all` works out ranges and tests each change. `--jobs 1`: one process.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.prompted_reports import smaller_scan, write_prompted
from benchmarks.timing import Timing, in_turn, isolated_environment, table

REPORTS, QUICK_REPORTS = 1000, 100
WORDS = 10
"""Of each output: so many make a report of 1 MB."""

LINKS = 10
LIMIT, LIMIT_WITHOUT = "120 s of one core", "60 s"


def write_reports(folder: Path, count: int) -> float:
    """Write the reports of as many scans, and return how large they are in MB."""
    folder.mkdir()
    pairs = smaller_scan()
    size = 0
    for number in range(count):
        path = folder / f"{number:04d}.report.jsonl"
        start = f"2026-01-{1 + number % 28:02d}T{number // 42:02d}:00:00"
        write_prompted(
            path, pairs, words=WORDS, seed=number, start=start, digest=number % 10 > 0
        )
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
        few, many = folder / "few", folder / "many"
        size = write_reports(few, count)
        link_reports(few, many, LINKS)
        script = Path(sys.executable).parent / "garak-tbsa"
        outputs = ["--jsonl", str(folder / "h.jsonl"), "--html", str(folder / "h.html")]
        outputs += ["--jobs", "1"]
        commands = [
            [str(script), "history", str(few), *outputs],
            [str(script), "history", str(few), *outputs, "--no-interval"],
            [str(script), "history", str(many), *outputs, "--no-interval"],
        ]
        rows = [
            _row(told, reports, megabytes, limit if not quick else "", command)
            for (told, reports, megabytes, limit), command in zip(
                [
                    ("all", count, size, LIMIT),
                    ("--no-interval", count, size, ""),
                    ("--no-interval", count * LINKS, size * LINKS, LIMIT_WITHOUT),
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
