# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Time whole commands in turn, so that a ratio holds when the machine drifts."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MEBIBYTE = 1024


@dataclass(frozen=True, kw_only=True)
class Run:
    """One finished command.

    Attributes
    ----------
    wall : float
        Seconds.
    peak : float
        Largest resident memory, MiB.
    """

    wall: float
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
    def peak(self) -> float:
        """Median MiB."""
        return statistics.median(run.peak for run in self.runs)

    def ratio(self, other: Timing) -> float:
        """Median of the ratios of runs that stood next to each other."""
        pairs = zip(self.runs, other.runs, strict=True)
        return statistics.median(one.wall / two.wall for one, two in pairs)


def run_once(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """Run a command; its output is thrown away, a failure ends the benchmark."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=dict(environment),
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command}: {errors.decode(errors='replace')[-500:]}")
    return Run(wall=wall, peak=usage.ru_maxrss / MEBIBYTE)


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
    """Return an environment in which garak writes below ``folder`` only."""
    return os.environ | {
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "",
    }


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
