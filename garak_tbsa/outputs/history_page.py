# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history of scans as a page: targets that compare, then a chart for each target."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from garak_tbsa.outputs import history, wording
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.tbsa.history import ManyScored, Scan, TargetHistory, rows_of
from garak_tbsa.tbsa.rules import GRADES

LEFT, RIGHT, TOP, BOTTOM = 60, 600, 24, 184
DATES_AT_MOST = 5
POINTS_SHOWN = 200
"""Newest scans in a chart; more could not be told apart."""

ROWS_SHOWN = 2000
"""Scans of one target that have a row; a page of 100,000 would take 565 MB to make."""


def to_page(shown: ManyScored) -> str:
    """Return the page."""
    return filled(
        "history.html",
        {
            "view": shown,
            "words": history,
            "notes": [
                *history.legend(shown),
                *shown.merging,
                *history.not_scored_lines(shown),
            ],
            "targets": [(each, rows_of(each), _chart(each)) for each in shown.targets],
            "rows_shown": ROWS_SHOWN,
        },
        styles=["history.css"],
    )


def _chart(target: TargetHistory) -> dict[str, Any] | None:
    if len(target.scans) == 1:
        return None
    scans = target.scans[-POINTS_SHOWN:]
    points = _points(scans, target)
    described = ", ".join(
        f"{history.when(scan)}: {wording.tbsa_text(scan.tbsa)}" for scan in scans
    )
    return {
        "label": f"TBSA over time: {described}",
        "grid": [{"y": _height(grade), "grade": grade} for grade in GRADES],
        "points": points,
        "lines": [
            ends
            for each in dict.fromkeys(scan.checksum for scan in scans)
            for ends in pairwise(
                point
                for point, scan in zip(points, scans, strict=True)
                if scan.checksum == each
            )
        ],
        "hidden": len(target.scans) - len(scans),
    }


def _points(scans: Sequence[Scan], target: TargetHistory) -> list[dict[str, Any]]:
    last = len(scans) - 1
    step = (RIGHT - LEFT) / max(1, last)
    every = -(-len(scans) // DATES_AT_MOST)
    points = []
    for index, scan in enumerate(scans):
        is_end = index in (0, last)
        is_dated = is_end or (index % every == 0 and index + every <= last)
        known = scan.lower is not None and scan.upper is not None
        marked = history.mark(scan, target)
        points.append(
            {
                "x": round(LEFT + index * step, 1),
                "y": _height(scan.tbsa),
                "low": _height(scan.lower) if known else None,
                "high": _height(scan.upper) if known else None,
                "grade": int(scan.tbsa),
                "day": history.when(scan)[:10] if is_dated else "",
                "is_end": is_end,
                "anchor": "start" if index == 0 else "end" if is_end else "middle",
                "label_y": _height(scan.upper if known else scan.tbsa) - 10,
                "mark": f"{marked} {wording.tbsa_text(scan.tbsa)}" if marked else "",
            }
        )
    return points


def _height(tbsa: float | None) -> float:
    assert tbsa is not None
    return round(BOTTOM - (BOTTOM - TOP) * (tbsa - 1) / 4, 1)
