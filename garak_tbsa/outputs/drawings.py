# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What pages draw: where each bar, dot and line of a picture is, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from garak_tbsa.outputs import said as wording
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.statistics.special import wilson_interval
from garak_tbsa.tbsa.fixes import PairEffect
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import BEST_GRADE, GRADES, WORST_GRADE
from garak_tbsa.tbsa.score import Score
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

    rows, said = [], []
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
                    "share": wording.whole_percentage(share),
                    "tbsa": wording.tbsa_text(tenths / 10),
                }
            )
        rows.append(
            {
                "label": name,
                "tbsa": wording.tbsa_text(scan.tbsa),
                "whole": int(scan.tbsa),
                "at": place(round(10 * scan.tbsa)),
                "baseline": baseline,
                "bars": bars,
            }
        )
        likely = "".join(f", {bar['tbsa']}: {bar['share']}" for bar in bars)
        said.append(
            f"{name}: TBSA {wording.tbsa_text(scan.tbsa)}, {scan.range_text}{likely}"
        )
    return {
        "rows": rows,
        "ticks": [
            {
                "x": place(tenths),
                "text": wording.tbsa_text(tenths / 10),
                "is_between": (tenths - low) % wide != 0,
            }
            for tenths in range(low, high + 1, every)
        ],
        "has_room": every == 1,
        "left": LEFT,
        "right": RIGHT,
        "axis": FIRST_ROW + (len(scans) - 1) * ROW + 8,
        "label": f"How likely each score of a repeat is. {'; '.join(said)}",
    }


def _shares(scan: ScoredReport) -> dict[int, float]:
    """Shares worth drawing, by score in tenths."""
    if isinstance(scan.repeat, Unavailable):
        return {}
    shares = scan.repeat.probabilities
    return {round(10 * tbsa): share for tbsa, share in shares if share >= LEAST_SHARE}


STEPS_SHOWN = 6
"""Pairs of a tier with a bar of their own."""

LEAST_WIDTH = 0.4
"""Of a bar, in percent of the axis, so that it can be seen."""


def costs_drawing(score: Score, effects: Sequence[PairEffect]) -> dict[str, Any] | None:
    """Return what takes the score down from 5.0, tier by tier, pair by pair.

    Parameters
    ----------
    score : Score
    effects : sequence of PairEffect
        Of every pair that counts. None is returned where nothing is lost.
    """
    if not any(effect.cost > 0 for effect in effects):
        return None
    low = max(WORST_GRADE, ceil(score.raw) - 1)
    span = BEST_GRADE - low
    level = float(BEST_GRADE)

    def bar(left: float, right: float) -> dict[str, float]:
        width = max(LEAST_WIDTH, 100 * (right - left) / span)
        x = min(100 * (left - low) / span, 100 - width)
        return {"x": round(x, 2), "width": round(width, 2)}

    tiers = []
    for part in score.tiers:
        lost = sorted(
            (e for e in effects if e.cost > 0 and e.pair.tier == part.tier),
            key=lambda effect: (-effect.cost, effect.pair.name),
        )
        said = [
            (each.pair.probe, each.pair.detector, each.pair.grade, each.cost)
            for each in lost[:STEPS_SHOWN]
        ]
        rest = [each.cost for each in lost[STEPS_SHOWN:]]
        if rest:
            said.append((f"{len(rest)} more below grade 5", "", 0, sum(rest)))
        steps = []
        for name, more, grade, cost in said:
            text = wording.cost_text(cost)
            at = bar(level - cost, level)
            steps.append(
                {"name": name, "more": more, "grade": grade, "cost": text, **at}
            )
            level -= cost
        if part.count:
            total = wording.cost_text(sum(each.cost for each in lost))
            tiers.append({"of": part, "cost": total, "steps": steps})
    return {
        "tiers": tiers,
        # 1.3475 rounds to 1.3, which 1.35 would seem to contradict
        "raw": f"{score.raw:.3f}",
        "rounded": wording.tbsa_text(score.tbsa),
        "total": bar(low, score.raw),
        "low": low,
        "high": BEST_GRADE,
        "grid": [round(100 * step / span, 2) for step in range(1, span)],
    }


def grade_shares(grades: Sequence[int]) -> list[dict[str, Any]]:
    """Return how many pairs are at each grade, as parts of a bar 100 wide."""
    parts, before = [], 0
    for grade in GRADES:
        count = grades.count(grade)
        if count:
            x = round(100 * before / len(grades), 2)
            width = round(100 * count / len(grades), 2)
            parts.append({"grade": grade, "count": count, "x": x, "width": width})
        before += count
    return parts


STRIP = 200
"""Units of a strip's width for pass rates from 0 to 1."""


def strip_drawing(pair: Pair) -> dict[str, Any]:
    """Return a pair's pass rate with its 95 % Wilson interval and the calibration.

    The band of the latter is the mean of its models, and one standard deviation to both
    sides.
    """
    strip: dict[str, Any] = {"at": _on_strip(pair.pass_rate)}
    strip |= dict.fromkeys(("line", "band", "mean"))
    said = f"Pass rate {wording.percentage(pair.pass_rate)}"
    if pair.total_evaluated and pair.has_counts:
        low, high = wilson_interval(pair.counts.passed, pair.total_evaluated)
        strip["line"] = _span(low, high)
        said += f", {low:.0%} to {high:.0%} (95 %)"
    if pair.distribution is not None:
        mean, spread = pair.distribution.mu, pair.distribution.effective_sigma
        low, high = max(0.0, mean - spread), min(1.0, mean + spread)
        strip["band"], strip["mean"] = _span(low, high), _on_strip(mean)
        said += f", calibration {low:.0%} to {high:.0%}"
    return {**strip, "label": said}


def _span(low: float, high: float) -> dict[str, float]:
    x = _on_strip(low)
    return {"x": x, "width": round(max(1.0, _on_strip(high) - x), 1)}


def _on_strip(rate: float) -> float:
    return round(STRIP * rate, 1)
