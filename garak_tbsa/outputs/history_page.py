# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history as one self-contained page: targets that compare, then a chart for each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from garak_tbsa.outputs import history as words
from garak_tbsa.outputs import said
from garak_tbsa.outputs.history import History, TargetHistory
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.outputs.text import below
from garak_tbsa.tbsa.rules import GRADES

ROWS_SHOWN = 2000
"""Scans of one target that have a row; a page of 100,000 would take 565 MB to make."""

CHART_LEFT, CHART_RIGHT, TOP, BOTTOM = 60, 600, 24, 184
DATES_AT_MOST = 5
POINTS_SHOWN = 200
"""Newest scans in a chart; more could not be told apart."""


def render(history: History) -> str:
    """Return the page."""
    values = {
        "view": history,
        "words": words,
        "below": below,
        "sets": history.pair_sets,
        "notes": [*words.legend(history), *words.not_scored_lines(history)],
        "targets": [(target, chart_of(target)) for target in history.targets],
        "rows_shown": ROWS_SHOWN,
    }
    return filled("history.html", values, styles=["history.css"])


def chart_of(target: TargetHistory) -> dict[str, Any] | None:
    """Return the scores of a target over time; None for one alone.

    Only scans that can be compared share a line.
    """
    if len(target.scans) == 1:
        return None
    newest = target.scans[-POINTS_SHOWN:]
    last = len(newest) - 1
    step = (CHART_RIGHT - CHART_LEFT) / max(1, last)
    every = -(-len(newest) // DATES_AT_MOST)
    points: list[dict[str, Any]] = []
    lines: dict[str, list[dict[str, Any]]] = {}
    for index, scan in enumerate(newest):
        score, mark = said.tbsa_text(scan.tbsa), target.mark(scan)
        is_end = index in (0, last)
        is_dated = is_end or (index % every == 0 and index + every <= last)
        highest = scan.tbsa if scan.upper is None else scan.upper
        point = {
            "x": round(CHART_LEFT + index * step, 1),
            "y": _height(scan.tbsa),
            "low": None if scan.lower is None else _height(scan.lower),
            "high": _height(highest),
            "grade": int(scan.tbsa),
            "day": words.when(scan)[:10] if is_dated else "",
            "is_end": is_end,
            "anchor": "start" if index == 0 else "end" if is_end else "middle",
            "label_y": _height(highest) - 10,
            "mark": f"{mark} {score}" if mark else "",
            "said": f"{words.when(scan)}: {score}",
        }
        points.append(point)
        lines.setdefault(scan.checksum, []).append(point)
    return {
        "label": f"TBSA over time: {', '.join(point['said'] for point in points)}",
        "grid": [{"y": _height(grade), "grade": grade} for grade in GRADES],
        "points": points,
        "lines": [ends for own in lines.values() for ends in pairwise(own)],
        "hidden": len(target.scans) - len(newest),
    }


def _height(tbsa: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * (tbsa - 1) / 4, 1)
