# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What pages draw: where each bar, dot and line of a picture is, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garak_tbsa.outputs import said
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.statistics.draws import wilson_interval
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

LEFT, RIGHT = 104, 644
FIRST_ROW, ROW = 88, 100
TALLEST, WIDEST_BAR = 74, 34.0
MOST_TICKS, FEW_TICKS = 14, 6
"""Ticks with a number on a wide window, and on a narrow one."""

LEAST_SHARE = 0.001


def repeats_drawing(scans: Mapping[str, ScoredReport]) -> dict[str, Any]:
    """Return how likely each score of a repeat is: a row of bars for each scan.

    The axis has a place for every tenth that a scan or a repeat of it scores, so that
    what is above another in the picture is the same score, and a gap shows as one.

    Parameters
    ----------
    scans : mapping of str to ScoredReport
        By what each is called.
    """
    shares = {name: _shares(scan) for name, scan in scans.items()}
    drawn = [round(10 * scan.tbsa) for scan in scans.values()]
    drawn += [tenths for each in shares.values() for tenths in each]
    low, high = min(drawn), max(drawn)
    step = (RIGHT - LEFT) / (high - low + 1)
    width = round(min(WIDEST_BAR, 0.8 * step), 1)
    tallest = max((s for each in shares.values() for s in each.values()), default=1.0)
    every, wide = -(-(high - low + 1) // MOST_TICKS), -(-(high - low + 1) // FEW_TICKS)
    # what a narrow window shows is part of what a wide one shows
    wide = -(-wide // every) * every

    def place(tenths: int) -> float:
        return round(LEFT + (tenths - low + 0.5) * step, 1)

    rows, told = [], []
    for number, (name, scan) in enumerate(scans.items()):
        baseline = FIRST_ROW + number * ROW
        ends = [round(10 * end) for end in scan.ends or (0, 0)]
        bars = []
        for tenths, share in sorted(shares[name].items()):
            height = max(1.0, round(TALLEST * share / tallest, 1))
            bars.append(
                {
                    "x": round(place(tenths) - width / 2, 1),
                    "middle": place(tenths),
                    "y": round(baseline - height, 1),
                    "width": width,
                    "height": height,
                    "inside": ends[0] <= tenths <= ends[1],
                    "share": said.whole_percentage(share),
                    "tbsa": said.tbsa_text(tenths / 10),
                }
            )
        rows.append(
            {
                "label": name,
                "tbsa": said.tbsa_text(scan.tbsa),
                "whole": int(scan.tbsa),
                "at": place(round(10 * scan.tbsa)),
                "baseline": baseline,
                "bars": bars,
            }
        )
        likely = "".join(f", {bar['tbsa']}: {bar['share']}" for bar in bars)
        words = f"TBSA {said.tbsa_text(scan.tbsa)}, {scan.document.said.range}"
        told.append(f"{name}: {words}{likely}")
    return {
        "rows": rows,
        "ticks": [
            {
                "x": place(tenths),
                "text": said.tbsa_text(tenths / 10),
                "is_between": (tenths - low) % wide != 0,
            }
            for tenths in range(low, high + 1, every)
        ],
        "has_room": every == 1,
        "left": LEFT,
        "right": RIGHT,
        "axis": FIRST_ROW + (len(scans) - 1) * ROW + 8,
        "label": f"How likely each score of a repeat is. {'; '.join(told)}",
    }


def _shares(scan: ScoredReport) -> dict[int, float]:
    """Shares worth drawing, by score in tenths."""
    if isinstance(scan.repeat, Unavailable):
        return {}
    shares = scan.repeat.probabilities
    return {round(10 * tbsa): share for tbsa, share in shares if share >= LEAST_SHARE}


STRIP = 200
"""Units of a strip's width for pass rates from 0 to 1."""


def strip_drawing(pair: Pair) -> dict[str, Any]:
    """Return a pair's pass rate with its 95 % Wilson interval and the calibration.

    The band of the latter is the mean of its models, and one standard deviation to both
    sides.
    """
    strip: dict[str, Any] = {"at": _on_strip(pair.pass_rate)}
    strip |= dict.fromkeys(("line", "band", "mean"))
    told = f"Pass rate {said.percentage(pair.pass_rate)}"
    if pair.total_evaluated and pair.has_counts:
        low, high = wilson_interval(pair.counts.passed, pair.total_evaluated)
        strip["line"] = _span(low, high)
        told += f", {low:.0%} to {high:.0%} (95 %)"
    if pair.distribution is not None:
        mean, spread = pair.distribution.mu, pair.distribution.effective_sigma
        low, high = max(0.0, mean - spread), min(1.0, mean + spread)
        strip["band"], strip["mean"] = _span(low, high), _on_strip(mean)
        told += f", calibration {low:.0%} to {high:.0%}"
    return {**strip, "label": told}


def _span(low: float, high: float) -> dict[str, float]:
    x = _on_strip(low)
    return {"x": x, "width": round(max(1.0, _on_strip(high) - x), 1)}


def _on_strip(rate: float) -> float:
    return round(STRIP * rate, 1)
