# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans of a real model between which nothing changed, as they were made or dealt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.dealt_scans import Pools, Scan, deal, deal_fresh, pooled, scan_of
from benchmarks.simulated_outputs import (
    FALSE_ASSERTION,
    FOUR_DETECTORS,
    false_assertions,
    outcomes_of,
)
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, SAME_PROMPTS
from tools.real_model.repeat_plan import SAME_UNDER_ALL_SEEDS
from tools.real_model.verdicts import RealRepeats, RepeatedScan


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Scans that differ by chance alone.

    Attributes
    ----------
    name : str
    scans : sequence of Scan
        Real ones, each compared with each; empty where scans are dealt.
    dealt : callable or None
        Deals two scans.
    repeat : str
        What a repeat is here, by the names of ``score --repeat``.
    """

    name: str
    scans: Sequence[Scan] = ()
    dealt: Callable[[np.random.Generator], tuple[Scan, Scan]] | None = None
    repeat: str = SAME_PROMPTS


def settings(repeats: RealRepeats) -> list[Setting]:
    """Return the settings of both tables, of the series that are there."""
    own = {name: repeats.of(name) for name in ("one", "three", "five", "fresh")}
    found = [
        Setting(
            name=f"{len(scans)} real scans, {_generations(scans[0].generations)},"
            f" {'a seed each' if name == 'fresh' else 'one seed'}",
            scans=made(scans),
            repeat=FRESH_PROMPTS if name == "fresh" else SAME_PROMPTS,
        )
        for name, scans in own.items()
        if scans
    ]
    pools = pooled([*own["five"], *own["three"], *own["one"]])
    ways: list[tuple[str, Callable[..., tuple[Scan, Scan]], str]] = [
        ("same prompts", partial(deal, pools), SAME_PROMPTS),
        (
            "prompts halved where seeds choose them",
            partial(deal_fresh, pools, same=SAME_UNDER_ALL_SEEDS),
            FRESH_PROMPTS,
        ),
        ("all prompts halved", partial(deal_fresh, pools), FRESH_PROMPTS),
    ]
    for title, dealt, repeat in ways:
        found += [
            Setting(
                name=f"dealt, {title}, {_generations(number)}",
                dealt=partial(dealt, number),
                repeat=repeat,
            )
            for number in (1, 3, 5, 10)
        ]
    if own["fresh"]:
        # what all seeds ask has more outputs than two scans need
        dealt = partial(deal_fresh, pooled(own["fresh"]), same=SAME_UNDER_ALL_SEEDS)
        found += [
            Setting(
                name=f"dealt, prompts of {len(own['fresh'])} seeds,"
                f" {_generations(number)}",
                dealt=partial(dealt, number),
                repeat=FRESH_PROMPTS,
            )
            for number in (1, 3)
        ]
    found += encoding_settings(repeats.of("encoding"))
    four = Setting(
        name="dealt, and one probe with 4 detectors, simulated, 1 generation",
        dealt=partial(deal_four, pooled(own["one"])),
    )
    return [*found, four]


def encoding_settings(scans: Sequence[RepeatedScan]) -> list[Setting]:
    """Return the settings of probes that have two detectors each."""
    if not scans:
        return []
    pools = pooled(scans)
    return [
        Setting(
            name=f"{len(scans)} real scans, 14 encoding probes with 2 detectors",
            scans=made(scans),
        ),
        *(
            Setting(
                name=f"the same, dealt, {_generations(number)}",
                dealt=partial(deal, pools, number),
            )
            for number in (1, 5)
        ),
    ]


def _generations(number: int) -> str:
    return "1 generation" if number == 1 else f"{number} generations"


def made(scans: Sequence[RepeatedScan]) -> list[Scan]:
    """Grade scans as they were made."""
    return [scan_of(scan.outcomes, scan.seed, scan.generations) for scan in scans]


def deal_four(pools: Pools, rng: np.random.Generator) -> tuple[Scan, Scan]:
    """Deal two scans, each with garak's probe that has most detectors, simulated."""
    detectors = {FALSE_ASSERTION: FOUR_DETECTORS}
    first, second = (
        scan_of(
            {
                **scan.outcomes,
                **outcomes_of({FALSE_ASSERTION: verdicts}, detectors, "prompt"),
            },
            scan.seed,
            scan.generations,
        )
        for scan, verdicts in zip(
            deal(pools, 1, rng), false_assertions(rng), strict=True
        )
    )
    return first, second
