# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``benchmarks/real_repeats.json.gz``: the verdicts of repeated scans, without texts.

What all detectors of a probe said of one output is a text with a character for each:
``0`` pass, ``1`` hit, ``-`` not evaluated.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.outcomes import ProbeOutcomes, read_outcomes
from garak_tbsa.unavailable import Unavailable
from tools.real_model.kept import THRESHOLD

if TYPE_CHECKING:
    from garak_tbsa.garak_files.outcomes import Pattern

KEPT = Path(__file__).parents[2] / "benchmarks" / "real_repeats.json.gz"

CHARACTERS: Mapping[bool | None, str] = {True: "0", False: "1", None: "-"}
VERDICTS = {character: verdict for verdict, character in CHARACTERS.items()}

PROMPT_BYTES = 8
"""Of a prompt's sha256; enough for prompts to be told apart."""

BROKEN = (OSError, EOFError, LookupError, ValueError, TypeError, AttributeError)
"""What reading a file of another kind may raise."""


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
        The first of the ``generations`` slots that it was served. Scans of one seed
        that share a slot share its outputs.
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


@dataclass(frozen=True, kw_only=True)
class RealRepeats:
    """All scans.

    Attributes
    ----------
    made_with : mapping of str to str
        The model and garak's version.
    scans : tuple of RepeatedScan
    """

    made_with: Mapping[str, str]
    scans: tuple[RepeatedScan, ...]

    def of(self, series: str) -> list[RepeatedScan]:
        """Return the scans of one series, in their order."""
        return [scan for scan in self.scans if scan.series == series]


def outcomes_of(report: Path) -> dict[str, ProbeOutcomes]:
    """Read the verdicts of a report, its prompts known by fewer bytes.

    Raises
    ------
    DatasetError
        It cannot be known which verdicts of a probe are of the same output.
    ReportError
        The report cannot be read.
    """
    found = {}
    for probe, outcomes in read_outcomes(str(report), THRESHOLD).items():
        if isinstance(outcomes, Unavailable):
            raise DatasetError(
                f"{report}: the verdicts of {probe} cannot be told apart,"
                f" {outcomes.reason}; scan without this probe"
            )
        found[probe] = ProbeOutcomes(
            detectors=outcomes.detectors,
            prompts={
                prompt[:PROMPT_BYTES]: patterns
                for prompt, patterns in outcomes.prompts.items()
            },
        )
    return found


def packed(repeats: RealRepeats) -> bytes:
    """Return the file's content; the same scans give the same bytes."""
    row = {
        "made_with": repeats.made_with,
        "scans": [
            {
                "series": scan.series,
                "seed": scan.seed,
                "generations": scan.generations,
                "first_slot": scan.first_slot,
                "probes": {
                    probe: _probe_row(outcomes)
                    for probe, outcomes in scan.outcomes.items()
                },
            }
            for scan in repeats.scans
        ],
    }
    text = json.dumps(row, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode("ascii"), mtime=0)


def _probe_row(outcomes: ProbeOutcomes) -> dict[str, object]:
    return {
        "detectors": outcomes.detectors,
        "prompts": {
            prompt.hex(): {
                "".join(map(CHARACTERS.__getitem__, pattern)): times
                for pattern, times in patterns.items()
            }
            for prompt, patterns in outcomes.prompts.items()
        },
    }


def read_repeats(path: Path = KEPT) -> RealRepeats:
    """Read the file.

    Raises
    ------
    DatasetError
        It is not there, or is no such file.
    """
    try:
        row = json.loads(gzip.decompress(path.read_bytes()))
        return RealRepeats(
            made_with=dict(row["made_with"]), scans=tuple(map(_scan, row["scans"]))
        )
    except BROKEN as error:
        raise DatasetError(
            f"{path}: expected verdicts of repeated scans, found none"
            f" ({type(error).__name__}); python -m tools.real_model repeats makes them"
        ) from None


def kept_by(made_with: Mapping[str, str], path: Path = KEPT) -> RealRepeats:
    """Read the scans that were made with just that; none where there is no file.

    Raises
    ------
    DatasetError
        It is no such file.
    """
    if path.is_file():
        found = read_repeats(path)
        if found.made_with == made_with:
            return found
    return RealRepeats(made_with=made_with, scans=())


def _scan(row: Mapping[str, Any]) -> RepeatedScan:
    return RepeatedScan(
        series=str(row["series"]),
        seed=int(row["seed"]),
        generations=int(row["generations"]),
        first_slot=int(row["first_slot"]),
        outcomes={probe: _outcomes(each) for probe, each in row["probes"].items()},
    )


def _outcomes(row: Mapping[str, Any]) -> ProbeOutcomes:
    detectors = tuple(map(str, row["detectors"]))
    return ProbeOutcomes(
        detectors=detectors,
        prompts={
            bytes.fromhex(prompt): {
                _pattern(text, len(detectors)): _times(times)
                for text, times in patterns.items()
            }
            for prompt, patterns in row["prompts"].items()
        },
    )


def _pattern(text: str, detectors: int) -> Pattern:
    if len(text) != detectors:
        raise ValueError(f"{len(text)} verdicts of {detectors} detectors")
    return tuple(VERDICTS[character] for character in text)


def _times(times: object) -> int:
    if not isinstance(times, int) or times < 1:
        raise ValueError("a number of outputs below 1")
    return times
