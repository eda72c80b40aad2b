# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``benchmarks/real_repeats.json.gz``: the verdicts of repeated scans, without texts.

What all detectors of a probe said of one output is a text with a character for each:
``0`` pass, ``1`` hit, ``-`` not evaluated. A prompt is 8 bytes of its sha256.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.report.outcomes import ProbeOutcomes

KEPT = Path(__file__).parents[2] / "benchmarks" / "real_repeats.json.gz"

VERDICTS: Mapping[str, bool | None] = {"0": True, "1": False, "-": None}


@dataclass(frozen=True, kw_only=True)
class RepeatedScan:
    """One scan of a series.

    Attributes
    ----------
    series : str
    seed : int
        garak's; other seeds mean other prompts.
    generations : int
        Outputs to each prompt.
    first_slot : int
        The first of the ``generations`` answers of the model to each prompt that the
        scan was served. Scans of one seed that share a slot share its outputs.
    outcomes : mapping of str to ProbeOutcomes
        By probe.
    """

    series: str
    seed: int
    generations: int
    first_slot: int
    outcomes: Mapping[str, ProbeOutcomes]

    @property
    def slots(self) -> frozenset[tuple[int, int]]:
        """Seed and slot of every answer that it was served."""
        last = self.first_slot + self.generations
        return frozenset((self.seed, slot) for slot in range(self.first_slot, last))


def read_repeats(path: Path = KEPT) -> dict[str, list[RepeatedScan]]:
    """Read the file that comes with the repository: scans by series, in their order."""
    found: dict[str, list[RepeatedScan]] = {}
    for scan in json.loads(gzip.decompress(path.read_bytes()))["scans"]:
        outcomes = _outcomes(scan.pop("probes"))
        made = RepeatedScan(outcomes=outcomes, **scan)
        found.setdefault(made.series, []).append(made)
    return found


def _outcomes(probes: Mapping[str, Any]) -> dict[str, ProbeOutcomes]:
    return {
        probe: ProbeOutcomes(
            detectors=tuple(row["detectors"]),
            prompts={
                bytes.fromhex(prompt): {
                    tuple(VERDICTS[character] for character in text): times
                    for text, times in patterns.items()
                }
                for prompt, patterns in row["prompts"].items()
            },
        )
        for probe, row in probes.items()
    }
