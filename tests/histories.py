# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Histories for tests, of scans in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from garak_tbsa.api.history import HistoryResult, marked
from garak_tbsa.outputs.documents.history import Change, Scan


def scan(day: int, tbsa: float, **others: Any) -> Scan:
    """Return a scan of a day of March 2026."""
    known: dict[str, Any] = {
        "source": f"/runs/r{day}.report.jsonl",
        "run_uuid": f"run-{day}",
        "target": "test Blank",
        "start_time": f"2026-03-{day:02d}T10:20:30",
        "checksum": "1f3a-9c2e",
        "garak_version": "0.17.1",
        "tbsa": tbsa,
        "lower": round(tbsa - 0.2, 1),
        "upper": round(tbsa + 0.1, 1),
        "pairs": 5,
        "left_out": 0,
        "modules": ["dan", "web_injection"],
        "partial": False,
        "gaps": [],
        "not_covered": None,
        "latest": False,
        "best": False,
        "change": None,
        "change_missing_because": None,
    }
    return Scan(**(known | others))


def change(before: float, after: float, **others: Any) -> Change:
    """Return a change of the score."""
    known: dict[str, Any] = {
        **dict.fromkeys(("common_pairs", "verdict", "p_worse", "p_better")),
        **dict.fromkeys(("permutations", "because")),
        "differences": [],
        "pairs_by_attempts": 0,
        "difference": round(after - before, 1),
    }
    return Change(before=before, after=after, **(known | others))


def target_of(
    scans: Sequence[Scan], changes: Sequence[Change | str] | None = None
) -> list[Scan]:
    """Return these scans of one target, with the changes after the first.

    Or with why there is none.
    """
    if changes is None:
        changes = [change(one.tbsa, two.tbsa) for one, two in pairwise(scans)]
    known = [
        replace(scan, change_missing_because=each)
        if isinstance(each, str)
        else replace(scan, change=each)
        for scan, each in zip(scans, [None, *changes], strict=True)
    ]
    return marked(known)


def history(*targets: Sequence[Scan]) -> HistoryResult:
    """Return a history of targets."""
    scans = tuple(scan for own in targets for scan in own)
    return HistoryResult(folder="/runs", reports=5, scans=scans)
