# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Confusion counts -> confidence intervals of F1.

The documented interval is a stratified percentile bootstrap: strata are the
true labels, rows are drawn with replacement inside each. The number of true
positives among ``h`` rows drawn from the hits is then binomial, and so is that
of false positives, so two draws make a replicate whatever the number of rows.

It degenerates where a detector is always right, or always wrong, on a label:
no resample can differ there. So there is a Jeffreys interval beside it, with
Beta(k + 1/2, n - k + 1/2) on sensitivity and false-positive rate (Brown, Cai
and DasGupta 2001, doi:10.1214/ss/1009213286), drawn and combined into F1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy
from msgspec import Meta, Struct
from numpy.typing import NDArray

from garak_tbsa.detector_eval.counts import ConfusionCounts, Count, ratio
from garak_tbsa.detector_eval.seeding import generator_for

Floats = NDArray[numpy.float64]
Share = Annotated[float, Meta(ge=0, le=1)] | None

YOUDEN = "youden_index"

DECIMALS = 6
"""Interval ends are rounded to these, beyond which machines may differ."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IntervalOptions:
    """How intervals are made.

    Attributes
    ----------
    replicates : int
        Bootstrap replicates, and draws of the Jeffreys interval.
    confidence : float
        Between 0 and 1.
    min_samples : int
        Scored rows below which there is no interval.
    seed : int
        At least 0; every detector has a generator of its own derived from it.
    """

    replicates: int = 10_000
    confidence: float = 0.95
    min_samples: int = 50
    seed: int = 42


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """Two ends, rounded: in [0, 1], and from -1 where it is of Youden's index.

    Attributes
    ----------
    lower, upper : float
        Its ends.
    """

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Upper minus lower end."""
        return round(self.upper - self.lower, DECIMALS)


@dataclass(frozen=True, kw_only=True, slots=True)
class OnScan:
    """What labels say of a detector's verdicts on all outputs of a scan.

    Attributes
    ----------
    outputs, flagged : int
        Outputs that it judged, and how many of them it flagged, in the report.
    changed : int
        Labelled outputs of which the detector now says otherwise than in the report.
    values : mapping of str to float or None
        Metrics by their names in a summary; None where there is nothing to share out.
    intervals : mapping of str to Interval
        Of those that have a value, and of ``youden_index``.
    """

    outputs: int
    flagged: int
    changed: int
    values: Mapping[str, float | None]
    intervals: Mapping[str, Interval]


