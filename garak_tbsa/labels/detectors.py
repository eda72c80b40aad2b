# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A detector on this scan: how far its verdicts are the labellers'.

Verdicts are known for all outputs, the truth for some (Tenenbein 1970), so the labels
of a stratum speak for its outputs: true hits are drawn, and a share's value is the mean
of its draws, its interval their middle 95 %. Sensitivity from rows that count
``outputs / labelled`` times is a ratio with a random denominator: it is too high where
hits are rare, which the mean of the draws is not (docs/measured/stratified_labels.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.labels.detector_hits import draw_group
from garak_tbsa.labels.score import DRAWS, LEVEL
from garak_tbsa.labels.strata import Stratum
from garak_tbsa.unavailable import Unavailable

TOO_FEW = "too few labels"
"""How the reason begins where a share only lacks labels."""

LEAST_LABELS = 5
"""Labels of each verdict, below which no number is given."""

EXPECTED = 3
"""Labels that an even draw would have given a stratum. One without any is not
guessed from the others: labels drawn for the score leave out strata that differ."""

LEFT_OUT = 1 / 10
"""Share of a verdict's outputs that such strata may have."""

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
    strata: Sequence[Stratum], draws: int = DRAWS, seed: int = 1
) -> tuple[DetectorOnScan, ...]:
    """Hold each detector's verdicts against the labels, in the order of their names.

    Parameters
    ----------
    strata : sequence of Stratum
    draws, seed : int
        A detector's draws are the same whichever others are there.
    """
    own: dict[str, list[Stratum]] = {}
    for stratum in strata:
        own.setdefault(stratum.detector, []).append(stratum)
    return tuple(
        _detector(detector, members, draws, seed)
        for detector, members in sorted(own.items())
    )


def _detector(
    detector: str, strata: Sequence[Stratum], draws: int, seed: int
) -> DetectorOnScan:
    rng = np.random.default_rng(seed)
    outputs = {flag: _sum(strata, "outputs", flag) for flag in (True, False)}
    labels = {flag: _sum(strata, "labelled", flag) for flag in (True, False)}
    found = {flag: _sum(strata, "hits", flag) for flag in (True, False)}
    tp, fn = (draw_group(_of(strata, flag), draws, rng) for flag in (True, False))
    shares = shares_of(tp, outputs[True] - tp, fn, outputs[False] - fn)
    return DetectorOnScan(
        detector=detector,
        flagged=outputs[True],
        unflagged=outputs[False],
        flagged_labels=labels[True],
        unflagged_labels=labels[False],
        flagged_hits=found[True],
        unflagged_hits=found[False],
        shares={
            name: few_labels(outputs, labels, needs)
            or _left_out(strata, outputs, labels, needs)
            or estimate_of(shares[name])
            or Unavailable(reason=otherwise)
            for name, (needs, otherwise) in SHARES.items()
        },
    )


FLAGGED, UNFLAGGED, BOTH = (True,), (False,), (True, False)
SHARES = {
    "sensitivity": (BOTH, "no labelled output is a hit"),
    "specificity": (BOTH, "no labelled output is a pass"),
    "precision": (FLAGGED, "it flagged nothing"),
    "negative_predictive_value": (UNFLAGGED, "it flagged everything"),
    "prevalence": (BOTH, "it judged nothing"),
    "hit_f1": (BOTH, "it flagged nothing, and no labelled output is a hit"),
}
"""Labels of which verdicts a share needs; why it is 0 / 0 where it is."""


def shares_of(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> dict[str, Floats]:
    """Return every share of a detector, from draws of its four counts; nan for 0 / 0.

    Parameters
    ----------
    tp, fp, fn, tn : ndarray of float, shape (draws,)
        True and false positives, false and true negatives.
    """
    flagged, unflagged, hits, passes = tp + fp, fn + tn, tp + fn, fp + tn
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "sensitivity": tp / hits,
            "specificity": tn / passes,
            "precision": tp / flagged,
            "negative_predictive_value": tn / unflagged,
            "prevalence": hits / (flagged + unflagged),
            "hit_f1": 2 * tp / (flagged + hits),
            "pass_f1": 2 * tn / (unflagged + passes),
            "accuracy": (tp + tn) / (flagged + unflagged),
        }


def estimate_of(draws: Floats, level: float = LEVEL) -> Estimate | None:
    """Return the mean of a share's draws and their middle; None where all are 0 / 0."""
    known = draws[~np.isnan(draws)]
    if not len(known):
        return None
    tail = (1 - level) / 2
    lower, upper = map(float, np.quantile(known, [tail, 1 - tail]))
    # a mean of equal numbers may differ from them in its last digit
    value = min(max(float(known.mean()), lower), upper)
    return Estimate(value=value, lower=lower, upper=upper)


def few_labels(
    outputs: Mapping[bool, int],
    labels: Mapping[bool, int],
    verdicts: Sequence[bool] = BOTH,
) -> Unavailable | None:
    """Say how many more labels are needed, None where there are enough.

    Parameters
    ----------
    outputs, labels : mapping of bool to int
        By verdict, true for flagged.
    verdicts : sequence of bool
        Those that count.
    """
    lacking = {
        flag: min(LEAST_LABELS, outputs[flag]) - labels[flag] for flag in verdicts
    }
    parts = [
        f"{count} more {'flagged' if flag else 'unflagged'}"
        for flag, count in lacking.items()
        if count > 0
    ]
    if len(parts) > 1 and lacking[True] == lacking[False]:
        parts = [f"{lacking[True]} more of each verdict"]
    if not parts:
        return None
    return Unavailable(reason=f"{TOO_FEW}: needs {' and '.join(parts)}")


def _left_out(
    strata: Sequence[Stratum],
    outputs: Mapping[bool, int],
    labels: Mapping[bool, int],
    verdicts: Sequence[bool],
) -> Unavailable | None:
    """Say so where labels leave out too much of a verdict."""
    needed = 0
    for flag in verdicts:
        out = [
            stratum.outputs
            for stratum in _of(strata, flag)
            if not stratum.labelled
            and stratum.outputs * labels[flag] >= EXPECTED * outputs[flag]
        ]
        if sum(out) > LEFT_OUT * outputs[flag]:
            needed += len(out)
    if not needed:
        return None
    return Unavailable(
        reason=f"{TOO_FEW}: needs {needed} more, of probes that have none; draw them"
        " with `detectors sample --for detectors`"
    )


def _of(strata: Sequence[Stratum], flagged: bool) -> list[Stratum]:
    return [stratum for stratum in strata if stratum.flagged == flagged]


def _sum(strata: Sequence[Stratum], name: str, flagged: bool) -> int:
    return sum(int(getattr(stratum, name)) for stratum in _of(strata, flagged))
