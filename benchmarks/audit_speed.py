# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of an audit of large reports."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.large_reports import grow_scan, seed_report
from benchmarks.score_speed import MB
from benchmarks.timing import Timing, in_turn, isolated_environment, milliseconds, table
from garak_tbsa.label_audit.outputs import read_outputs
from tests.factories import PairFacts, report_rows

LABELS = 300
SIZES = ((60 * MB, "60 MB", 7), (1000 * MB, "1 GB", 3))
QUICK_SIZES = ((60 * MB, "60 MB", 3),)
TINY = (60 * MB, "60 MB of tiny outputs", 3)
SHORT_PROBES = 30
SHORT_DETECTORS = ("first.Detector", "second.Detector")
SHORT_OUTPUTS = 10
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


def short_outputs(target: Path, size: int) -> Path:
    """Write a report of outputs of two letters: the most that a size can hold."""
    rng = random.Random(1)
    passed: dict[tuple[str, str], int] = {}
    attempts: dict[str, int] = {}
    rows = list(_short_attempts(rng, size, passed, attempts))
    pairs = [
        PairFacts(
            probe=probe,
            detector=detector,
            passed=number,
            total=attempts[probe] * SHORT_OUTPUTS,
        )
        for (probe, detector), number in passed.items()
    ]
    others = [json.dumps(row) for row in report_rows(pairs)]
    target.write_text("\n".join([*others[:3], *rows, *others[3:]]), encoding="utf-8")
    return target


def _short_attempts(
    rng: random.Random,
    size: int,
    passed: dict[tuple[str, str], int],
    attempts: dict[str, int],
) -> Iterator[str]:
    """Yield attempt rows of together ``size`` bytes, and count what they hold."""
    written = 0
    for number in count():
        probe = f"probe.P{number % SHORT_PROBES}"
        attempts[probe] = attempts.get(probe, 0) + 1
        results: dict[str, list[float]] = {}
        for detector in SHORT_DETECTORS:
            scores = [float(rng.random() < 0.2) for _ in range(SHORT_OUTPUTS)]
            key = probe, detector
            passed[key] = passed.get(key, 0) + scores.count(0.0)
            results[detector] = scores
        row: dict[str, Any] = {
            "entry_type": "attempt",
            "uuid": f"{rng.getrandbits(128):032x}",
            "status": 2,
            "probe_classname": probe,
            "prompt": "hello",
            "outputs": [{"text": "ok", "lang": "en"}] * SHORT_OUTPUTS,
            "detector_results": results,
        }
        line = json.dumps(row)
        yield line
        written += len(line) + 1
        if written >= size:
            return


def reports_of_sizes(
    sizes: Iterable[tuple[int, str, int]],
) -> Iterator[tuple[Path, str, int, dict[str, str]]]:
    """Yield a report of each size, in the place of the one before.

    Parameters
    ----------
    sizes : iterable of (int, str, int)
        Bytes, label and runs; those labelled as :data:`TINY` have tiny outputs.

    Yields
    ------
    Path, str, int, dict
        The report, its label and runs, and the environment to run commands in.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        seed = seed_report(folder, environment)
        target = folder / "large.report.jsonl"
        for size, label, runs in sizes:
            if label == TINY[1]:
                short_outputs(target, size)
            else:
                grow_scan(seed, target, size)
            yield target, label, runs, environment


def main(quick: bool = False) -> str:
    """Measure, and return the table; quick leaves the large report out."""
    rows = []
    sizes = (*(QUICK_SIZES if quick else SIZES), TINY)
    for report, label, runs, environment in reports_of_sizes(sizes):
        rows += _measured(report, label, environment, runs)
    header = ["report", "judged outputs", "output", "time", "at most", "memory"]
    return table([*header, "at most"], rows)


def _measured(
    report: Path, label: str, environment: dict[str, str], runs: int
) -> list[list[str]]:
    """Audit a report in every form; a row of the table each."""
    labels, outputs = write_labels(report, report.with_name("labels.jsonl"))
    command = [sys.executable, "-m", "garak_tbsa", "audit", str(report)]
    command += ["--labels", str(labels)]
    written = [
        part
        for option in ("-j", "--html", "--markdown")
        for part in (option, str(report.with_name(option.strip("-"))))
    ]
    forms = {"text": command, "JSON, page, Markdown": [*command, *written]}
    return [
        _row(label, outputs, what, in_turn([each], environment, runs)[0])
        for what, each in forms.items()
    ]


def _row(label: str, outputs: int, what: str, timing: Timing) -> list[str]:
    is_bound = label == SIZES[0][1]
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
