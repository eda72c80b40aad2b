# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.faults``: faults on every command that writes, and on the hook."""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.faults.commands import COMMANDS, WritingCommand
from tools.faults.scans import SCAN_FAULTS
from tools.faults.stage import can_mount
from tools.faults.trials import FAULTS, Problems, Reference, reference_of
from tools.fuzz.record import setting

TABLE = Path(__file__).parents[2] / "docs" / "measured" / "faults.md"
HOOK = "the hook of a garak scan"
HOOK_SHARE = 0.4


@dataclass
class Tally:
    """What was tried, by (command, fault).

    Attributes
    ----------
    tried, failed : Counter
    problems : Counter
        By what was seen.
    """

    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, fault: str, problems: Problems, origin: str) -> None:
        """Count one trial, and tell of its problems."""
        self.tried[name, fault] += 1
        self.failed[name, fault] += bool(problems)
        for problem in problems:
            key = f"{name}, {fault}: {problem}"
            if not self.problems[key]:
                _say(f"FAILED {key} ({origin})")
            self.problems[key] += 1


def options(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(prog="python -m tools.faults", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="default: 60")
    parser.add_argument("--trials", type=int, help="stop after so many of each half")
    parser.add_argument("--seed", type=int, help="default: a new one")
    parser.add_argument(
        "--only", default="", help="part of a command's name, or 'hook'"
    )
    parser.add_argument("--fault", default="", help=f"one of {', '.join(FAULTS)}")
    parser.add_argument(
        "--record", action="store_true", help="write docs/measured/faults.md"
    )
    parsed = parser.parse_args(argv)
    if parsed.seed is None:
        parsed.seed = secrets.randbelow(10**9)
    return parsed


def main(argv: list[str] | None = None) -> int:
    """Try faults until the time is over; 1 where a promise did not hold."""
    chosen = options(argv)
    _say(f"seed {chosen.seed}, own disks: {'yes' if can_mount() else 'no'}")
    start = time.monotonic()
    tally = Tally()
    on_hook = [fault for fault in SCAN_FAULTS if chosen.fault in ("", fault)]
    chosen_commands = [c for c in COMMANDS if chosen.only in c.name]
    share = 1 - HOOK_SHARE if not chosen.only else 1.0
    if chosen_commands:
        _try_commands(tally, chosen, chosen_commands, start + share * chosen.seconds)
    if chosen.only in ("", "hook"):
        _try_hook(tally, chosen, on_hook, start + chosen.seconds)
    took = time.monotonic() - start
    for line in _lines(tally):
        _say(line)
    for problem, count in tally.problems.most_common():
        _say(f"{count} x {problem}")
    if chosen.record:
        _record(tally, chosen.seed, took)
    return 1 if tally.problems else 0


def _try_hook(
    tally: Tally, chosen: argparse.Namespace, faults: list[str], end: float
) -> None:
    for number in _numbers(end, chosen.trials):
        fault = faults[number % len(faults)]
        origin = f"{chosen.seed}/hook/{number}"
        problems = SCAN_FAULTS[fault](_rng(origin))
        tally.add(HOOK, fault, problems, origin)


def _try_commands(
    tally: Tally,
    chosen: argparse.Namespace,
    commands: list[WritingCommand],
    end: float,
) -> None:
    references: dict[str, Reference] = {}
    pairs = [
        (command, fault)
        for fault in FAULTS
        for command in commands
        if chosen.fault in ("", fault) and (fault != "input hangs" or command.inputs)
    ]
    for number in _numbers(end, chosen.trials):
        command, fault = pairs[number % len(pairs)]
        if command.name not in references:
            references[command.name] = reference_of(command)
        origin = f"{chosen.seed}/commands/{number}"
        rng = _rng(origin)
        problems = FAULTS[fault](command, references[command.name], rng)
        tally.add(command.name, fault, problems, origin)


def _rng(origin: str) -> random.Random:
    return random.Random(origin)  # noqa: S311 (not for secrets)


def _numbers(end: float, most: int | None) -> Iterator[int]:
    number = 0
    while time.monotonic() < end and (most is None or number < most):
        yield number
        number += 1


def _lines(tally: Tally) -> Iterator[str]:
    """Yield the table's lines: held of tried, by command and fault."""
    yield f"| | {' | '.join(FAULTS)} |"
    yield f"| --- |{' --- |' * len(FAULTS)}"
    names = dict.fromkeys(name for name, _ in tally.tried)
    ordered = [name for name in names if name != HOOK]
    for name in (*ordered, *(name for name in names if name == HOOK)):
        cells = "".join(f" {_cell(tally, name, fault)} |" for fault in FAULTS)
        yield f"| {name} |{cells}"


def _cell(tally: Tally, name: str, fault: str) -> str:
    tried = tally.tried[name, fault]
    if not tried:
        return "–"
    return f"{tried - tally.failed[name, fault]} of {tried}"


def _record(tally: Tally, seed: int, seconds: float) -> None:
    lines = ["Trials that passed, of those run:", "", *_lines(tally)]
    total, failed = sum(tally.tried.values()), sum(tally.failed.values())
    lines += ["", f"Together {total - failed:,} of {total:,}."]
    lines += [
        "",
        setting(seconds, "faults", seed),
    ]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _say(f"written: {TABLE}")


def _say(text: str) -> None:
    line = text.encode("utf-8", "backslashreplace").decode("utf-8")
    print(line[:1500], file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
