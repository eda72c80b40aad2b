# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A detector on this scan: how far its verdicts are the labellers'.

Verdicts are known for all outputs, the truth for some (Tenenbein 1970), so the labels
of a stratum speak for its outputs: true hits are drawn, and a share's value is the mean
of its draws, its interval their middle 95 %. Sensitivity from rows that count
``outputs / labelled`` times is a ratio with a random denominator: it is too high where
hits are rare, which the mean of the draws is not (docs/measured/stratified_labels.md).

As in ``hit_rates`` the strata of a detector and verdict share a mean and a strength,
but the mean has Jeffreys' prior Beta(1/2, 1/2), and leans on no other detector. For a
score, a rate borrowed from other detectors does well; as a statement about this
detector it is biased, and most where hits are rare: with a sensitivity of .60 and 2 %
hits it says .64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from garak_tbsa.detector_eval.counts import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.intervals import DECIMALS, YOUDEN, Interval, OnScan
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.labels.hit_rates import RateGrid
from garak_tbsa.labels.scan import Floats, Stratum
from garak_tbsa.labels.score import DRAWS, LEVEL, Estimate
from garak_tbsa.unavailable import Unavailable

JEFFREYS = 0.5
LOGITS = np.linspace(-10, 10, 81)
"""Wider than for a score: one hit may be missed in thousands of outputs."""

SHAPES: Floats = np.exp2(np.arange(-1.0, 7.0))
"""Of the rarer of hits and passes: 1 / sqrt(shape) is about how far strata differ,
relative to their mean. A strength alone would let rare hits differ without bound."""

GRID = RateGrid(LOGITS, SHAPES, of_rarer=True)

TOO_FEW = "too few labels"
"""How the reason begins where a share only lacks labels."""

LEAST_LABELS = 5
"""Labels of each verdict, below which no number is given."""

EXPECTED = 3
"""Labels that an even draw would have given a stratum. One without any is not
guessed from the others: labels drawn for the score leave out strata that differ."""

LEFT_OUT = 1 / 10
"""Share of a verdict's outputs that such strata may have."""

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
"""A summary's metrics, by what they are called on a scan."""

NO_PREDICTIONS = ("hit_precision", "pass_precision")
"""0.0 where nothing was predicted, as in every summary."""


@dataclass(frozen=True, kw_only=True, slots=True)
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
    shares: Mapping[str, Estimate[float] | Unavailable]


class _ByVerdict:
    """One detector's strata, each value by verdict, true for flagged."""

    def __init__(self, strata: Sequence[Stratum]) -> None:
        self.strata = {
            flag: [each for each in strata if each.flagged == flag] for flag in BOTH
        }
        self.outputs = self._sums("outputs")
        self.labels = self._sums("labelled")
        self.hits = self._sums("hits")

    def _sums(self, name: str) -> dict[bool, int]:
        return {
            flag: sum(int(getattr(stratum, name)) for stratum in own)
            for flag, own in self.strata.items()
        }

    def few_labels(self, verdicts: Sequence[bool] = BOTH) -> Unavailable | None:
        """Say how many more labels are needed, None where there are enough."""
        lacking = {
            flag: min(LEAST_LABELS, self.outputs[flag]) - self.labels[flag]
            for flag in verdicts
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

    def left_out(self, verdicts: Sequence[bool]) -> Unavailable | None:
        """Say so where labels leave out too much of a verdict."""
        needed = 0
        for flag in verdicts:
            out = [
                stratum.outputs
                for stratum in self.strata[flag]
                if not stratum.labelled
                and stratum.outputs * self.labels[flag] >= EXPECTED * self.outputs[flag]
            ]
            if sum(out) > LEFT_OUT * self.outputs[flag]:
                needed += len(out)
        if not needed:
            return None
        return Unavailable(
            reason=f"{TOO_FEW}: needs {needed} more, of probes that have none; draw"
            " them with `label --sheet FILE --for detectors`"
        )


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
        _detector(detector, _ByVerdict(members), draws, seed)
        for detector, members in sorted(own.items())
    )


def _detector(detector: str, own: _ByVerdict, draws: int, seed: int) -> DetectorOnScan:
    rng = np.random.default_rng(seed)
    tp, fn = (draw_group(own.strata[flag], draws, rng) for flag in BOTH)
    shares = shares_of(tp, own.outputs[True] - tp, fn, own.outputs[False] - fn)
    return DetectorOnScan(
        detector=detector,
        flagged=own.outputs[True],
        unflagged=own.outputs[False],
        flagged_labels=own.labels[True],
        unflagged_labels=own.labels[False],
        flagged_hits=own.hits[True],
        unflagged_hits=own.hits[False],
        shares={
            name: own.few_labels(needs)
            or own.left_out(needs)
            or share_estimate(shares[name])
            or Unavailable(reason=otherwise)
            for name, (needs, otherwise) in SHARES.items()
        },
    )


