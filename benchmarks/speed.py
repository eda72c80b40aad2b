# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory of commands, beside garak's own module where it has one."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.timing import Run, in_turn, isolated_environment, table
from garak_tbsa.demo import content_of
from garak_tbsa.detector_eval.shipped import shipped_folder

MB = 1_000_000
SIZES = {"60 MB": 60 * MB, "600 MB": 600 * MB}
QUICK_SIZES = {"5 MB": 5 * MB}
HISTORIES, QUICK_HISTORIES = (100, 1000), (10, 100)
DETECTORS = ("mitigation.MitigationBypass", "dan.DAN")
ROWS, QUICK_ROWS = 20_000, 1000
RUNS = 3
COUNTS = ("passed", "fails", "nones", "total_evaluated", "total_processed")
PROGRAM = [sys.executable, "-m", "garak_tbsa"]
ROOT = Path(__file__).resolve().parent.parent

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
"""What evaluates rows and does nothing but call the detector."""


def grown(name: str, target: Path, size: int) -> Path:
    """Write a report of the demo with as many more attempts as ``size`` bytes take.

    Each has a uuid of its own, and the counts of evals and digest are theirs.
    """
    rows = [json.loads(line) for line in content_of(name).splitlines()]
    attempts = [row for row in rows if row["entry_type"] == "attempt"]
    others = [row for row in rows if row["entry_type"] != "attempt"]
    times = -(-size // sum(len(json.dumps(row)) + 1 for row in attempts))
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in others[:2])
        for again in range(times):
            for row in attempts:
                own = f"{row['uuid'][:-4]}{again:04x}"
                file.write(json.dumps({**row, "uuid": own}) + "\n")
        lines = [json.dumps(_multiplied(row, times)) for row in others[2:]]
        file.write("\n".join(lines))
    return target


def _multiplied(value: Any, times: int) -> Any:
    """Return a row whose counts of outputs are so many times as large."""
    if not isinstance(value, dict):
        return value
    return {
        name: each * times
        if name in COUNTS and isinstance(each, int)
        else _multiplied(each, times)
        for name, each in value.items()
    }


def garaks_own(report: Path) -> list[str]:
    """Return the command that runs garak's own module, which ours hides."""
    spec = find_spec("garak")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    own = Path(next(iter(spec.submodule_search_locations))) / "analyze" / "tbsa.py"
    code = (
        f"import runpy, sys; sys.argv = ['tbsa', '-r', {str(report)!r}];"
        " sys.stdout.reconfigure(encoding='utf-8');"
        f" runpy.run_path({str(own)!r}, run_name='__main__')"
    )
    return [sys.executable, "-c", code]


def _row(what: str, ours: Run, other: Run) -> list[str]:
    return [
        what,
        f"{ours.seconds:.2f} s",
        f"{ours.peak:.0f} MiB",
        f"{other.seconds:.2f} s",
        f"{other.peak:.0f} MiB",
        f"{ours.seconds / other.seconds:.2f}",
    ]


def scores(
    folder: Path, environment: Mapping[str, str], sizes: Mapping[str, int]
) -> list[list[str]]:
    """Measure commands on reports of these sizes, beside garak's module on the same."""
    rows = []
    for label, size in sizes.items():
        names = ("before.report.jsonl", "after.report.jsonl")
        reports = [grown(name, folder / name, size) for name in names]
        # no user's report is on its way to the disk while it is scored
        os.sync()
        for words in (
            "score -q",
            "score",
            f"score --html {folder / 'page.html'}",
            "explain --hits 100",
            "compare",
        ):
            asked = reports if words == "compare" else reports[:1]
            ours = [*PROGRAM, *words.split(), *map(str, asked)]
            measured = in_turn([ours, garaks_own(reports[0])], environment, RUNS)
            told = " ".join(words.split()[:2]).removesuffix(" 100")
            rows.append(_row(f"`{told}`, {label}", *measured))
    return rows


def histories(
    folder: Path, environment: Mapping[str, str], sizes: tuple[int, int]
) -> list[list[str]]:
    """Measure histories of reports of 0.7 MB; each is a link, and is read.

    The smaller one with ranges and tests, the larger one by digests alone.
    """
    rows = []
    reports = []
    for name in ("before.report.jsonl", "after.report.jsonl"):
        reports.append(folder / name)
        reports[-1].write_bytes(content_of(name))
    for count, option in zip(sizes, ("--jobs=1", "--no-interval"), strict=True):
        place = folder / f"of-{count}"
        place.mkdir()
        for number in range(count):
            os.link(reports[number % 2], place / f"{number}.report.jsonl")
        ours = [*PROGRAM, "history", str(place), "--jobs=1", option]
        (measured,) = in_turn([ours], environment, 1)
        what = f"`history {option}` of {count:,} reports"
        rows.append([what, *_row("", measured, measured)[1:3], "", "", ""])
    return rows


def evaluations(
    folder: Path, environment: Mapping[str, str], count: int
) -> list[list[str]]:
    """Measure the evaluation of repeated shipped rows, beside a bare loop."""
    rows = []
    for detector in DETECTORS:
        shipped = Path(shipped_folder()) / f"{detector}.jsonl"
        known = [json.loads(line) for line in shipped.read_text("utf-8").splitlines()]
        chance = random.Random(1)
        path = folder / f"{detector}.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({**chance.choice(known), "id": str(number)}))
                file.write("\n")
        output = str(folder / "summary.json")
        words = ["detectors", "evaluate", "--data", str(path), "--output", output, "-q"]
        loop = [sys.executable, "-c", BARE_LOOP, detector, str(path)]
        measured = in_turn([[*PROGRAM, *words], loop], environment, 1)
        what = f"`detectors evaluate`, {detector}, {count:,} rows"
        rows.append(_row(what, *measured))
    return rows


def start_up(environment: Mapping[str, str]) -> list[str]:
    """Measure what an interpreter that does nothing pays for our ``.pth``."""
    ours = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    ours += "; import garak_tbsa.host._register"
    bare = [sys.executable, "-S", "-c"]
    runs = in_turn([[*bare, ours], [*bare, "pass"]], environment, 60)
    with_ours, without = (each.seconds * 1000 for each in runs)
    return [
        "an interpreter that does nothing, with our `.pth` and without",
        *(f"{with_ours:.1f} ms", "", f"{without:.1f} ms", ""),
        f"{with_ours / without:.2f}",
    ]


def main(quick: bool = False) -> str:
    """Measure, and return the table; quick does the same on small data."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        rows = [
            *scores(folder, environment, QUICK_SIZES if quick else SIZES),
            *histories(folder, environment, QUICK_HISTORIES if quick else HISTORIES),
            *evaluations(folder, environment, QUICK_ROWS if quick else ROWS),
            start_up(environment),
        ]
    header = ["what", "garak-tbsa", "memory", "compared with", "its memory", "ratio"]
    return table(header, rows)


if __name__ == "__main__":
    print(main(quick="--quick" in sys.argv))
