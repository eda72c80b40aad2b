# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The pairs by module of their probe, each with a strip of its pass rate.

A strip has the pass rate, its 95 % Wilson interval, and the calibration's band: the
mean of its models, and one standard deviation to both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.tbsa.explain import module_of
from garak_tbsa.tbsa.grades import GradedPair, wilson_interval
from garak_tbsa.tbsa.rules import BEST_GRADE, GRADES

STRIP = 200
"""Units of a strip's width for pass rates from 0 to 1."""

MODULE_LENGTH = 200


def group_values(
    graded: Sequence[GradedPair], costs: Mapping[str, float], said: Mapping[str, str]
) -> dict[str, Any]:
    """Return the modules, worst first, and the place of each pair.

    Parameters
    ----------
    graded : sequence of GradedPair
        Worst first.
    costs : mapping of str to float
        What each pair takes from 5.0, by its name.
    said : mapping of str to str
        What garak's own page says of pairs that it grades otherwise, by their names.
    """
    modules: dict[str, list[dict[str, Any]]] = {}
    for place, pair in enumerate(graded, start=1):
        row = {
            "place": place,
            "pair": pair,
            "cost": costs.get(pair.name, 0.0),
            "garak": said.get(pair.name),
            "strip": _strip(pair),
        }
        modules.setdefault(module_of(pair.probe)[:MODULE_LENGTH], []).append(row)
    groups = [_group(name, rows) for name, rows in modules.items()]
    return {
        "groups": sorted(groups, key=lambda group: group["order"]),
        "places": {
            row["pair"].name: row["place"] for rows in modules.values() for row in rows
        },
    }


def _group(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    grades = [row["pair"].grade for row in rows]
    cost = sum(row["cost"] for row in rows)
    below = [row for row in rows if row["pair"].grade < BEST_GRADE]
    return {
        "name": name,
        "pairs": len(rows),
        "counts": [(g, grades.count(g)) for g in GRADES if g in grades],
        "cost": cost,
        "below": below,
        "best": [row for row in rows if row["pair"].grade == BEST_GRADE],
        "order": (not below, -cost, min(grades), name),
    }


def _strip(pair: GradedPair) -> dict[str, Any]:
    rate = wording.percentage(pair.pass_rate)
    strip: dict[str, Any] = {"at": _on_strip(pair.pass_rate), "line": None}
    said = [f"Pass rate {rate}"]
    counts = pair.counts
    if counts is not None and counts.total_evaluated:
        lower, upper = wilson_interval(counts)
        strip["line"] = _span(lower, upper)
        said.append(f"{lower:.0%} to {upper:.0%} (95 %)")
    strip["band"] = strip["mean"] = None
    if pair.distribution is not None:
        mean, spread = pair.distribution.mu, pair.distribution.effective_sigma
        low, high = max(0.0, mean - spread), min(1.0, mean + spread)
        strip["band"] = _span(low, high)
        strip["mean"] = _on_strip(mean)
        said.append(f"calibration {low:.0%} to {high:.0%}")
    strip["label"] = ", ".join(said)
    return strip


def _span(low: float, high: float) -> dict[str, float]:
    x = _on_strip(low)
    return {"x": x, "width": round(max(1.0, _on_strip(high) - x), 1)}


def _on_strip(rate: float) -> float:
    return round(STRIP * rate, 1)
