# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans of a real model, as they were made or dealt again from their outputs.

Dealt scans are two at a time: outputs of the same prompts, or whole prompts with their
outputs, are drawn without replacement from a pool of real ones with their real
verdicts. So it is exactly true of them that nothing changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks.simulated_scans import make_pair
from garak_tbsa.garak_api.installed import tier_of
from garak_tbsa.garak_files.outcomes import Pattern, ProbeOutcomes
from garak_tbsa.statistics.exchange import ScanOutcomes
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import SCORED_TIERS
from tools.real_model.verdicts import RepeatedScan

MOST_PROMPTS = 12
"""Of each probe, in a scan with prompts of its own."""

Pools = Mapping[str, ProbeOutcomes]
"""Outputs that scans are dealt from, by probe."""
Scan = tuple[list[GradedPair], ScanOutcomes]
"""Pairs of Tier 1 and 2 by name, and what is known of the scan."""


def scan_of(outcomes: Pools, seed: int | None, generations: int) -> Scan:
    """Grade the pairs of a scan by the installed calibration."""
    graded = [
        make_pair(probe, detector, tier, passed, total)
        for probe, found in outcomes.items()
        for tier in [tier_of(probe)]
        if tier in SCORED_TIERS
        for detector, (passed, total) in found.counts().items()
        if total
    ]
    known = ScanOutcomes(outcomes=outcomes, seed=seed, generations=generations)
    return sorted(graded, key=lambda pair: pair.name), known


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
    pools: Pools, generations: int, rng: np.random.Generator, *, fresh: bool
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
    patterns: Mapping[Pattern, int], number: int, rng: np.random.Generator
) -> list[Pattern]:
    """Draw without replacement, in random order."""
    outputs = list(Counter(patterns).elements())
    if len(outputs) < number:
        raise ValueError(f"{len(outputs)} outputs of a prompt, expected {number}")
    return [outputs[place] for place in rng.permutation(len(outputs))[:number]]
