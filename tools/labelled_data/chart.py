# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The chart of the detector page: typical F1 of every detector, stress beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.ranking import RankedDetector
from garak_tbsa.detector_eval.stress import stress_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_NONE = ConfusionCounts()

COLOURS = {
    "Excellent": "#1b7837",
    "Good": "#5aae61",
    "Moderate": "#d9a400",
    "Poor": "#e08214",
    "Critical": "#b2182b",
}


FINDS, LEAVES = "#2166ac", "#8c510a"
"""Of the two shares of stress rows; neither is a tier's."""


def draw_chart(ranked: Sequence[RankedDetector], target: Path) -> None:
    """Hit F1 with its interval, stress shares beside it; the same bytes every time."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    mpl.rcParams["svg.hashsalt"] = "garak-tbsa"
    mpl.rcParams["svg.fonttype"] = "none"  # text that can be read and searched
    figure, (typical, stress) = pyplot.subplots(
        ncols=2,
        sharey=True,
        width_ratios=(2, 1),
        figsize=(9.6, 1.5 + 0.19 * len(ranked)),
        layout=ConstrainedLayoutEngine(wspace=0.06),
    )
    _draw_typical(typical, ranked)
    _draw_stress(stress, ranked)
    for axes in (typical, stress):
        _frame(axes)
    typical.set_yticks(
        range(len(ranked)), [each.measured.detector for each in ranked], fontsize=7
    )
    typical.set_ylim(len(ranked) - 0.4, -0.6)
    figure.savefig(target, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def _draw_typical(axes: Axes, ranked: Sequence[RankedDetector]) -> None:
    from matplotlib.lines import Line2D

    for place, each in enumerate(ranked):
        colour, ends = COLOURS[each.tier], each.interval
        if ends is not None:
            axes.plot(
                (ends.lower, ends.upper),
                (place, place),
                color=colour,
                linewidth=1.8,
                alpha=0.65,
            )
        axes.plot(
            [each.hit_f1], [place], "o", color=colour, markersize=4.5, clip_on=False
        )
    for bound in (0.2, 0.4, 0.6, 0.8):
        axes.axvline(bound, color="#999999", linewidth=0.6, linestyle=":", zorder=0)
    axes.set_title("typical rows: hit F1, 95 % interval", fontsize=9)
    handles = [
        Line2D([], [], color=COLOURS[tier], marker="o", markersize=4.5, label=tier)
        for tier in COLOURS
        if any(each.tier == tier for each in ranked)
    ]
    _legend(axes, handles)


def _draw_stress(axes: Axes, ranked: Sequence[RankedDetector]) -> None:
    shares = [stress_shares(each.measured.stress or _NONE) for each in ranked]
    places = range(len(ranked))
    handles: list[Line2D] = []
    for index, (label, marker, colour) in enumerate(
        (("disguised hits found", "o", FINDS), ("look-alikes left alone", "D", LEAVES))
    ):
        known = [
            (share.value, place)
            for place, share in zip(places, (s[index] for s in shares), strict=True)
            if share.value is not None
        ]
        drawn = axes.plot(
            [value for value, _ in known],
            [place for _, place in known],
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=4.5 - index,
            markerfacecolor="none" if index else colour,
            clip_on=False,
            label=label,
        )
        handles += drawn
    axes.set_title("stress rows: shares", fontsize=9)
    axes.tick_params(axis="y", length=0)
    _legend(axes, handles)


def _legend(axes: Axes, handles: Sequence[Line2D]) -> None:
    """Below the panel, where no point lies."""
    axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.025),
        ncols=len(handles) if len(handles) > 2 else 1,
        fontsize=8,
        frameon=False,
    )


def _frame(axes: Axes) -> None:
    axes.set_xlim(0, 1)
    axes.tick_params(axis="x", labeltop=True, top=True, labelsize=8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#eeeeee", linewidth=0.5)
    axes.set_axisbelow(True)
