# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Time whole commands in turn, so that a ratio holds when the machine drifts."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

KIBIBYTES = 1024
UNFAIR = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "GARAK_TBSA")
LAUNCHER = """
import os, sys, time
command = sys.argv[1:]
nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
start = time.perf_counter()
child = os.posix_spawnp(command[0], command, os.environ, file_actions=[nowhere])
_, status, usage = os.wait4(child, 0)
wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
print(wall, cpu, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One finished command.

    Attributes
    ----------
    wall : float
        Seconds.
    cpu : float
        Seconds of processor time, which a busy machine changes less.
    peak : float
        Largest resident memory, MiB.
    """

    wall: float
    cpu: float
    peak: float


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Several runs of one command."""

    runs: tuple[Run, ...]

    @property
    def wall(self) -> float:
        """Median seconds."""
        return statistics.median(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        """Median seconds of processor time."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak(self) -> float:
        """Median MiB."""
        return statistics.median(run.peak for run in self.runs)

    def beyond(self, other: Timing, *, cpu: bool = False) -> float:
        """Median of the seconds more than runs that were next to each other."""
        pairs = zip(self.runs, other.runs, strict=True)
        return statistics.median(
            one.cpu - two.cpu if cpu else one.wall - two.wall for one, two in pairs
        )

    def ratio(self, other: Timing) -> float:
        """Median of the ratios of runs that were next to each other."""
        pairs = zip(self.runs, other.runs, strict=True)
        return statistics.median(one.wall / two.wall for one, two in pairs)


def run_once(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """Run a command; its output is thrown away, a failure ends the benchmark.

    A small process launches it: until a child executes its program it has the
    memory of its parent, so that a large parent would hide how small it is.
    """
    launched = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(environment),
        check=False,
        text=True,
    )
    if launched.returncode:
        raise RuntimeError(f"{command}: {launched.stderr[-500:]}")
    wall, cpu, peak = map(float, launched.stdout.split())
    return Run(wall=wall, cpu=cpu, peak=peak / KIBIBYTES)


def in_turn(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str], runs: int
) -> list[Timing]:
    """Time commands A, B, ... in turn, after one uncounted round."""
    counted: list[list[Run]] = [[] for _ in commands]
    for round_number in range(runs + 1):
        for index, command in enumerate(commands):
            run = run_once(command, environment)
            if round_number:
                counted[index].append(run)
    return [Timing(runs=tuple(each)) for each in counted]


def isolated_environment(folder: Path) -> dict[str, str]:
    """Return an environment in which garak writes below ``folder`` only.

    Without what would keep Python from storing compiled modules or make it look
    for them elsewhere: no user's environment has that.
    """
    kept = {name: each for name, each in os.environ.items() if name not in UNFAIR}
    return kept | {
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "HF_HUB_OFFLINE": "1",
    }


def milliseconds(seconds: float) -> str:
    """Return seconds as milliseconds in words."""
    return f"{seconds * 1000:,.0f} ms"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
