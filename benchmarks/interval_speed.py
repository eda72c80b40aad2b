# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the repeat interval adds to a score."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.score_speed import our_command
from benchmarks.synthetic_reports import scan_of, write_scan
from benchmarks.timing import in_turn, isolated_environment, milliseconds, table

SIZES = ((60, "80 ms"), (200, "200 ms"))
RUNS, QUICK_RUNS = 25, 5
# a score without any option takes a shorter way to start
OPTION = ("--formula", "documented")


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
            whole_command = our_command(report, *OPTION)
            bare, whole = in_turn(
                [our_command(report, *OPTION, "--no-interval"), whole_command],
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
    return table(header, rows)


if __name__ == "__main__":
    print(main())