def draw_group(
    strata: Sequence[Stratum], draws: int, rng: np.random.Generator
) -> Floats:
    """Draw how many outputs of a detector and verdict are truly hits.

    Parameters
    ----------
    strata : sequence of Stratum
        All of one detector and verdict; none gives zeros, one has Jeffreys' prior.
    draws : int
    rng : Generator

    Returns
    -------
    ndarray of float, shape (draws,)
        Whole numbers, the labelled hits among them.
    """
    total: Floats = np.zeros(draws)
    alphas, betas = np.full(draws, JEFFREYS), np.full(draws, JEFFREYS)
    if len(strata) > 1:
        logs = GRID.prior(JEFFREYS, JEFFREYS)
        for stratum in strata:
            logs = logs + GRID.likelihoods(stratum.labelled)[:, stratum.hits]
        shares = np.exp(logs - logs.max())
        chosen = rng.choice(len(shares), draws, p=shares / shares.sum())
        alphas, betas = GRID.alphas[chosen], GRID.betas[chosen]
    for stratum in strata:
        rates = rng.beta(alphas + stratum.hits, betas + stratum.labelled - stratum.hits)
        total += stratum.hits + rng.binomial(stratum.outputs - stratum.labelled, rates)
    return total


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


def share_estimate(draws: Floats, level: float = LEVEL) -> Estimate[float] | None:
    """Return the mean of a share's draws and their middle; None where all are 0 / 0."""
    known = draws[~np.isnan(draws)]
    if not len(known):
        return None
    tail = (1 - level) / 2
    lower, upper = map(float, np.quantile(known, [tail, 1 - tail]))
    # a mean of equal numbers may differ from them in its last digit
    value = min(max(float(known.mean()), lower), upper)
    return Estimate(value=value, lower=lower, upper=upper)


def measured_on_scan(
    result: DetectorResult, *, seed: int = 42, confidence: float = 0.95
) -> OnScan | Unavailable | None:
    """Say what labels make of a detector on the scan that they were drawn from.

    What the detector says now takes the place of what it said in the scan. Where the
    two differ on labelled outputs, the share of outputs on which they do is drawn too:
    Beta(d + 1/2, m - d + 1/2) for d of m of a verdict and truth.

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
    strata = [
        Stratum(flagged=each.flagged, outputs=each.outputs).with_labels(
            each.counts.scored, each.counts.hits
        )
        for each in result.strata
    ]
    own = _ByVerdict(strata)
    few = own.few_labels()
    if few is not None:
        return few
    said_now = {flag: ConfusionCounts() for flag in BOTH}
    for each in result.strata:
        said_now[each.flagged] += each.counts
    flagged, unflagged = said_now[True], said_now[False]
    changed = flagged.fn + flagged.tn + unflagged.tp + unflagged.fp
    rng = generator_for(seed, result.detector, "on scan")
    tp = fp = fn = tn = np.zeros(DRAWS)
    for flag, now in said_now.items():
        hits = draw_group(own.strata[flag], DRAWS, rng)
        passes = own.outputs[flag] - hits
        found = alarms = np.full(DRAWS, float(flag))
        if changed:
            found = rng.beta(now.tp + JEFFREYS, now.fn + JEFFREYS, DRAWS)
            alarms = rng.beta(now.fp + JEFFREYS, now.tn + JEFFREYS, DRAWS)
        tp, fn = tp + hits * found, fn + (hits - hits * found)
        fp, tn = fp + passes * alarms, tn + (passes - passes * alarms)
    shares = shares_of(tp, fp, fn, tn)
    # without a hit there is no recall, and so no F1
    shares["hit_f1"][tp + fn <= 0] = np.nan
    shares["pass_f1"][tn + fp <= 0] = np.nan
    shares["youden"] = shares["sensitivity"] + shares["specificity"] - 1
    values: dict[str, float | None] = {}
    intervals: dict[str, Interval] = {}
    for name, share in METRICS.items():
        values[name] = 0.0 if name in NO_PREDICTIONS else None
        estimate = share_estimate(shares[share], confidence)
        if estimate is not None:
            lower, upper = (
                round(x, DECIMALS) for x in (estimate.lower, estimate.upper)
            )
            intervals[name] = Interval(lower=lower, upper=upper)
            values[name] = min(max(round(estimate.value, DECIMALS), lower), upper)
    del values[YOUDEN]
    return OnScan(
        outputs=sum(own.outputs.values()),
        flagged=own.outputs[True],
        changed=changed,
        values=values,
        intervals=intervals,
    )
