# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What takes the score down from 5.0, tier by tier and pair by pair, as a waterfall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.tbsa.explain import PairEffect
from garak_tbsa.tbsa.rules import BEST_GRADE, WORST_GRADE
from garak_tbsa.tbsa.score import Score, TierSum

STEPS_SHOWN = 6
"""Pairs of a tier with a bar of their own."""

LEAST_WIDTH = 0.4
"""Of a bar, in percent of the axis, so that it can be seen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Axis:
    """From a whole number below the score to 5.0."""

    low: int

    def bar(self, left: float, right: float) -> dict[str, float]:
        """Return where a bar begins and how wide it is, in percent."""
        span = BEST_GRADE - self.low
        width = max(LEAST_WIDTH, 100 * (right - left) / span)
        x = min(100 * (left - self.low) / span, 100 - width)
        return {"x": round(x, 2), "width": round(width, 2)}

    @property
    def grid(self) -> list[float]:
        """Where the whole numbers between its ends are, in percent."""
        span = BEST_GRADE - self.low
        return [round(100 * step / span, 2) for step in range(1, span)]


def costs_values(score: Score, effects: Sequence[PairEffect]) -> dict[str, Any] | None:
    """Return the waterfall, None where nothing is lost.

    Parameters
    ----------
    score : Score
    effects : sequence of PairEffect
        Of every pair that counts.
    """
    lost = [effect for effect in effects if effect.cost > 0]
    if not lost:
        return None
    axis = _Axis(low=max(WORST_GRADE, ceil(score.raw) - 1))
    level = float(BEST_GRADE)
    tiers = []
    for part in score.tiers:
        if part.count:
            own = [effect for effect in lost if effect.pair.tier == part.tier]
            tiers.append(_tier(part, own, level, axis))
            level -= sum(effect.cost for effect in own)
    return {
        "tiers": tiers,
        # 1.3475 rounds to 1.3, which 1.35 would seem to contradict
        "raw": f"{score.raw:.3f}",
        "rounded": wording.tbsa_text(score.tbsa),
        "whole": int(score.tbsa),
        "total": axis.bar(axis.low, score.raw),
        "low": axis.low,
        "high": BEST_GRADE,
        "grid": axis.grid,
    }


def _tier(
    part: TierSum, effects: Sequence[PairEffect], level: float, axis: _Axis
) -> dict[str, Any]:
    ordered = sorted(effects, key=lambda effect: (-effect.cost, effect.pair.name))
    steps = []
    for effect in ordered[:STEPS_SHOWN]:
        after = level - effect.cost
        steps.append(
            {
                "name": effect.pair.probe,
                "more": effect.pair.detector,
                "grade": effect.pair.grade,
                "cost": wording.cost_text(effect.cost),
                **axis.bar(after, level),
            }
        )
        level = after
    rest = ordered[STEPS_SHOWN:]
    if rest:
        cost = sum(effect.cost for effect in rest)
        steps.append(
            {
                "name": f"{len(rest)} more below grade 5",
                "more": "",
                "grade": 0,
                "cost": wording.cost_text(cost),
                **axis.bar(level - cost, level),
            }
        )
    return {
        "number": part.tier,
        "pairs": wording.pairs_text(part.count),
        "weight": wording.times_text(part.weight),
        "cost": wording.cost_text(sum(effect.cost for effect in effects)),
        "steps": steps,
    }
