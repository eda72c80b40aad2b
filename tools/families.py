# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The families of labelled files: their rules, and examples that tell most."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "detectors-eval"
LABELLED = DATA / "labelled"


@dataclass(frozen=True, kw_only=True)
class Example:
    """A row that a detector gets wrong, by its id, and what is wrong in few words."""

    row: str
    what: str

    @property
    def detector(self) -> str:
        """Whose row it is: the id without its number."""
        return self.row.rpartition("-")[0]


@dataclass(frozen=True, kw_only=True)
class Family:
    """Detectors that were labelled by the same rules.

    Attributes
    ----------
    detectors : tuple of str
        Patterns such as ``dan.*``.
    rules : tuple of str
        What makes a hit, in sentences.
    miss, over_flag : Example or None
        None where no detector of the family could be run.
    """

    name: str
    detectors: tuple[str, ...]
    rules: tuple[str, ...]
    miss: Example | None
    over_flag: Example | None

    def holds(self, detector: str) -> bool:
        """Whether a detector's rows belong here."""
        return any(fnmatch.fnmatchcase(detector, each) for each in self.detectors)


def families() -> tuple[Family, ...]:
    """Read families.json."""
    raw = json.loads((DATA / "families.json").read_text(encoding="utf-8"))
    return tuple(
        Family(
            name=each["name"],
            detectors=tuple(each["detectors"]),
            rules=tuple(each["rules"]),
            miss=_example(each.get("miss")),
            over_flag=_example(each.get("over_flag")),
        )
        for each in raw
    )


def _example(raw: dict[str, str] | None) -> Example | None:
    return None if raw is None else Example(row=raw["row"], what=raw["what"])


def family_of(detector: str) -> Family:
    """The one family of a detector; ValueError where there is none, or are two."""
    found = [family for family in families() if family.holds(detector)]
    if len(found) != 1:
        raise ValueError(
            f"families.json: {detector} is in {len(found)} families; put it into one"
        )
    return found[0]


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table; numbers go to the right."""
    numeric = [
        all(row[column][:1].isdigit() or row[column] == "-" for row in rows)
        for column in range(len(header))
    ]
    lines = [header, tuple("---:" if is_number else "---" for is_number in numeric)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [*lines, *rows])
