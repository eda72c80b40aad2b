# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whole commands, timed in turn, so that a ratio holds when the machine drifts."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

KIBIBYTES = 1024
UNFAIR = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "GARAK_TBSA")
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


class Run(NamedTuple):
    """Seconds of processor time, and the largest resident memory in MiB."""

    seconds: float
    peak: float


def run_once(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """Run a command; its output is thrown away, a failure ends the benchmark."""
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
    seconds, peak = map(float, launched.stdout.split())
    return Run(seconds, peak / KIBIBYTES)


def in_turn(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str], runs: int
) -> list[Run]:
    """Time commands in turn, after one uncounted round; return medians."""
    rounds = [
        [run_once(command, environment) for command in commands]
        for _ in range(runs + 1)
    ]
    return [
        Run(*map(statistics.median, zip(*each, strict=True)))
        for each in zip(*rounds[1:], strict=True)
    ]


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


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
