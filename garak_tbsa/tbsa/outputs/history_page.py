# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history of scans as a page: targets that compare, then a chart for each target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garak_tbsa.tbsa.history import League, ManyScored, Scan, TargetHistory
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.history import (
    change_text,
    legend,
    mark,
    not_scored_lines,
    range_text,
    source_text,
    verdict_text,
    when,
)
from garak_tbsa.tbsa.outputs.html_page import ROWS_SHOWN, filled
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.tbsa.scan_change import Change
from garak_tbsa.unavailable import Unavailable

LEFT, RIGHT, TOP, BOTTOM = 60, 600, 24, 184
DATES_AT_MOST = 5
POINTS_SHOWN = 200
"""Newest scans in a chart; more could not be told apart."""


def to_page(shown: ManyScored) -> str:
    """Return the page."""
    return filled(
        "history.html",
        {
            "folder": shown.folder,
            "notes": [*legend(shown), *shown.merging, *not_scored_lines(shown)],
            "leagues": [_league(league) for league in shown.leagues],
            "targets": [_target(each, shown.folder) for each in shown.targets],
        },
        styles=["history.css"],
    )


def _league(league: League) -> dict[str, Any]:
    return {
        "checksum": league.checksum,
        "rows": [
            {
                "rank": each.rank,
                "target": each.latest.target,
                "tbsa": wording.tbsa_text(each.latest.tbsa),
                "grade": int(each.latest.tbsa),
                "range": range_text(each.latest),
                "when": when(each.latest),
                "best": wording.tbsa_text(each.best.tbsa),
                "partial": each.latest.partial,
            }
            for each in league.standings
        ],
    }


def _target(history: TargetHistory, folder: str) -> dict[str, Any]:
    newest = list(zip(history.scans, history.changes, strict=True))[-ROWS_SHOWN:]
    latest = history.changes[-1]
    return {
        "target": history.target,
        "chart": _chart(history) if len(history.scans) > 1 else None,
        "hidden": len(history.scans) - len(newest),
        "because": latest.because if isinstance(latest, Change) else None,
        "rows": [
            {
                "when": when(scan),
                "tbsa": wording.tbsa_text(scan.tbsa),
                "grade": int(scan.tbsa),
                "mark": mark(scan, history),
                "range": range_text(scan),
                "change": change_text(change),
                "verdict": verdict_text(change),
                "why": change.reason if isinstance(change, Unavailable) else "",
                "rescored": _rescored(change),
                "differs": "; ".join(change.differences)
                if isinstance(change, Change)
                else "",
                "checksum": scan.checksum,
                "garak": scan.garak_version or "unknown",
                "pairs": scan.pairs,
                "left_out": scan.left_out,
                "partial": scan.partial,
                "source": source_text(scan, folder),
            }
            for scan, change in newest
        ],
    }


def _rescored(change: Change | Unavailable | None) -> str:
    """The scores of common pairs, where only these compare."""
    if not isinstance(change, Change) or change.common_pairs is None:
        return ""
    scores = (change.before, change.after)
    before, after = map(wording.tbsa_text, scores)
    return f"{before} to {after} over {wording.pairs_text(change.common_pairs)}"


def _chart(history: TargetHistory) -> dict[str, Any]:
    scans = history.scans[-POINTS_SHOWN:]
    changes = history.changes[-POINTS_SHOWN:]
    points = _points(scans, history)
    described = ", ".join(f"{when(s)}: {wording.tbsa_text(s.tbsa)}" for s in scans)
    return {
        "label": f"TBSA over time: {described}",
        "grid": [{"y": _height(grade), "grade": grade} for grade in GRADES],
        "points": points,
        "lines": [
            {
                "x1": points[index - 1]["x"],
                "y1": points[index - 1]["y"],
                "x2": points[index]["x"],
                "y2": points[index]["y"],
                "is_broken": change.common_pairs is not None,
                "title": _rescored(change),
            }
            for index, change in enumerate(changes)
            # what does not compare is not joined
            if index and isinstance(change, Change)
        ],
        "hidden": len(history.scans) - len(scans),
    }


def _points(scans: Sequence[Scan], history: TargetHistory) -> list[dict[str, Any]]:
    last = len(scans) - 1
    step = (RIGHT - LEFT) / max(1, last)
    every = -(-len(scans) // DATES_AT_MOST)
    points = []
    for index, scan in enumerate(scans):
        is_end = index in (0, last)
        is_dated = is_end or (index % every == 0 and index + every <= last)
        known = scan.lower is not None and scan.upper is not None
        marked = mark(scan, history)
        points.append(
            {
                "x": round(LEFT + index * step, 1),
                "y": _height(scan.tbsa),
                "low": _height(scan.lower) if known else None,
                "high": _height(scan.upper) if known else None,
                "grade": int(scan.tbsa),
                "day": when(scan)[:10] if is_dated else "",
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
