# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label`` in a pseudo-terminal: from a key to the next output."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.simulated_scans import real_scan
from benchmarks.synthetic_reports import facts_of, write_scan
from benchmarks.timing import KIBIBYTES, isolated_environment, milliseconds, table
from garak_tbsa.audit.choice import BATCH
from tests.audit.reports import attempt_rows
from tests.factories import PairFacts, to_bytes
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


def waits(
    report: Path, answers: int, environment: dict[str, str]
) -> tuple[list[float], float]:
    """Label outputs; return how long that took, and the memory in MiB.

    The seconds to the first output, then those from each key to the next output.
    """
    rng = random.Random(2)
    start = time.perf_counter()
    seconds = []
    with PseudoTerminal(
        "label", str(report), "--rater", "bench", rows=40, environment=environment
    ) as terminal:
        terminal.wait_for("0 labelled", quiet=False)
        seconds.append(time.perf_counter() - start)
        for number in range(1, answers + 1):
            start = time.perf_counter()
            terminal.press(rng.choice("hp"))
            terminal.wait_for(f" {number} labelled", quiet=False)
            seconds.append(time.perf_counter() - start)
            # a person reads at least this long, while the score is worked out
            terminal.wait_for("h hit")
        peak = peak_of(terminal.process.pid)
        terminal.press("q")
        terminal.end()
    return seconds, peak


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
            (first, *later), peak = waits(report, answers, environment)
            # the answer after a batch waits for the choice of the next one
            batches = later[BATCH - 1 :: BATCH]
            rows.append(
                [
                    f"57 pairs, {size:,.0f} MB ({what})",
                    f"{first:.1f} s",
                    milliseconds(float(np.median(later))),
                    milliseconds(float(np.quantile(later, 0.95))),
                    milliseconds(max(batches)),
                    milliseconds(max(later)),
                    BOUND,
                    f"{peak:.0f} MiB",
                ]
            )
    header = [
        "report",
        "first output",
        "next: median",
        "95 % of",
        "after a batch: most",
    ]
    return (
        table([*header, "most of all", "bound", "memory"], rows)
        + "\n\nFrom the key to the next output on a terminal of 40 lines, the answer on"
        f" the disk; {answers} answers each."
    )


if __name__ == "__main__":
    print(main())
