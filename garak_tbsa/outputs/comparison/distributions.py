# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where a page draws what repeats of both scans would score, on one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.comparison.compared_scans import ScoredSide
from garak_tbsa.unavailable import Unavailable

LEFT, RIGHT = 104, 644
BASELINES = (88, 188)
TALLEST = 74
AXIS, TICK_TEXT = 196, 220
WIDEST_BAR = 34.0
MOST_TICKS, FEW_TICKS = 14, 6
"""Ticks with a number on a wide window, and on a narrow one."""

LEAST_SHARE = 0.001


def chart_values(sides: Sequence[ScoredSide]) -> dict[str, Any]:
    """Return what ``compare.html`` draws: a row of bars for each scan.

    The axis has a place for every tenth that either scan or a repeat of it scores, so
    that what is above another in the picture is the same score.

    Parameters
    ----------
    sides : sequence of ScoredSide
    """
    shares = [_shares(side) for side in sides]
    scores = [round(10 * side.tbsa) for side in sides]
    drawn = [*scores, *(tenths for each in shares for tenths in each)]
    low, high = min(drawn), max(drawn)
    step = (RIGHT - LEFT) / (high - low + 1)
    tallest = max((share for each in shares for share in each.values()), default=1.0)
    rows = [
        _row(side, found, low, step, baseline, tallest)
        for side, found, baseline in zip(sides, shares, BASELINES, strict=True)
    ]
    described = "; ".join(
        f"{side.label}: TBSA {wording.tbsa_text(side.tbsa)}, {side.range_text}"
        for side in sides
    )
    return {
        "rows": rows,
        "ticks": _ticks(low, high, step),
        "left": LEFT,
        "right": RIGHT,
        "axis": AXIS,
        "tick_text": TICK_TEXT,
        "label": f"What repeats of both scans would score, on one axis. {described}",
    }


def _shares(side: ScoredSide) -> Mapping[int, float]:
    """Shares worth drawing, by score in tenths."""
    if isinstance(side.repeat, Unavailable):
        return {}
    return {
        round(10 * tbsa): share
        for tbsa, share in side.repeat.probabilities
        if share >= LEAST_SHARE
    }


def _row(
    side: ScoredSide,
    shares: Mapping[int, float],
    low: int,
    step: float,
    baseline: int,
    tallest: float,
) -> dict[str, Any]:
    width = min(WIDEST_BAR, 0.8 * step)
    ends = (0, 0)
    if not isinstance(side.repeat, Unavailable):
        first, last = side.repeat.prediction_interval
        ends = round(10 * first), round(10 * last)
    bars = []
    for tenths, share in sorted(shares.items()):
        height = max(1.0, round(TALLEST * share / tallest, 1))
        bars.append(
            {
                "x": round(_place(tenths, low, step) - width / 2, 1),
                "y": round(baseline - height, 1),
                "width": round(width, 1),
                "height": height,
                "inside": ends[0] <= tenths <= ends[1],
                "title": f"{wording.tbsa_text(tenths / 10)}:"
                f" {wording.whole_percentage(share)}",
            }
        )
    tbsa = side.tbsa
    return {
        "label": side.label,
        "tbsa": wording.tbsa_text(tbsa),
        "whole": int(tbsa),
        "at": _place(round(10 * tbsa), low, step),
        "baseline": baseline,
        "bars": bars,
    }


def _place(tenths: int, low: int, step: float) -> float:
    return round(LEFT + (tenths - low + 0.5) * step, 1)


def _ticks(low: int, high: int, step: float) -> list[dict[str, Any]]:
    count = high - low + 1
    every, wide = -(-count // MOST_TICKS), -(-count // FEW_TICKS)
    # what a narrow window shows is part of what a wide one shows
    wide = -(-wide // every) * every
    return [
        {
            "x": _place(tenths, low, step),
            "text": wording.tbsa_text(tenths / 10),
            "is_between": (tenths - low) % wide != 0,
        }
        for tenths in range(low, high + 1, every)
    ]
