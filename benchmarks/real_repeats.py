# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Range and tests on repeated scans of a small real model, where nothing changed.

The recorded scans stay; what made them is in the project's history, up to commit
db0ad02. See CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from benchmarks.dealt_scans import Scan
from benchmarks.real_settings import Setting, settings
from benchmarks.simulated_scans import (
    Floats,
    NarrowestSet,
    Scorer,
    narrowest_set,
    predicted_range,
    rates_of,
    totals_of,
)
from benchmarks.timing import table
from garak_tbsa.statistics.exchange import NO_ATTEMPTS, ScanOutcomes, exchange_of
from garak_tbsa.statistics.observed import observe
from garak_tbsa.statistics.permutation import TestResults, permutation_tests
from tools.real_model.verdicts import read_repeats

DEALS, QUICK_DEALS = 300, 20
REPLICATES = 999
DRAWS = 1000
ALPHA = 0.05
SEED = 11

Tenths = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was measured in a setting: shares with standard errors.

    Attributes
    ----------
    held, held_errors, widths : array of float, shape (3,)
        Shares of repeats in our range with the attempts, in ours without, and in that
        of the plug-in binomial; their standard errors; mean widths.
    narrowest : NarrowestSet
        The fewest adjacent tenths that hold 95 % of the scores of these scans.
    called : array of float, shape (8,)
        Share of comparisons with p < 0.05: score, direction, largest, worse; then
        the same without the attempts.
    errors : array of float, shape (8,)
    comparisons : int
    """

    held: Floats
    held_errors: Floats
    widths: Floats
    narrowest: NarrowestSet
    called: Floats
    errors: Floats
    comparisons: int


def ranges_of(scan: Scan, repeat: str, rng: np.random.Generator) -> Tenths:
    """Return the ranges with attempts, without, and of the plug-in binomial."""
    ours = [
        predicted_range(scan.graded, outcomes, scan.generations, repeat, rng)
        for outcomes in (scan.outcomes, NO_ATTEMPTS)
    ]
    tenths = [(round(10 * low), round(10 * high)) for low, high in ours]
    return np.array([*tenths, plug_in_tenths(scan, rng)])


def plug_in_tenths(scan: Scan, rng: np.random.Generator) -> tuple[int, int]:
    """Return the range of repeats that have just the pass rates of this scan."""
    counts = rng.binomial(
        totals_of(scan.graded), rates_of(scan.graded), (DRAWS, len(scan.graded))
    )
    scores = Scorer(scan.graded).tenths(counts)
    low, high = np.quantile(scores, [0.025, 0.975], method="inverted_cdf")
    return int(low), int(high)


def p_values(
    first: Scan, second: Scan, seed: int, *, attempts: bool = True
) -> list[float]:
    """Return the p-values of score, direction, largest change, and for worse."""
    tests = compared(first, second, seed, attempts=attempts)
    assert tests.p_score is not None
    return [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]


def compared(
    first: Scan, second: Scan, seed: int, *, attempts: bool = True
) -> TestResults:
    """Compare two scans, with their attempts or without."""
    both = list(zip(first.graded, second.graded, strict=True))
    assert all(one.name == two.name for one, two in both)
    exchange = exchange_of(
        both, *(_known(scan, attempts=attempts) for scan in (first, second))
    )
    return permutation_tests(
        exchange, with_score=True, replicates=REPLICATES, seed=seed
    )


def _known(scan: Scan, *, attempts: bool) -> ScanOutcomes:
    """What a report says of its outputs, with its attempts or without."""
    return ScanOutcomes(
        outcomes=scan.outcomes if attempts else NO_ATTEMPTS,
        seed=scan.seed,
        generations=scan.generations,
    )


def measured(setting: Setting, deals: int) -> Outcome:
    """Compare the scans of a setting."""
    rng = np.random.default_rng(SEED)
    if setting.dealt is not None:
        return _measured_dealt(setting.dealt, setting.repeat, deals, rng)
    return _measured_real(setting.scans, setting.repeat, rng)


def _measured_dealt(
    dealt: Callable[[np.random.Generator], tuple[Scan, Scan]],
    repeat: str,
    deals: int,
    rng: np.random.Generator,
) -> Outcome:
    held, widths = np.zeros((deals, 3)), np.zeros((deals, 3))
    scores = np.zeros((deals, 2), dtype=np.int64)
    called = np.zeros((deals, 8))
    for number in range(deals):
        first, second = dealt(rng)
        scores[number] = first.tenths, second.tenths
        ranges = ranges_of(first, repeat, rng)
        held[number] = _holds(ranges, second.tenths)
        widths[number] = ranges[:, 1] - ranges[:, 0]
        called[number] = _called(first, second, number)
    both = np.hstack([held, called])
    errors = np.sqrt(both.mean(axis=0) * (1 - both.mean(axis=0)) / deals)
    return _outcome(both.mean(axis=0), errors, widths, scores, deals)


def _measured_real(
    scans: Sequence[Scan], repeat: str, rng: np.random.Generator
) -> Outcome:
    """Compare each with each; errors by leaving out one scan after the other."""
    ranges = np.array([ranges_of(scan, repeat, rng) for scan in scans])
    scores = np.array([scan.tenths for scan in scans])
    places = list(permutations(range(len(scans)), 2))
    held = np.array([_holds(ranges[one], scores[two]) for one, two in places])
    tested = list(combinations(range(len(scans)), 2))
    called = np.array(
        [
            _called(scans[one], scans[two], number)
            for number, (one, two) in enumerate(tested)
        ]
    )
    return _outcome(
        np.hstack([held.mean(axis=0), called.mean(axis=0)]),
        np.hstack([_jackknife(held, places), _jackknife(called, tested)]),
        ranges[:, :, 1] - ranges[:, :, 0],
        scores,
        len(tested),
    )


def _called(first: Scan, second: Scan, seed: int) -> NDArray[np.bool_]:
    p = p_values(first, second, seed)
    p += p_values(first, second, seed, attempts=False)
    called: NDArray[np.bool_] = np.array(p) < ALPHA
    return called


def _holds(ranges: Tenths, tenths: int) -> NDArray[np.bool_]:
    within: NDArray[np.bool_] = (ranges[:, 0] <= tenths) & (tenths <= ranges[:, 1])
    return within


def _jackknife(values: Floats, places: Sequence[tuple[int, int]]) -> Floats:
    """Return standard errors of means over pairs of scans, which share scans."""
    pairs = np.array(places)
    scans = pairs.max() + 1
    without = np.array(
        [values[(pairs != scan).all(axis=1)].mean(axis=0) for scan in range(scans)]
    )
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    errors: Floats = np.sqrt(spread * (scans - 1) / scans)
    return errors


def _outcome(
    shares: Floats, errors: Floats, widths: Floats, scores: Tenths, comparisons: int
) -> Outcome:
    return Outcome(
        held=shares[:3],
        held_errors=errors[:3],
        widths=widths.mean(axis=0) / 10,
        narrowest=narrowest_set(scores),
        called=shares[3:],
        errors=errors[3:],
        comparisons=comparisons,
    )


def correlations(scans: Sequence[Scan]) -> Floats:
    """Return that of two outputs of a prompt, over all pairs of each scan."""
    found = [
        observe(scan.graded, scan.outcomes, scan.generations).prompt_correlation
        for scan in scans
    ]
    return np.array([each for each in found if each is not None])


def main(quick: bool = False) -> str:
    """Compare, and return both tables."""
    ranges, tests = [], []
    alike = []
    for setting in settings(read_repeats()):
        if setting.scans and setting.scans[0].generations > 1:
            rho = correlations(setting.scans)
            alike.append(
                f"{setting.name}: {rho.min():.2f} to {rho.max():.2f},"
                f" mean {rho.mean():.2f}"
            )
        found = measured(setting, QUICK_DEALS if quick else DEALS)
        best = found.narrowest
        ranges.append(
            [
                setting.name,
                *(
                    f"{_share(share, error)} ({width:.2f})"
                    for share, error, width in zip(
                        found.held, found.held_errors, found.widths, strict=True
                    )
                ),
                f"{best.low / 10}-{best.high / 10}: {100 * best.share:.1f} %"
                f" ({best.width:.2f})",
            ]
        )
        for known, part in (("", slice(4)), (", no attempts", slice(4, 8))):
            tests.append(
                [
                    setting.name + known,
                    str(found.comparisons),
                    *map(_share, found.called[part], found.errors[part]),
                ]
            )
    header = ["range holds a repeat's score (mean width)", "ours", "no attempts"]
    header += ["plug-in binomial", "narrowest set of tenths that holds 95 %"]
    first = table(header, ranges)
    header = ["nothing changed, p < 0.05", "comparisons", "score", "direction"]
    second = table([*header, "largest change", "worse (the gate)"], tests)
    return "\n\n".join(
        [
            first,
            f"Correlation of two outputs of a prompt, by scan: {'; '.join(alike)}.",
            second,
        ]
    )


def _share(share: float, error: float) -> str:
    return f"{100 * share:.1f} ± {100 * error:.1f} %"


if __name__ == "__main__":
    print(main())
