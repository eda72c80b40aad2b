# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Small scans of which each prompt's outputs are said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.statistics.by_prompt import ObservedScan, observe
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, graded_pair

NOT_READ = Unavailable(reason="its attempts were not read")


def probe_of(*prompts: Sequence[tuple[bool | None, ...]]) -> ProbeOutcomes:
    """Return a probe with detectors ``d.A``, ``d.B`` and so on."""
    detectors = len(prompts[0][0])
    return ProbeOutcomes(
        detectors=tuple(f"d.{letter}" for letter in "ABCDEF"[:detectors]),
        prompts={bytes([i]): Counter(outputs) for i, outputs in enumerate(prompts)},
    )


def single(*counted: tuple[int, int]) -> ProbeOutcomes:
    """Return a probe with one detector; per prompt passed and evaluated outputs."""
    return probe_of(*[[(True,)] * k + [(False,)] * (n - k) for k, n in counted])


def graded_of(outcomes: Mapping[str, ProbeOutcomes]) -> list[Pair]:
    """Return the pairs of probes, in Tier 1 and 2 by turns, with their counts."""
    return [
        graded_pair(
            PairFacts(
                probe=probe, detector=detector, passed=k, total=n, tier=1 + place % 2
            )
        )
        for place, (probe, found) in enumerate(outcomes.items())
        for detector, (k, n) in found.counts().items()
    ]


def scan_of(**outcomes: ProbeOutcomes) -> ObservedScan:
    """Return what a scan of these probes showed, by its attempts."""
    return observe(graded_of(outcomes), outcomes, None)


def by_counts(
    *counted: tuple[int, int], generations: int | None = None
) -> ObservedScan:
    """Return what pass counts show, each of a probe of its own."""
    outcomes = {f"p.{place:03}": single(each) for place, each in enumerate(counted)}
    return observe(graded_of(outcomes), NOT_READ, generations)
