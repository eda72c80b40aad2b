# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs with the verdicts of all their detectors, as attempts have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_scans import real_scan
from garak_tbsa.garak_files.outcomes import ProbeOutcomes

Verdicts = NDArray[np.bool_]
"""Whether each output passed; prompts by generations by detectors."""

AGREEMENT = 0.9
PROMPTS_OF_SHARED = 20
PROMPTS_OF_FRESH = 12


def outcomes_of(
    verdicts: Mapping[str, Verdicts],
    detectors: Mapping[str, Sequence[str]],
    scan: str,
    start: int = 0,
) -> dict[str, ProbeOutcomes]:
    """Return what a report would say; a prompt's name is the scan's, and a number."""
    outcomes: dict[str, ProbeOutcomes] = {}
    for probe, passed in verdicts.items():
        prompts = {}
        for number, outputs in enumerate(passed.tolist(), start):
            patterns: dict[tuple[bool | None, ...], int] = {}
            for pattern in map(tuple, outputs):
                patterns[pattern] = patterns.get(pattern, 0) + 1
            prompts[f"{scan} {number}".encode()] = patterns
        outcomes[probe] = ProbeOutcomes(
            detectors=tuple(detectors[probe]), prompts=prompts
        )
    return outcomes


def encoding_probes() -> tuple[dict[str, list[str]], dict[str, int]]:
    """Detectors and tiers of the real scan's encoding probes."""
    pairs = [pair for pair in real_scan() if pair.probe.startswith("encoding.")]
    detectors: dict[str, list[str]] = {}
    for pair in sorted(pairs, key=lambda each: each.name):
        detectors.setdefault(pair.probe, []).append(pair.detector)
    shared = {probe: both for probe, both in detectors.items() if len(both) > 1}
    return shared, {pair.probe: pair.tier for pair in pairs}


def sharing_outputs(
    probes: Mapping[str, Sequence[str]], rng: np.random.Generator
) -> dict[str, Verdicts]:
    """Return outputs that a probe's detectors judge alike nine times in ten."""
    verdicts = {}
    rates = np.linspace(0.5, 0.95, len(probes))
    for rate, (probe, detectors) in zip(rates, probes.items(), strict=True):
        first = rng.random((PROMPTS_OF_SHARED, 1, 1)) < rate
        others = (PROMPTS_OF_SHARED, 1, len(detectors) - 1)
        disagree = rng.random(others) > AGREEMENT
        verdicts[probe] = np.concatenate([first, first ^ disagree], axis=2)
    return verdicts


def fresh_prompts(
    probes: Mapping[str, Sequence[str]], generations: int, rng: np.random.Generator
) -> dict[str, Verdicts]:
    """Return outputs of prompts that differ: correlation .2 within a prompt."""
    verdicts = {}
    for mean, probe in zip(np.linspace(0.4, 0.95, len(probes)), probes, strict=True):
        # a Beta's two parameters sum to 1 / correlation - 1
        rates = rng.beta(4 * mean, 4 * (1 - mean), (PROMPTS_OF_FRESH, 1, 1))
        verdicts[probe] = rng.random((PROMPTS_OF_FRESH, generations, 1)) < rates
    return verdicts


def single_detectors() -> tuple[dict[str, list[str]], dict[str, int]]:
    """One detector of each probe of the real scan."""
    detectors, tiers = {}, {}
    for pair in real_scan():
        detectors[pair.probe] = [pair.detector]
        tiers[pair.probe] = pair.tier
    return detectors, tiers
