# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many scans over time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from garak_tbsa.outputs import history_lines
from garak_tbsa.outputs.history import History, TargetHistory
from garak_tbsa.outputs.history_in_words import (
    moved_text,
    not_scored_lines,
    verdict_text,
)
from garak_tbsa.results.result import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Result,
    Table,
    file_name,
    frame,
)

if TYPE_CHECKING:
    from pandas import DataFrame
COLUMNS = {
    "target": TEXT,
    "start_time": TEXT,
    "tbsa": NUMBER,
    "lower": NUMBER,
    "upper": NUMBER,
    "difference": NUMBER,
    "verdict": TEXT,
    "p_worse": NUMBER,
    "p_better": NUMBER,
    "checksum": TEXT,
    "pairs": WHOLE,
    "left_out": WHOLE,
    "partial": FLAG,
    "latest": FLAG,
    "best": FLAG,
    "garak_version": TEXT,
    "run_uuid": TEXT,
    "source": TEXT,
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class HistoryResult(Result, History):
    """What :func:`garak_tbsa.history` returns.

    Attributes
    ----------
    targets : tuple of TargetHistory
        Each target with its scans, oldest first, and what changed in each.
    not_scored : tuple of NotScored
        The reports without a score, each with its problem and what to do.
    warnings : tuple of str
        What was left out of folders, one line each.
    """

    @property
    def found(self) -> History:
        """Everything known: the result itself."""
        return self

    def to_json(self) -> str:
        """Return the JSON Lines that ``garak-tbsa history --jsonl`` writes."""
        return history_lines.render(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the objects of these lines as ``scans``, and ``not_scored``."""
        return {
            "scans": [json.loads(line) for line in self.to_json().splitlines()],
            "not_scored": [
                {"infile": each.path, "problem": each.problem, "advice": each.advice}
                for each in self.not_scored
            ],
        }

    def to_frame(self) -> DataFrame:
        """Return one row for each scan, with the change since the previous one.

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        rows = ({**(scan["change"] or {}), **scan} for scan in self.to_dict()["scans"])
        return frame(rows, COLUMNS)

    def _summary(self) -> str:
        scans, targets = len(self.scans), len(self.targets)
        missing = f", {len(self.not_scored)} not scored" if self.not_scored else ""
        noun = "target" if targets == 1 else "targets"
        return f"{scans} scan{'s' * (scans != 1)} of {targets} {noun}{missing}"

    def _shown(self) -> tuple[str, list[str | Table]]:
        header = ("start", "TBSA", "95 % of repeats", "change", "verdict", "report")
        parts: list[str | Table] = []
        for target in self.targets:
            table = Table(header=header, rows=_rows(target), noun="scans")
            parts += [f"Target {target.target}", table]
        notes = (*not_scored_lines(self), *self.warnings)
        return self._summary(), [*parts, *notes]


def _rows(target: TargetHistory) -> Sequence[Sequence[str | None]]:
    return [
        (
            scan.start_time,
            f"{scan.tbsa:.1f}",
            None if scan.lower is None else f"{scan.lower:.1f} to {scan.upper:.1f}",
            moved_text(scan),
            verdict_text(scan),
            file_name(scan.source),
        )
        for scan in reversed(target.scans)
    ]
