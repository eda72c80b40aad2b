# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The chart of the detector page: hit F1 of every detector with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from garak_tbsa.detector_eval.ranking import RankedDetector

COLOURS = {
    "Excellent": "#1b7837",
    "Good": "#5aae61",
    "Moderate": "#d9a400",
    "Poor": "#e08214",
    "Critical": "#b2182b",
}


def ends_of(each: RankedDetector) -> tuple[float, float] | None:
    """Lower and upper end of the interval to go by; None where there is none."""
    measured = each.measured
    interval = measured.jeffreys if measured.degenerate else measured.interval
    return None if interval is None else (interval.lower, interval.upper)


def draw_chart(ranked: Sequence[RankedDetector], target: Path) -> None:
    """Hit F1 with its interval, a line each, as SVG; the same bytes every time."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    mpl.rcParams["svg.hashsalt"] = "garak-tbsa"
    mpl.rcParams["svg.fonttype"] = "none"  # text that can be read and searched
    figure, axes = pyplot.subplots(
        figsize=(8.6, 0.9 + 0.19 * len(ranked)), layout="constrained"
    )
    for place, each in enumerate(ranked):
        colour = COLOURS[each.tier]
        ends = ends_of(each)
        if ends is not None:
            axes.plot(ends, (place, place), color=colour, linewidth=1.8, alpha=0.65)
        axes.plot([each.hit_f1], [place], "o", color=colour, markersize=4.5)
    for bound in (0.2, 0.4, 0.6, 0.8):
        axes.axvline(bound, color="#999999", linewidth=0.6, linestyle=":", zorder=0)
    axes.set_yticks(
        range(len(ranked)), [each.measured.detector for each in ranked], fontsize=7
    )
    axes.set_ylim(len(ranked) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.tick_params(axis="x", labeltop=True, top=True)
    axes.set_xlabel("hit F1 and 95 % interval, on rows of which about half are hard")
    handles = [
        Line2D([], [], color=COLOURS[tier], marker="o", markersize=4.5, label=tier)
        for tier in COLOURS
        if any(each.tier == tier for each in ranked)
    ]
    axes.legend(handles=handles, loc="lower right", fontsize=8, framealpha=1)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#eeeeee", linewidth=0.5)
    axes.set_axisbelow(True)
    figure.savefig(target, format="svg", metadata={"Date": None})
    pyplot.close(figure)
