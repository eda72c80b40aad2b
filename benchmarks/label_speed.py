# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label`` in a pseudo-terminal: from a key to the next output."""

from __future__ import annotations

import os
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.simulated_scans import real_scan
from benchmarks.synthetic_reports import facts_of, write_scan
from benchmarks.timing import KIBIBYTES, isolated_environment, milliseconds, table
from garak_tbsa.label_audit.choice import BATCH
from tests.factories import PairFacts, to_bytes
from tests.label_audit.reports import attempt_rows
from tests.pseudo_terminal import PseudoTerminal

ANSWERS, QUICK_ANSWERS = 300, 30
LENGTHS = {"ordinary outputs": 300, "60 MB": 3_500}
WORDS = ("sorry", "I", "cannot", "help", "with", "that", "here", "is", "the", "answer")
BOUND = "150 ms"


def text_of(length: int, rng: random.Random) -> str:
    """Return words of as many characters together."""
    words: list[str] = []
    while sum(map(len, words)) < length:
        words.append(rng.choice(WORDS))
    return " ".join(words)


def write_report(path: Path, length: int) -> float:
    """Write the 57 pairs of the real scan with all outputs; return its MB."""
    rng = random.Random(1)
    texts = [text_of(length, rng) for _ in range(100)]
    pairs = real_scan()

    def text(facts: PairFacts, number: int) -> str:
        return texts[number % len(texts)]

    passed = [pair.passed or 0 for pair in pairs]
    prompt = text_of(200, rng)
    attempts = [
        row
        for facts in facts_of(pairs, passed)
        for row in attempt_rows(facts, text, prompt)
    ]
    write_scan(path, pairs, passed, attempts=to_bytes(attempts) + b"\n")
    return path.stat().st_size / 1e6


@dataclass(frozen=True, kw_only=True)
class Waits:
    """How long a rater waited.

    Attributes
    ----------
    first : float
        Seconds to the first output.
    later : list of float
        Seconds from each key to the next output.
    processor : list of float
        Of these, seconds in which the thread that shows outputs ran; the rest is the
        disk, and other processes of a busy machine.
    peak : float
        Largest resident memory, MiB.
    """

    first: float
    later: list[float]
    processor: list[float]
    peak: float


def waits(report: Path, answers: int, environment: dict[str, str]) -> Waits:
    """Label outputs as fast as they are shown."""
    rng = random.Random(2)
    start = time.perf_counter()
    later, processor = [], []
    with PseudoTerminal(
        "label",
        str(report),
        "--rater",
        "bench",
        rows=40,
        columns=120,
        environment=environment,
    ) as terminal:
        process = terminal.process.pid
        terminal.wait_for("0 labelled", quiet=False)
        first = time.perf_counter() - start
        for number in range(1, answers + 1):
            start, ran = time.perf_counter(), ran_for(process)
            terminal.press(rng.choice("hp"))
            terminal.wait_for(f" {number} labelled", quiet=False)
            later.append(time.perf_counter() - start)
            # nobody judges an output in the 0.2 s in which the score is worked out
            scored = f"by {number} labels" if number % BATCH == 0 else "h hit"
            terminal.wait_for(scored)
            if number % BATCH:
                processor.append(ran_for(process) - ran)
            else:
                # what it took to draw the score is none of the wait
                processor.append(min(later[-1], ran_for(process) - ran))
        peak = peak_of(process)
        terminal.press("q")
        terminal.end()
    return Waits(first=first, later=later, processor=processor, peak=peak)


def ran_for(process: int) -> float:
    """Return the seconds that a process's main thread has run."""
    status = Path(f"/proc/{process}/schedstat").read_text(encoding="ascii")
    return int(status.split()[0]) / 1e9


def peak_of(process: int) -> float:
    """Return the largest resident memory that a process has had, MiB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return float(line.split()[1]) / KIBIBYTES


def main(quick: bool = False) -> str:
    """Measure, and return the table."""
    answers = QUICK_ANSWERS if quick else ANSWERS
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        for what, length in LENGTHS.items():
            report = folder / f"{length}.report.jsonl"
            size = write_report(report, length)
            found = waits(report, answers, environment)
            rows.append(
                [
                    f"57 pairs, {size:,.0f} MB ({what})",
                    f"{found.first:.1f} s",
                    milliseconds(float(np.median(found.later))),
                    milliseconds(float(np.quantile(found.later, 0.95))),
                    milliseconds(max(found.later)),
                    milliseconds(float(np.median(found.processor))),
                    milliseconds(max(found.processor)),
                    BOUND,
                    f"{found.peak:.0f} MiB",
                ]
            )
    header = ["report", "first output", "next: median", "95 % of", "most"]
    header += ["processor: median", "most", "bound", "memory"]
    return (
        table(header, rows)
        + "\n\n*Next* is the time from the key until the next output is on a terminal"
        " of 40 lines and the answer on the disk. Each row is"
        f" {answers} answers, none while the score is computed. The processor time"
        " depends little on what else the machine does; its load average was"
        f" {os.getloadavg()[0]:.1f} at the end."
    )


if __name__ == "__main__":
    print(main())
