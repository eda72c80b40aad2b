# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Histories for tests: of scans in words, and of scored reports."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from garak_tbsa.tbsa.history import (
    Scan,
    TargetHistory,
    by_target,
    change_between,
    target_history,
    to_scan,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from garak_tbsa.tbsa.assessment import Assessment


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
        "partial": False,
    }
    return Scan(**(known | others))


def histories_of(assessments: Iterable[Assessment]) -> list[TargetHistory]:
    """Return the histories of scored reports, tested by their counts."""
    scored = {}
    for assessment in assessments:
        one = to_scan(assessment)
        scored[id(one)] = (one, assessment)
    histories = []
    for target, scans in by_target(one for one, _ in scored.values()).items():
        changes = [
            change_between(scored[id(first)][1], scored[id(second)][1], alpha=0.05)
            for first, second in pairwise(scans)
        ]
        histories.append(target_history(target, scans, changes))
    return histories
