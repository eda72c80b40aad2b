# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Range and tests on scans of a small real model, dealt again: nothing changed.

Scans are dealt two at a time: outputs of the same prompts, or whole prompts with their
outputs, are drawn without replacement from a pool of real ones with their real
verdicts. So it is exactly true of them that nothing changed. What made the recorded
scans is in the project's history, up to commit db0ad02. See CONTRIBUTING.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from benchmarks.frame import Floats, Generator, table
from benchmarks.simulated_scans import (
    ALPHA,
    Scan,
    p_values,
    repeats_of,
    scan_of,
    without_attempts,
)
from garak_tbsa.report.outcomes import Pattern, ProbeOutcomes
from garak_tbsa.statistics.repeat_prompts import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.tbsa.score import score_pairs
from tools.real_model.verdicts import RepeatedScan, read_repeats

RUNS = 300, 20
"""Pairs of scans that are dealt."""

MOST_PROMPTS = 12
"""Of each probe, in a scan with prompts of its own."""

SEED = 11

Pools = Mapping[str, ProbeOutcomes]
"""Outputs that scans are dealt from, by probe."""


def pooled(scans: Iterable[RepeatedScan]) -> Pools:
    """Put the outputs of scans together; one that shares outputs is left out."""
    prompts: dict[str, dict[bytes, Counter[Pattern]]] = {}
    detectors: dict[str, tuple[str, ...]] = {}
    used: set[tuple[int, int]] = set()
    for scan in scans:
        if used & scan.slots:
            continue
        used |= scan.slots
        for probe, outcomes in scan.outcomes.items():
            detectors[probe] = outcomes.detectors
            own = prompts.setdefault(probe, {})
            for prompt, patterns in outcomes.prompts.items():
                own.setdefault(prompt, Counter()).update(patterns)
    return {
        probe: ProbeOutcomes(detectors=detectors[probe], prompts=found)
        for probe, found in prompts.items()
    }


def deal(
    pools: Pools, generations: int, rng: Generator, *, fresh: bool
) -> tuple[Scan, Scan]:
    """Deal two scans that share no output, and if they are fresh no prompt either.

    Raises
    ------
    ValueError
        A prompt has fewer outputs than are dealt.
    """
    sides: tuple[dict[str, ProbeOutcomes], ...] = {}, {}
    for probe, pool in pools.items():
        prompts = list(pool.prompts)
        halves = [prompts, prompts]
        if fresh:
            order = [prompts[place] for place in rng.permutation(len(prompts))]
            size = min(len(prompts) // 2, MOST_PROMPTS)
            halves = [order[:size], order[size : 2 * size]]
        drawn = {
            prompt: _drawn(pool.prompts[prompt], (2 - fresh) * generations, rng)
            for prompt in dict.fromkeys(halves[0] + halves[1])
        }
        for number, (side, own) in enumerate(zip(sides, halves, strict=True)):
            # the last of the second scan, so that those of both are others
            part = slice(generations) if not number else slice(-generations, None)
            side[probe] = ProbeOutcomes(
                detectors=pool.detectors,
                prompts={prompt: Counter(drawn[prompt][part]) for prompt in own},
            )
    seed = None if fresh else 0
    first, second = (scan_of(side, seed, generations) for side in sides)
    return first, second


def _drawn(
    patterns: Mapping[Pattern, int], number: int, rng: Generator
) -> list[Pattern]:
    """Draw without replacement, in random order."""
    outputs = list(Counter(patterns).elements())
    if len(outputs) < number:
        raise ValueError(f"{len(outputs)} outputs of a prompt, expected {number}")
    return [outputs[place] for place in rng.permutation(len(outputs))[:number]]


def held(scan: Scan, other: Scan, repeat: str, rng: Generator) -> tuple[bool, float]:
    """Whether the range of a scan holds the score of another, and its width."""
    low, high = repeats_of(scan, repeat, rng).prediction_interval
    tenths = score_pairs(other[0]).tenths
    return 10 * low - 0.5 < tenths < 10 * high + 0.5, high - low


def shares(values: Floats) -> Iterator[str]:
    """Yield the mean of each column with its standard error."""
    for share in values.mean(axis=0):
        error = np.sqrt(share * (1 - share) / len(values))
        yield f"{100 * share:.1f} ± {100 * error:.1f} %"


def measured(
    pools: Pools, generations: int, deals: int, *, fresh: bool
) -> tuple[str, list[str]]:
    """Compare dealt scans; return cells on ranges, and on tests, with and without."""
    rng = np.random.default_rng(SEED)
    dealt = [deal(pools, generations, rng, fresh=fresh) for _ in range(deals)]
    repeat = FRESH_PROMPTS if fresh else SAME_PROMPTS
    ranges = np.array(
        [
            [held(each, two, repeat, rng) for each in (one, without_attempts(one))]
            for one, two in dealt
        ],
        dtype=float,
    )
    widths = ranges[..., 1].mean(axis=0)
    tested = []
    for known in (
        dealt,
        [(without_attempts(a), without_attempts(b)) for a, b in dealt],
    ):
        found = [p_values(one, two, run) for run, (one, two) in enumerate(known)]
        tested.append(
            " | ".join(shares(np.asarray(np.array(found) < ALPHA, dtype=float)))
        )
    both = zip(shares(ranges[..., 0]), widths, strict=True)
    return " | ".join(f"{share} ({width:.2f})" for share, width in both), tested


def main(runs: int) -> str:
    """Compare, and return both tables."""
    recorded = read_repeats()
    every = pooled(recorded["five"] + recorded["three"] + recorded["one"])
    ranges, tests = [], []
    for title, pools, fresh, numbers in (
        ("same prompts", every, False, (1, 3, 5, 10)),
        ("all prompts halved", every, True, (1, 3, 5, 10)),
        ("encoding probes", pooled(recorded["encoding"]), False, (1, 5)),
    ):
        for number in numbers:
            name = f"{title}, {number} generation{'s' * (number != 1)}"
            row, (known, unknown) = measured(pools, number, runs, fresh=fresh)
            ranges.append(f"{name} | {row}")
            tests += [f"{name} | {known}", f"{name}, no attempts | {unknown}"]
    header = "range holds a repeat's score (mean width) | by attempts | no attempts"
    tested = f"nothing changed, {runs} comparisons a row, p < 0.05 | score | direction"
    tested += " | largest change | worse (the gate)"
    return f"{table(header, ranges)}\n\n{table(tested, tests)}"
