# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``benchmarks/real_repeats.json.gz``: the verdicts of repeated scans, without texts.

A *pattern* is what all detectors of a probe said of one output, a character each:
``0`` pass, ``1`` hit, ``-`` not evaluated.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import Attempt, read_attempts
from tools.real_model.kept import THRESHOLD, prompt_text
from tools.real_model.repeat_plan import Repeat

KEPT = Path(__file__).parents[2] / "benchmarks" / "real_repeats.json.gz"

PASS, HIT, NONE = "0", "1", "-"

NOT_THE_SHAPE = (ValueError, TypeError, AttributeError)

Patterns = Mapping[str, int]
"""How many outputs of a prompt have each pattern."""


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
    probes : mapping of str to mapping of str to Patterns
        By probe and by the hash of a prompt.
    """

    series: str
    seed: int
    generations: int
    first_slot: int
    probes: Mapping[str, Mapping[str, Patterns]]

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
    detectors : mapping of str to tuple of str
        By probe, in the order of a pattern's characters.
    scans : tuple of RepeatedScan
    """

    made_with: Mapping[str, str]
    detectors: Mapping[str, tuple[str, ...]]
    scans: tuple[RepeatedScan, ...]

    def of(self, series: str) -> list[RepeatedScan]:
        """Return the scans of one series, in their order."""
        return [scan for scan in self.scans if scan.series == series]


def scan_of_report(
    repeat: Repeat, report: Path, detectors: dict[str, tuple[str, ...]]
) -> RepeatedScan:
    """Read the verdicts of a report.

    Parameters
    ----------
    repeat : Repeat
    report : Path
    detectors : dict of str to tuple of str
        By probe; those of probes that are new are added.

    Raises
    ------
    DatasetError
        A probe has other detectors than in the scans before.
    ReportError
        The report cannot be read.
    """
    probes: dict[str, dict[str, Counter[str]]] = {}
    for attempt in read_attempts(str(report)):
        if attempt.probe is None:
            continue
        names = detectors.setdefault(attempt.probe, tuple(sorted(attempt.scores)))
        if set(attempt.scores) != set(names):
            raise DatasetError(
                f"{report}:{attempt.line}: {attempt.probe} has other detectors than"
                " before; make all scans with the same garak"
            )
        prompt = prompt_hash(prompt_text(attempt.prompt))
        found = probes.setdefault(attempt.probe, {}).setdefault(prompt, Counter())
        found.update(_patterns(attempt, names))
    return RepeatedScan(
        series=repeat.series.name,
        seed=repeat.seed,
        generations=repeat.series.generations,
        first_slot=repeat.first_slot,
        probes=probes,
    )


def prompt_hash(prompt: str) -> str:
    """Return what a prompt is known by: 48 bits of its sha256, in hexadecimal."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _patterns(attempt: Attempt, detectors: Sequence[str]) -> list[str]:
    """What the detectors said of each output."""
    columns = [attempt.scores[name] for name in detectors]
    return ["".join(map(_character, scores)) for scores in zip(*columns, strict=True)]


def _character(score: float | None) -> str:
    if score is None:
        return NONE
    return HIT if score >= THRESHOLD else PASS


def packed(repeats: RealRepeats) -> bytes:
    """Return the file's content; the same scans give the same bytes."""
    row = {
        "made_with": repeats.made_with,
        "detectors": repeats.detectors,
        "scans": [
            {
                "series": scan.series,
                "seed": scan.seed,
                "generations": scan.generations,
                "first_slot": scan.first_slot,
                "probes": scan.probes,
            }
            for scan in repeats.scans
        ],
    }
    text = json.dumps(row, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode("ascii"), mtime=0)


def read_repeats(path: Path = KEPT) -> RealRepeats:
    """Read the file.

    Raises
    ------
    DatasetError
        It is not there, or is no such file.
    """
    try:
        row = json.loads(gzip.decompress(path.read_bytes()))
        detectors = {
            probe: tuple(map(str, names)) for probe, names in row["detectors"].items()
        }
        scans = tuple(_scan(each, detectors) for each in row["scans"])
        return RealRepeats(
            made_with=dict(row["made_with"]), detectors=detectors, scans=scans
        )
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise DatasetError(
            f"{path}: expected verdicts of repeated scans, found none"
            f" ({type(error).__name__}); python -m tools.real_model repeats makes them"
        ) from None


def _scan(
    row: Mapping[str, Any], detectors: Mapping[str, Sequence[str]]
) -> RepeatedScan:
    for probe, prompts in row["probes"].items():
        for patterns in prompts.values():
            for pattern, count in patterns.items():
                _require_pattern(pattern, count, len(detectors[probe]))
    return RepeatedScan(
        series=str(row["series"]),
        seed=int(row["seed"]),
        generations=int(row["generations"]),
        first_slot=int(row["first_slot"]),
        probes=row["probes"],
    )


def _require_pattern(pattern: str, count: object, detectors: int) -> None:
    if len(pattern) != detectors or set(pattern) - {PASS, HIT, NONE}:
        raise ValueError(f"no pattern of {detectors} detectors")
    if not isinstance(count, int) or count < 1:
        raise ValueError("a count of outputs below 1")