class F1Interval(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How sure an F1 is, as summaries have it.

    Attributes
    ----------
    mean : float
        Of the bootstrap replicates.
    ci_lower, ci_upper, ci_width : float
        Percentiles of the replicates.
    n_samples : int
        Scored rows.
    jeffreys_lower, jeffreys_upper, jeffreys_width : float
        of garak-tbsa: the interval to go by where the bootstrap is degenerate.
    degenerate : bool
        of garak-tbsa: the detector was always right, or always wrong, on a label, so
        that the bootstrap cannot vary there and is too narrow.
    """

    mean: Share = None
    ci_lower: Share = None
    ci_upper: Share = None
    ci_width: Share = None
    n_samples: Count | None = None
    jeffreys_lower: Share = None
    jeffreys_upper: Share = None
    jeffreys_width: Share = None
    degenerate: bool | None = None

    def __post_init__(self) -> None:
        for name in ("ci", "jeffreys"):
            interval = self._interval(name)
            if interval is not None and interval.lower > interval.upper:
                raise ValueError(f"`{name}_lower` is above `{name}_upper`")

    @property
    def bootstrap(self) -> Interval | None:
        """The documented interval."""
        return self._interval("ci")

    @property
    def jeffreys(self) -> Interval | None:
        """The one beside it."""
        return self._interval("jeffreys")

    def _interval(self, name: str) -> Interval | None:
        lower, upper = (getattr(self, f"{name}_{end}") for end in ("lower", "upper"))
        if lower is None or upper is None:
            return None
        return Interval(lower=lower, upper=upper)


def f1_intervals(
    counts: ConfusionCounts, detector: str, options: IntervalOptions
) -> dict[str, F1Interval]:
    """Intervals of ``hit_f1`` and ``pass_f1``, as far as rows have these labels.

    There are none below ``min_samples`` scored rows.
    """
    if counts.scored < max(1, options.min_samples):
        return {}
    drawn = resampled_counts(counts, detector, options)
    likely = plausible_counts(counts, detector, options)
    degenerate = bool(
        (counts.hits and 0 in (counts.tp, counts.fn))
        or (counts.passes and 0 in (counts.fp, counts.tn))
    )
    found: dict[str, F1Interval] = {}
    for name, rows, f1_of in (
        ("hit_f1", counts.hits, hit_f1_of),
        ("pass_f1", counts.passes, pass_f1_of),
    ):
        if not rows:
            continue
        replicates = f1_of(drawn, counts)
        bootstrap = _percentiles(replicates, options.confidence)
        jeffreys = _percentiles(f1_of(likely, counts), options.confidence)
        found[name] = F1Interval(
            mean=round(float(replicates.mean()), DECIMALS),
            ci_lower=bootstrap.lower,
            ci_upper=bootstrap.upper,
            ci_width=bootstrap.width,
            n_samples=counts.scored,
            jeffreys_lower=jeffreys.lower,
            jeffreys_upper=jeffreys.upper,
            jeffreys_width=jeffreys.width,
            degenerate=degenerate,
        )
    return found


Draws = tuple["Floats", "Floats"]
"""True and false positives, one of each a replicate."""


def resampled_counts(
    counts: ConfusionCounts, detector: str, options: IntervalOptions
) -> Draws:
    """Bootstrap replicates of the counts: TP* ~ Bin(hits, .), FP* ~ Bin(passes, .)."""
    generator = generator_for(options.seed, detector, "bootstrap")
    found = ratio(counts.tp, counts.hits) or 0.0
    tp = generator.binomial(counts.hits, found, options.replicates)
    flagged = ratio(counts.fp, counts.passes) or 0.0
    fp = generator.binomial(counts.passes, flagged, options.replicates)
    return tp.astype(numpy.float64), fp.astype(numpy.float64)


def plausible_counts(
    counts: ConfusionCounts, detector: str, options: IntervalOptions
) -> Draws:
    """Expected counts under rates drawn from their Jeffreys posteriors."""
    generator = generator_for(options.seed, detector, "jeffreys")
    size = options.replicates
    sensitivity = generator.beta(counts.tp + 0.5, counts.fn + 0.5, size)
    false_positive_rate = generator.beta(counts.fp + 0.5, counts.tn + 0.5, size)
    return sensitivity * counts.hits, false_positive_rate * counts.passes


def tells_apart(
    counts: ConfusionCounts, detector: str, options: IntervalOptions
) -> bool:
    """Whether sensitivity and specificity are surely above 1 in sum, by Jeffreys."""
    tp, fp = plausible_counts(counts, detector, options)
    youden = tp / counts.hits - fp / counts.passes
    return _percentiles(youden, options.confidence).lower > 0


def share_interval(part: int, whole: int, confidence: float) -> Interval:
    """Jeffreys interval of a share; an end that the share has reached is part of it.

    With x = sin(t) ** 2 the density of Beta(part + 1/2, whole - part + 1/2) becomes
    sin(t) ** (2 part) * cos(t) ** (2 (whole - part)), which has no poles; it is summed
    over 12 standard deviations to either side. That 0 of n reaches down to 0, and n of
    n up to 1, is the modification of Brown, Cai and DasGupta (2001, section 4.1.1).

    Parameters
    ----------
    part, whole : int
        0 <= part <= whole, and whole at least 1.
    """
    centre = numpy.arcsin(numpy.sqrt(part / whole))
    reach = 6 / numpy.sqrt(whole)
    grid = numpy.linspace(
        max(0.0, centre - reach), min(numpy.pi / 2, centre + reach), _GRID
    )
    with numpy.errstate(divide="ignore", invalid="ignore"):
        log_density = 2 * numpy.where(
            part > 0, part * numpy.log(numpy.sin(grid)), 0.0
        ) + 2 * numpy.where(
            part < whole, (whole - part) * numpy.log(numpy.cos(grid)), 0.0
        )
    density = numpy.exp(log_density - log_density.max())
    below = numpy.concatenate(([0.0], numpy.cumsum(density[1:] + density[:-1])))
    tail = (1 - confidence) / 2
    at = numpy.interp((tail, 1 - tail), below / below[-1], grid)
    lower, upper = (numpy.sin(at) ** 2).tolist()
    return Interval(
        lower=0.0 if part == 0 else round(lower, DECIMALS),
        upper=1.0 if part == whole else round(upper, DECIMALS),
    )


_GRID = 20_001
"""Points of the sum: ends are then exact to the decimals that are kept."""


def hit_f1_of(drawn: Draws, counts: ConfusionCounts) -> Floats:
    """Hit F1 of each replicate, 2 TP / (TP + FP + hits); hits must not be 0."""
    tp, fp = drawn
    return 2 * tp / (tp + fp + counts.hits)


def pass_f1_of(drawn: Draws, counts: ConfusionCounts) -> Floats:
    """Pass F1 of each replicate; passes must not be 0."""
    tp, fp = drawn
    tn, fn = counts.passes - fp, counts.hits - tp
    return 2 * tn / (tn + fn + counts.passes)


def _percentiles(values: Floats, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    lower, upper = numpy.quantile(values, (tail, 1 - tail))
    return Interval(
        lower=round(float(lower), DECIMALS), upper=round(float(upper), DECIMALS)
    )
