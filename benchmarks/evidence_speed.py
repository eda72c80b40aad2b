# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What hits cost: time and memory of commands with and without them."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.prompted_reports import MB, WORDS, smaller_scan, write_prompted
from benchmarks.timing import (
    Timing,
    in_turn,
    isolated_environment,
    milliseconds,
    table,
)

LARGE = "1 GB"
SIZES = (
    (60 * MB, "60 MB", WORDS, 3),
    (1000 * MB, LARGE, WORDS, 1),
    (60 * MB, "60 MB of tiny outputs", 1, 1),
)
"""Bytes, name, words of each output, and runs."""

MORE, MEMORY = "8,000 ms", "200 MiB"
"""What hits of a report of 1 GB may cost."""

HEADER = ("report", "command", "without", "with hits", "more", "at most")
HEADER_CPU = ("of it processor", "memory", "at most")


def main(quick: bool = False) -> str:
    """Measure, and return the table; quick leaves the large report out."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        environment = isolated_environment(Path(name))
        for size, label, words, runs in SIZES:
            if quick and label == LARGE:
                continue
            report = Path(name) / "large.report.jsonl"
            write_prompted(report, smaller_scan(), words=words, size=size)
            rows += _measured(report, label, environment, 1 if quick else runs)
    return table([*HEADER, *HEADER_CPU], rows)


def _measured(
    report: Path, label: str, environment: dict[str, str], runs: int
) -> list[list[str]]:
    """Run each command without hits and with them; a row of the table each."""
    start = [sys.executable, "-m", "garak_tbsa"]
    score = [*start, "score", "-q", str(report)]
    page = [*score, "--html", str(report.with_name("page.html"))]
    markdown = [*score, "--markdown", str(report.with_name("page.md"))]
    explain = [*start, "explain", str(report)]
    rows = []
    for name, without, hits in (
        ("explain --hits 3", explain, [*explain, "--hits", "3"]),
        ("explain --hits 100", explain, [*explain, "--hits", "100"]),
        ("score --markdown", [*markdown, "--no-evidence"], markdown),
        ("score --html", [*page, "--no-evidence"], page),
    ):
        before, after = in_turn([without, hits], environment, runs)
        rows.append(_row(label, name, before, after))
    show = [*start, "show", str(report), _last_attempt(report)]
    (alone,) = in_turn([show], environment, runs)
    whole = milliseconds(alone.wall)
    rows.append([label, "show, the last", "", whole, "", "", "", _mib(alone), ""])
    return rows


def _row(label: str, name: str, before: Timing, after: Timing) -> list[str]:
    is_bound = label == LARGE
    return [
        label,
        name,
        milliseconds(before.wall),
        milliseconds(after.wall),
        milliseconds(after.beyond(before)),
        MORE if is_bound else "",
        milliseconds(after.beyond(before, cpu=True)),
        _mib(after),
        MEMORY if is_bound else "",
    ]


def _mib(timing: Timing) -> str:
    return f"{timing.peak:.0f} MiB"


def _last_attempt(report: Path) -> str:
    """The uuid of the attempt that is found last."""
    last = b"{}"
    with open(report, "rb") as file:
        for line in file:
            if line.startswith(b'{"entry_type": "attempt"'):
                last = line
    return str(json.loads(last)["uuid"])


if __name__ == "__main__":
    print(main())
