# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of an audit of large reports."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from benchmarks.large_reports import grow_scan, seed_report
from benchmarks.score_speed import MB
from benchmarks.timing import Timing, in_turn, isolated_environment, milliseconds, table
from garak_tbsa.audit.outputs import read_outputs

LABELS = 300
SIZES = ((60 * MB, "60 MB", 7), (1000 * MB, "1 GB", 3))
QUICK_SIZES = ((60 * MB, "60 MB", 3),)
HIT_RATES = {True: 0.7, False: 0.1}
"""How often a labeller says hit of a flagged and of an unflagged output."""


def write_labels(report: Path, target: Path) -> tuple[Path, int]:
    """Label random outputs, evenly over pairs and verdicts; how many outputs are."""
    outputs = read_outputs(str(report), 0.5)
    rng = random.Random(1)
    cells = [
        (pair.detector, flagged, rng.sample(places, min(len(places), LABELS)))
        for pair in outputs.pairs.values()
        for flagged in (True, False)
        if (places := pair.of(flagged=flagged))
    ]
    lines: list[str] = []
    while len(lines) < LABELS:
        for detector, flagged, places in cells:
            if places and len(lines) < LABELS:
                place = places.pop()
                hit = rng.random() < HIT_RATES[flagged]
                answer = {
                    "attempt": place.attempt,
                    "output_index": place.output_index,
                    "detector": detector,
                    "label": "hit" if hit else "pass",
                    "rater": "anna",
                    "note": "",
                    "drawn": True,
                    "time": "2026-11-22T10:00:00+00:00",
                }
                lines.append(json.dumps(answer) + "\n")
    target.write_text("".join(lines), encoding="utf-8")
    return target, sum(pair.count for pair in outputs.pairs.values())


def main(quick: bool = False) -> str:
    """Measure, and return the table; quick leaves the large report out."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        seed = seed_report(folder, environment)
        for size, label, runs in QUICK_SIZES if quick else SIZES:
            report = grow_scan(seed, folder / "large.report.jsonl", size)
            labels, outputs = write_labels(report, folder / "labels.jsonl")
            command = [sys.executable, "-m", "garak_tbsa", "audit", str(report)]
            command += ["--labels", str(labels)]
            every_form = ["-j", "--html", "--markdown"]
            written = [
                part
                for option in every_form
                for part in (option, str(folder / option.strip("-")))
            ]
            for what, more in (("text", []), ("JSON, page, Markdown", written)):
                (timing,) = in_turn([[*command, *more]], environment, runs)
                is_bound = size == 60 * MB
                rows.append(_row(label, outputs, what, timing, is_bound=is_bound))
    header = ["report", "judged outputs", "output", "time", "at most", "memory"]
    return table([*header, "at most"], rows)


def _row(
    label: str, outputs: int, what: str, timing: Timing, *, is_bound: bool
) -> list[str]:
    return [
        f"{label}, {LABELS} labels",
        f"{outputs:,}",
        what,
        milliseconds(timing.wall),
        "3,000 ms" if is_bound else "",
        f"{timing.peak:.0f} MiB",
        "300 MiB" if is_bound else "",
    ]


if __name__ == "__main__":
    print(main())
