# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Histories for tests, of scans in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from garak_tbsa import Unavailable
from garak_tbsa.outputs.history import Change, History, Scan, TargetHistory


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


def target_of(
    scans: Sequence[Scan], changes: Sequence[Change | Unavailable | None] | None = None
) -> TargetHistory:
    """Return the history of these scans, with the changes after the first."""
    if changes is None:
        changes = [
            Change(before=one.tbsa, after=two.tbsa) for one, two in pairwise(scans)
        ]
    known = zip(scans, [None, *changes], strict=True)
    return TargetHistory(
        target=scans[-1].target,
        scans=tuple(replace(scan, change=change) for scan, change in known),
    )


def history(*targets: TargetHistory, **others: Any) -> History:
    """Return a history of targets."""
    known: dict[str, Any] = {"folder": "/runs", "reports": 5}
    return History(targets=targets, **(known | others))
