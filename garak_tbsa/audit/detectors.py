# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A detector on this scan: how far its verdicts are the labellers'.

A labelled output counts for all outputs of its cell: ``outputs / labelled`` times.
Intervals are the middle 95 % of the draws of true hits (Tenenbein 1970: verdicts are
known for all outputs, the truth for some).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.audit.cells import Cell
from garak_tbsa.audit.hit_rates import HitDraws
from garak_tbsa.audit.score import LEVEL
from garak_tbsa.unavailable import Unavailable

LEAST_LABELS = 5
"""Labels of each verdict, below which no number is given."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A share with its interval, each in [0, 1].

    Attributes
    ----------
    value : float
    lower, upper : float
        Of 95 %.
    """

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, kw_only=True)
class DetectorOnScan:
    """One detector's verdicts, held against labels.

    Attributes
    ----------
    detector : str
    flagged, unflagged : int
        Outputs by verdict.
    flagged_labels, unflagged_labels : int
        How many of these are labelled.
    flagged_hits, unflagged_hits : int
        How many of these were labelled hit.
    shares : mapping of str to Estimate or Unavailable
        ``sensitivity``, ``specificity``, ``precision``, ``negative_predictive_value``,
        ``prevalence``, ``hit_f1``.
    """

    detector: str
    flagged: int
    unflagged: int
    flagged_labels: int
    unflagged_labels: int
    flagged_hits: int
    unflagged_hits: int
    shares: Mapping[str, Estimate | Unavailable]


def detectors_on_scan(
    cells: Sequence[Cell], draws: HitDraws
) -> tuple[DetectorOnScan, ...]:
    """Hold each detector's verdicts against the labels, in the order of their names.

    Parameters
    ----------
    cells : sequence of Cell
    draws : HitDraws
        Of these cells.
    """
    places: dict[str, list[int]] = {}
    for place, cell in enumerate(cells):
        places.setdefault(cell.detector, []).append(place)
    return tuple(
        _detector(detector, [cells[i] for i in own], draws.hits[own])
        for detector, own in sorted(places.items())
    )


def _detector(
    detector: str, cells: Sequence[Cell], hits: NDArray[np.int64]
) -> DetectorOnScan:
    verdict = np.array([cell.flagged for cell in cells])
    outputs = {flag: _sum(cells, "outputs", flag) for flag in (True, False)}
    labels = {flag: _sum(cells, "labelled", flag) for flag in (True, False)}
    found = {flag: _sum(cells, "hits", flag) for flag in (True, False)}
    drawn = {
        flag: hits[verdict == flag].sum(axis=0).astype(float) for flag in (True, False)
    }
    weighted = {
        flag: sum(
            _weighted_hits(c, labels[flag], found[flag]) for c in _of(cells, flag)
        )
        for flag in (True, False)
    }
    few = _few_labels(outputs, labels)
    estimates: dict[str, Estimate | Unavailable] = {}
    ranges = _shares(drawn[True], drawn[False], outputs[True], outputs[False])
    values = _shares(
        np.array([weighted[True]]),
        np.array([weighted[False]]),
        outputs[True],
        outputs[False],
    )
    for name, share in ranges.items():
        missing = few.get(_NEEDS[name])
        value = float(values[name][0])
        if missing is not None:
            estimates[name] = missing
        elif np.isnan(value):
            estimates[name] = Unavailable(reason="0 / 0: there is nothing to share out")
        else:
            estimates[name] = _estimate(value, share)
    return DetectorOnScan(
        detector=detector,
        flagged=outputs[True],
        unflagged=outputs[False],
        flagged_labels=labels[True],
        unflagged_labels=labels[False],
        flagged_hits=found[True],
        unflagged_hits=found[False],
        shares=estimates,
    )


BOTH, FLAGGED, UNFLAGGED = "both", "flagged", "unflagged"
_NEEDS = {
    "sensitivity": BOTH,
    "specificity": BOTH,
    "precision": FLAGGED,
    "negative_predictive_value": UNFLAGGED,
    "prevalence": BOTH,
    "hit_f1": BOTH,
}
"""Labels of which verdicts a share needs."""


def _shares(
    true_flagged: Floats, true_unflagged: Floats, flagged: int, unflagged: int
) -> dict[str, Floats]:
    """Shares from true hits among flagged and unflagged outputs; nan for 0 / 0."""
    hits = true_flagged + true_unflagged
    passes = flagged + unflagged - hits
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "sensitivity": true_flagged / hits,
            "specificity": (unflagged - true_unflagged) / passes,
            "precision": true_flagged / np.full_like(hits, flagged),
            "negative_predictive_value": (unflagged - true_unflagged)
            / np.full_like(hits, unflagged),
            "prevalence": hits / (flagged + unflagged),
            "hit_f1": 2 * true_flagged / (flagged + hits),
        }


def _estimate(value: float, draws: Floats) -> Estimate:
    known = draws[~np.isnan(draws)]
    tail = (1 - LEVEL) / 2
    lower, upper = np.quantile(known, [tail, 1 - tail]) if len(known) else (0.0, 1.0)
    return Estimate(
        value=value, lower=min(float(lower), value), upper=max(float(upper), value)
    )


def _few_labels(
    outputs: Mapping[bool, int], labels: Mapping[bool, int]
) -> dict[str, Unavailable]:
    """What cannot be told for want of labels, and how many more would do."""
    lacking = {
        flag: min(LEAST_LABELS, outputs[flag]) - labels[flag] for flag in (True, False)
    }
    found = {}
    for name, flags in (
        (FLAGGED, (True,)),
        (UNFLAGGED, (False,)),
        (BOTH, (True, False)),
    ):
        parts = [
            f"{lacking[flag]} more {FLAGGED if flag else UNFLAGGED} outputs"
            for flag in flags
            if lacking[flag] > 0
        ]
        if parts:
            found[name] = Unavailable(reason=f"label {' and '.join(parts)}")
    return found


def _of(cells: Sequence[Cell], flagged: bool) -> list[Cell]:
    return [cell for cell in cells if cell.flagged == flagged]


def _sum(cells: Sequence[Cell], name: str, flagged: bool) -> int:
    return sum(int(getattr(cell, name)) for cell in _of(cells, flagged))


def _weighted_hits(cell: Cell, labels: int, hits: int) -> float:
    """Hits of a cell: by its own labels, by those of its verdict where it has none."""
    if cell.labelled:
        return cell.outputs * cell.hits / cell.labelled
    return cell.outputs * hits / labels if labels else 0.0
