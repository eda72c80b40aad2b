# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Counts of a detector's labelled outputs by stratum -> its metrics on the whole scan.

As in ``detectors``, with what the detector says now in place of what it said in the
scan. Where the two differ on labelled outputs, the share of outputs on which they do
is drawn too: Beta(d + 1/2, m - d + 1/2) for d of m of a verdict and truth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.detector_eval.intervals import DECIMALS, Interval
from garak_tbsa.detector_eval.metrics import DetectorResult, StratumCounts
from garak_tbsa.detector_eval.on_scan import YOUDEN, OnScan
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.labels.detector_hits import JEFFREYS, draw_group
from garak_tbsa.labels.detectors import estimate_of, few_labels, shares_of
from garak_tbsa.labels.score import DRAWS
from garak_tbsa.labels.strata import Stratum
from garak_tbsa.unavailable import Unavailable

Floats = NDArray[np.float64]

METRICS = {
    "accuracy": "accuracy",
    "hit_precision": "precision",
    "hit_recall": "sensitivity",
    "hit_f1": "hit_f1",
    "hit_sensitivity": "sensitivity",
    "hit_specificity": "specificity",
    "pass_precision": "negative_predictive_value",
    "pass_recall": "specificity",
    "pass_f1": "pass_f1",
    YOUDEN: "youden",
}
"""The summary's metrics, by what they are called on a scan."""

NO_PREDICTIONS = ("hit_precision", "pass_precision")
"""0.0 where nothing was predicted, as in every summary."""


def measured_on_scan(
    result: DetectorResult, *, seed: int = 42, confidence: float = 0.95
) -> OnScan | Unavailable | None:
    """Say what labels make of a detector on the scan that they were drawn from.

    Parameters
    ----------
    result : DetectorResult
    seed : int
    confidence : float
        Of the intervals, in (0, 1).

    Returns
    -------
    OnScan, Unavailable or None
        Unavailable where too few outputs of a verdict are labelled; None for rows that
        were not drawn from a scan.
    """
    if not result.strata or result.reason is not None:
        return None
    flagged = [stratum for stratum in result.strata if stratum.flagged]
    unflagged = [stratum for stratum in result.strata if not stratum.flagged]
    outputs = {True: _outputs(flagged), False: _outputs(unflagged)}
    labels = {True: _labels(flagged), False: _labels(unflagged)}
    few = few_labels(outputs, labels)
    if few is not None:
        return few
    changed = _changed(flagged) + _changed(unflagged)
    rng = generator_for(seed, result.detector, "on scan")
    groups = [
        _group(strata, outputs[verdict], may_change=bool(changed), rng=rng)
        for verdict, strata in ((True, flagged), (False, unflagged))
    ]
    tp, fp, fn, tn = (first + second for first, second in zip(*groups, strict=True))
    shares = shares_of(tp, fp, fn, tn)
    # without a hit there is no recall, and so no F1
    shares["hit_f1"][tp + fn <= 0] = np.nan
    shares["pass_f1"][tn + fp <= 0] = np.nan
    shares["youden"] = shares["sensitivity"] + shares["specificity"] - 1
    values: dict[str, float | None] = {}
    intervals: dict[str, Interval] = {}
    for name, share in METRICS.items():
        found = estimate_of(shares[share], confidence)
        if found is not None:
            lower, upper = round(found.lower, DECIMALS), round(found.upper, DECIMALS)
            intervals[name] = Interval(lower=lower, upper=upper)
        if name == YOUDEN:
            continue
        values[name] = 0.0 if name in NO_PREDICTIONS else None
        if found is not None:
            values[name] = min(max(round(found.value, DECIMALS), lower), upper)
    return OnScan(
        outputs=sum(outputs.values()),
        flagged=outputs[True],
        changed=changed,
        values=values,
        intervals=intervals,
    )


def _outputs(strata: Sequence[StratumCounts]) -> int:
    return sum(stratum.outputs for stratum in strata)


def _labels(strata: Sequence[StratumCounts]) -> int:
    return sum(stratum.counts.scored for stratum in strata)


def _changed(strata: Sequence[StratumCounts]) -> int:
    """Labelled outputs that the detector now judges otherwise."""
    return sum(
        stratum.counts.fn + stratum.counts.tn
        if stratum.flagged
        else stratum.counts.tp + stratum.counts.fp
        for stratum in strata
    )


def _group(
    strata: Sequence[StratumCounts],
    outputs: int,
    *,
    may_change: bool,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Draws of true and false positives, false and true negatives of one verdict."""
    hits = draw_group([_stratum(stratum) for stratum in strata], DRAWS, rng)
    passes = outputs - hits
    positive = [
        whole
        * _share_positive(
            sum(getattr(stratum.counts, yes) for stratum in strata),
            sum(getattr(stratum.counts, no) for stratum in strata),
            flagged=bool(strata) and strata[0].flagged,
            may_change=may_change,
            rng=rng,
        )
        for whole, yes, no in ((hits, "tp", "fn"), (passes, "fp", "tn"))
    ]
    return positive[0], positive[1], hits - positive[0], passes - positive[1]


def _stratum(stratum: StratumCounts) -> Stratum:
    found = Stratum(
        pair=0, detector="", flagged=stratum.flagged, outputs=stratum.outputs
    )
    return found.with_labels(stratum.counts.scored, stratum.counts.hits)


def _share_positive(
    yes: int, no: int, *, flagged: bool, may_change: bool, rng: np.random.Generator
) -> Floats | float:
    """Share of outputs that the detector now flags."""
    if not may_change:
        return float(flagged)
    return rng.beta(yes + JEFFREYS, no + JEFFREYS, DRAWS)
