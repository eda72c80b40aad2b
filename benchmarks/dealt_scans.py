# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans of a real model, as they were made or dealt again from their outputs.

Dealt scans are two at a time: outputs of the same prompts, or whole prompts with their
outputs, are drawn without replacement from a pool of real ones with their real
verdicts. So it is exactly true of them that nothing changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.simulated_scans import make_pair
from garak_tbsa.garak_api.scoring import tier_of
from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.rules import SCORED_TIERS
from garak_tbsa.tbsa.score import score_pairs
from tools.real_model.verdicts import RepeatedScan

if TYPE_CHECKING:
    from garak_tbsa.garak_files.outcomes import Pattern


@dataclass(frozen=True, kw_only=True)
class Scan:
    """What the interval and the tests are given.

    Attributes
    ----------
    graded : tuple of GradedPair
        Tier 1 and 2, by name.
    outcomes : mapping of str to ProbeOutcomes
        By probe.
    seed : int or None
        garak's; None where the scan was dealt with prompts of its own.
    generations : int
        Outputs to each prompt.
    """

    graded: tuple[GradedPair, ...]
    outcomes: Mapping[str, ProbeOutcomes]
    seed: int | None
    generations: int

    @property
    def tenths(self) -> int:
        """The score in tenths."""
        return score_pairs(self.graded).tenths


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Outputs of one probe.

    Attributes
    ----------
    detectors : tuple of str
    prompts : mapping of bytes to sequence of Pattern
        What the detectors said of each output, by prompt.
    """

    detectors: tuple[str, ...]
    prompts: Mapping[bytes, Sequence[Pattern]]


Pools = Mapping[str, Pool]


def scan_of(
    outcomes: Mapping[str, ProbeOutcomes], seed: int | None, generations: int
) -> Scan:
    """Grade the pairs of a scan by the installed calibration."""
    graded = [
        make_pair(probe, detector, tier, passed, total)
        for probe, found in outcomes.items()
        for tier in [tier_of(probe)]
        if tier in SCORED_TIERS
        for detector, (passed, total) in found.counts().items()
        if total
    ]
    return Scan(
        graded=tuple(sorted(graded, key=lambda pair: pair.name)),
        outcomes=outcomes,
        seed=seed,
        generations=generations,
    )


def pooled(scans: Iterable[RepeatedScan]) -> dict[str, Pool]:
    """Put the outputs of scans together; one that shares outputs is left out."""
    prompts: dict[str, dict[bytes, list[Pattern]]] = {}
    detectors: dict[str, tuple[str, ...]] = {}
    used: set[tuple[int, int]] = set()
    for scan in scans:
        if used & scan.slots:
            continue
        used |= scan.slots
        for probe, outcomes in scan.outcomes.items():
            detectors[probe] = outcomes.detectors
            for prompt, patterns in outcomes.prompts.items():
                found = prompts.setdefault(probe, {}).setdefault(prompt, [])
                found += Counter(patterns).elements()
    return {
        probe: Pool(detectors=detectors[probe], prompts=found)
        for probe, found in prompts.items()
    }


def deal(pools: Pools, generations: int, rng: np.random.Generator) -> tuple[Scan, Scan]:
    """Deal two scans of the same prompts, which share no output.

    Raises
    ------
    ValueError
        A prompt has fewer than twice as many outputs.
    """
    first, second = {}, {}
    for probe, pool in pools.items():
        one, two = {}, {}
        for prompt, patterns in pool.prompts.items():
            drawn = _drawn(patterns, 2 * generations, rng)
            one[prompt] = Counter(drawn[:generations])
            two[prompt] = Counter(drawn[generations:])
        first[probe] = ProbeOutcomes(detectors=pool.detectors, prompts=one)
        second[probe] = ProbeOutcomes(detectors=pool.detectors, prompts=two)
    return scan_of(first, 0, generations), scan_of(second, 0, generations)


def deal_fresh(
    pools: Pools,
    generations: int,
    rng: np.random.Generator,
    same: frozenset[str] = frozenset(),
    most: int = 12,
) -> tuple[Scan, Scan]:
    """Deal two scans that share no prompt.

    Parameters
    ----------
    pools : mapping of str to Pool
    generations : int
    rng : numpy.random.Generator
    same : frozenset of str
        Probes with the same prompts under every seed; these share their prompts.
    most : int
        Prompts of each probe in one scan at most.

    Raises
    ------
    ValueError
        A prompt has too few outputs, or a probe that is not in ``same`` one prompt.
    """
    first: dict[str, ProbeOutcomes] = {}
    second: dict[str, ProbeOutcomes] = {}
    for probe, pool in pools.items():
        if probe in same:
            one, two = deal({probe: pool}, generations, rng)
            first |= one.outcomes
            second |= two.outcomes
            continue
        prompts = list(pool.prompts)
        size = min(len(prompts) // 2, most)
        if not size:
            raise ValueError(f"{probe}: one prompt, expected two or more")
        order = rng.permutation(len(prompts))
        for made, chosen in ((first, order[:size]), (second, order[size : 2 * size])):
            made[probe] = ProbeOutcomes(
                detectors=pool.detectors,
                prompts={
                    prompts[place]: Counter(
                        _drawn(pool.prompts[prompts[place]], generations, rng)
                    )
                    for place in chosen
                },
            )
    return scan_of(first, None, generations), scan_of(second, None, generations)


def _drawn(
    patterns: Sequence[Pattern], number: int, rng: np.random.Generator
) -> list[Pattern]:
    """Draw without replacement, in random order."""
    if len(patterns) < number:
        raise ValueError(f"{len(patterns)} outputs of a prompt, expected {number}")
    return [patterns[place] for place in rng.permutation(len(patterns))[:number]]
