# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of the scan would score, as a chart of bars."""

from __future__ import annotations

from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.unavailable import Unavailable

BAR_STEP = 44
BAR_HEIGHT = 96
LEAST_SHARE = 0.001


def repeat_chart(
    repeat: RepeatDistribution | Unavailable,
) -> dict[str, Any]:
    """Return the bars of each score that a repeat may have; none without interval."""
    if isinstance(repeat, Unavailable):
        return {"bars": [], "chart_width": 0, "chart_label": ""}
    low, high = repeat.prediction_interval
    shares = {round(10 * tbsa): share for tbsa, share in repeat.probabilities}
    likely = [tenths for tenths, share in shares.items() if share >= LEAST_SHARE]
    largest = max(shares.values())
    bars = []
    # every tenth has its place, so that a gap shows as one
    for index, tenths in enumerate(range(min(likely), max(likely) + 1)):
        tbsa, share = tenths / 10, shares.get(tenths, 0.0)
        height = round(BAR_HEIGHT * share / largest)
        bars.append(
            {
                "x": index * BAR_STEP + 7,
                "y": 120 - height,
                "height": height,
                "tbsa": wording.tbsa_text(tbsa),
                "share": wording.whole_percentage(share),
                "inside": low <= tbsa <= high,
            }
        )
    described = ", ".join(f"{bar['tbsa']}: {bar['share']}" for bar in bars)
    return {
        "bars": bars,
        "chart_width": len(bars) * BAR_STEP,
        "chart_label": f"Probability of each score of a repeat: {described}",
    }
