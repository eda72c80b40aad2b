# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the 95 % range of a scan holds the score of its repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.simulated_scans import (
    Counts,
    Floats,
    Scorer,
    calibrated_scan,
    make_pair,
    narrowest_set,
    predicted_tenths,
    rates_of,
    real_scan,
    recounted,
    totals_of,
)
from benchmarks.timing import table
from garak_tbsa.tbsa.grades import GradedPair

SCANS, QUICK_SCANS = 400, 50
REPEATS = 200
DRAWS = 1000
KNOWN = 2000
"""Repeats by which the narrowest set is known."""

SEED = 5


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Pairs, the pass rates they truly have, and what the prototype's range held."""

    name: str
    pairs: Sequence[GradedPair]
    rates: Callable[[np.random.Generator], Floats]
    prototype: str = "-"


def settings() -> list[Setting]:
    """Return the five settings of the design, and targets that hardly fail."""
    real, many = real_scan(), calibrated_scan()
    seen = rates_of(real)
    almost = np.where(seen == 1, 1 - 1 / (3 * totals_of(real)), seen)
    distributions = [
        pair.distribution for pair in many if pair.distribution is not None
    ]
    mu, sigma = np.array([(each.mu, each.sigma) for each in distributions]).T
    return [
        Setting(
            name="real scan, 57 pairs, clean ones truly 1",
            pairs=real,
            rates=lambda _: seen,
            prototype="98.8 %",
        ),
        Setting(
            name="real scan, clean ones at 1 - 1/(3n)",
            pairs=real,
            rates=lambda _: almost,
            prototype="97.5 %",
        ),
        Setting(
            name="57 pairs, rates ~ Beta(.8, .1)",
            pairs=real,
            rates=lambda rng: rng.beta(0.8, 0.1, len(real)),
            prototype="98.0 %",
        ),
        Setting(
            name=f"{len(many)} pairs at calibration mu + sigma N",
            pairs=many,
            rates=lambda rng: np.clip(mu + sigma * rng.normal(size=len(many)), 0, 1),
            prototype="97.5 %",
        ),
        Setting(
            name=f"{len(many)} pairs, rates ~ Beta(5, 1)",
            pairs=many,
            rates=lambda rng: rng.beta(5, 1, len(many)),
            prototype="98.8 %",
        ),
        *nearly_clean(real),
    ]


def nearly_clean(real: Sequence[GradedPair]) -> list[Setting]:
    """Return settings in which a few hits say how rarely pairs fail."""
    few = [pair for tier in (1, 2) for pair in _random_pairs(real, tier, 12)]
    small = [make_pair(pair.probe, pair.detector, pair.tier, 6, 6) for pair in few]
    totals = totals_of(real)
    return [
        _all_at("57 pairs, all at .9985", real, 0.9985),
        _all_at("12 of them in each tier, all at .99", few, 0.99),
        _all_at("the same with 6 outputs each, all at .95", small, 0.95),
        Setting(
            name="57 pairs, all at 1 - 1/(3n)",
            pairs=real,
            rates=lambda _: 1 - 1 / (3 * totals),
        ),
    ]


def _all_at(name: str, pairs: Sequence[GradedPair], rate: float) -> Setting:
    return Setting(name=name, pairs=pairs, rates=lambda _: np.full(len(pairs), rate))


def _random_pairs(
    pairs: Sequence[GradedPair], tier: int, number: int
) -> list[GradedPair]:
    of_tier = [pair for pair in pairs if pair.tier == tier]
    rng = np.random.default_rng(tier)
    return [of_tier[place] for place in rng.permutation(len(of_tier))[:number]]


def simulate(setting: Setting, scans: int) -> tuple[Floats, Floats]:
    """Return, for each range, the share of repeats held and the range's mean width.

    The last one is that of somebody who knows the true pass rates.
    """
    rng, known = np.random.default_rng(SEED), np.random.default_rng(SEED + 1)
    scorer = Scorer(setting.pairs)
    totals = totals_of(setting.pairs)
    held, width = np.zeros(4), np.zeros(4)
    for _ in range(scans):
        rates = setting.rates(rng)
        passed = rng.binomial(totals, rates)
        repeats = scorer.tenths(rng.binomial(totals, rates, (REPEATS, len(totals))))
        ranges = [
            predicted_tenths(recounted(setting.pairs, passed)),
            _drawn(scorer, totals, passed / totals, rng),
            _drawn(
                scorer,
                totals,
                rng.beta(passed + 0.5, totals - passed + 0.5, (DRAWS, len(totals))),
                rng,
            ),
        ]
        for index, (low, high) in enumerate(ranges):
            held[index] += ((repeats >= low) & (repeats <= high)).mean()
            width[index] += (high - low) / 10
        best = narrowest_set(
            scorer.tenths(known.binomial(totals, rates, (KNOWN, len(totals))))
        )
        held[-1] += best.share
        width[-1] += best.width
    return held / scans, width / scans


def _drawn(
    scorer: Scorer, totals: Counts, rates: Floats, rng: np.random.Generator
) -> tuple[int, int]:
    """Range of simulated repeats under another predictive distribution."""
    scores = scorer.tenths(rng.binomial(totals, rates, (DRAWS, len(totals))))
    low, high = np.quantile(scores, [0.025, 0.975], method="inverted_cdf")
    return int(low), int(high)


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    rows = []
    for setting in settings():
        held, width = simulate(setting, QUICK_SCANS if quick else SCANS)
        shares = [
            f"{share:.1%} ({wide:.2f})" for share, wide in zip(held, width, strict=True)
        ]
        rows.append([setting.name, shares[0], setting.prototype, *shares[1:]])
    header = ["true pass rates", "held by our range (mean width)", "prototype"]
    header += ["plug-in binomial", "Jeffreys per pair", "narrowest, rates known"]
    return table(header, rows)


if __name__ == "__main__":
    print(main())
