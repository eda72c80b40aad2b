# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory of commands, beside garak's own module where it has one.

Whole commands are timed in turn, so that a ratio holds when the machine drifts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.frame import table
from garak_tbsa.demo import content_of

RUNS = ((60, 600), (100, 1000)), ((5,), (10, 100))
"""MB of reports, and reports of histories."""

ATTEMPT = '{"entry_type": "attempt"'
UUID = re.compile(r'(?<="uuid": ")(.{32})....')
COUNT = re.compile(r'("(?:passed|fails|nones|total_\w+)": )(\d+)')
SCANS = ("before.report.jsonl", "after.report.jsonl")
PROGRAM = [sys.executable, "-m", "garak_tbsa"]
ROOT = Path(__file__).resolve().parent.parent
UNFAIR = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "GARAK_TBSA")
"""No user's environment keeps Python from storing modules, or has others."""

LAUNCHER = """
import os, sys
command = sys.argv[1:]
nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
child = os.posix_spawnp(command[0], command, os.environ, file_actions=[nowhere])
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""
"""A small process: until a child executes its program it has its parent's memory."""

Environment = Mapping[str, str]
Run = tuple[float, float]
"""Seconds of processor time, and the largest resident memory in KiB."""


def run_once(command: Sequence[str], environment: Environment) -> Run:
    """Run a command; its output is thrown away, a failure ends the benchmark."""
    launched = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        check=False,
        text=True,
    )
    if launched.returncode:
        raise RuntimeError(f"{command}: {launched.stderr[-500:]}")
    seconds, peak = map(float, launched.stdout.split())
    return seconds, peak


def timed(
    what: str, environment: Environment, runs: int, *commands: Sequence[str]
) -> str:
    """Time commands in turn, after one uncounted round; return medians as a row.

    The first command is ours; a second one is what it is compared with.
    """
    rounds = [
        [run_once(each, environment) for each in commands] for _ in range(runs + 1)
    ]
    medians = np.median(rounds[1:], axis=0)
    cells = [f"{seconds:.3g} s | {peak / 1024:.0f} MiB" for seconds, peak in medians]
    compared = f"{medians[0, 0] / medians[-1, 0]:.2f}"
    return " | ".join((what, *(cells if len(cells) == 1 else (*cells, compared))))


def grown(name: str, target: Path, size: int) -> Path:
    """Write a report of the demo with as many more attempts as ``size`` bytes take.

    Each has a uuid of its own, and the counts of evals and digest are theirs.
    """
    lines = content_of(name).decode().splitlines(keepends=True)
    attempts = [line for line in lines if line.startswith(ATTEMPT)]
    start, *others = (line for line in lines if not line.startswith(ATTEMPT))
    times = -(-size // sum(map(len, attempts)))
    with open(target, "w", encoding="utf-8") as file:
        file.write(start)
        for again in range(times):
            file.writelines(UUID.sub(rf"\g<1>{again:04x}", line) for line in attempts)
        file.writelines(
            COUNT.sub(lambda found: f"{found[1]}{int(found[2]) * times}", line)
            for line in others
        )
    return target


def scores(
    folder: Path, environment: Environment, sizes: Sequence[int]
) -> Iterator[str]:
    """Measure commands on reports of so many MB, beside garak's module on the same."""
    spec = find_spec("garak")
    assert spec is not None
    assert spec.origin is not None
    # its own module, which ours hides
    own = [sys.executable, str(Path(spec.origin).parent / "analyze" / "tbsa.py"), "-r"]
    for size in sizes:
        reports = [str(grown(name, folder / name, size * 1_000_000)) for name in SCANS]
        # no user's report is on its way to the disk while it is scored
        os.sync()
        page = ["score", "--html", str(folder / "page.html")]
        for words, asked in (
            (["score", "-q"], reports[:1]),
            (["score"], reports[:1]),
            (page, reports[:1]),
            (["explain", "--hits", "100"], reports[:1]),
            (["compare"], reports),
        ):
            ours = [*PROGRAM, *words, *asked]
            what = f"`{' '.join(words[:2])}`, {size} MB"
            yield timed(what, environment, 3, ours, [*own, reports[0]])


def histories(
    folder: Path, environment: Environment, sizes: Sequence[int]
) -> Iterator[str]:
    """Measure histories of reports of 0.7 MB; each is a link, and is read.

    The smaller one with ranges and tests, the larger one by digests alone.
    """
    for name in SCANS:
        (folder / name).write_bytes(content_of(name))
    for count, option in zip(sizes, ("--jobs=1", "--no-interval"), strict=True):
        place = folder / f"of-{count}"
        place.mkdir()
        for number in range(count):
            os.link(folder / SCANS[number % 2], place / f"{number}.report.jsonl")
        ours = [*PROGRAM, "history", str(place), "--jobs=1", option]
        what = f"`history {option}` of {count:,} reports"
        yield timed(what, environment, 1, ours)


def start_up(environment: Environment) -> str:
    """Measure what an interpreter that does nothing pays for our ``.pth``."""
    ours = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    ours += "; import garak_tbsa.host._register"
    bare = [sys.executable, "-S", "-c"]
    what = "an interpreter that does nothing, with our `.pth` and without"
    return timed(what, environment, 60, [*bare, ours], [*bare, "pass"])


def main(runs: tuple[Sequence[int], Sequence[int]]) -> str:
    """Measure, and return the table."""
    sizes, counts = runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # garak writes below the folder only
        homes = {f"XDG_{each}_HOME": name for each in ("DATA", "CONFIG", "CACHE")}
        kept = {each: text for each, text in os.environ.items() if each not in UNFAIR}
        environment = kept | homes | {"HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"}
        header = "what | garak-tbsa | memory | compared with | its memory | ratio"
        return table(
            header,
            [
                *scores(folder, environment, sizes),
                *histories(folder, environment, counts),
                start_up(environment),
            ],
        )
