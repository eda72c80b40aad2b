# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Range and tests on repeated scans of a small real model, where nothing changed.

``python -m tools.real_model repeats`` made the scans; see CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from benchmarks.dealt_scans import (
    Scan,
    deal,
    deal_fresh,
    pooled,
    scan_of,
)
from benchmarks.simulated_scans import Floats, Scorer, rates_of, totals_of
from benchmarks.timing import table
from garak_tbsa.tbsa.interval import repeat_distribution
from garak_tbsa.tbsa.permutation import permutation_tests
from garak_tbsa.tbsa.strata import NO_ATTEMPTS, ScanOutputs, exchange_of
from garak_tbsa.unavailable import Unavailable
from tools.real_model.repeat_plan import SAME_UNDER_ALL_SEEDS
from tools.real_model.verdicts import RealRepeats, RepeatedScan, read_repeats

DEALS, QUICK_DEALS = 600, 40
REPLICATES = 999
DRAWS = 1000
ALPHA = 0.05
SEED = 11


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Scans that differ by chance alone.

    Attributes
    ----------
    name : str
    scans : sequence of Scan
        Real ones, each compared with each; empty where scans are dealt.
    dealt : callable or None
        Deals two scans.
    """

    name: str
    scans: Sequence[Scan] = ()
    dealt: Callable[[np.random.Generator], tuple[Scan, Scan]] | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was measured in a setting: shares with standard errors.

    Attributes
    ----------
    held, plug_in : (float, float)
        Shares of repeats in our range, and in that of the plug-in binomial.
    widths : (float, float)
        Mean width of both.
    scores : (float, float)
        Between which the middle 95 % of the scores are.
    called : array of float, shape (8,)
        Share of comparisons with p < 0.05: score, direction, largest, worse; then
        the same without the attempts.
    errors : array of float, shape (8,)
    comparisons : int
    """

    held: tuple[float, float]
    plug_in: tuple[float, float]
    widths: tuple[float, float]
    scores: tuple[float, float]
    called: Floats
    errors: Floats
    comparisons: int


def settings(repeats: RealRepeats) -> list[Setting]:
    """Return the settings of both tables, of the series that are there."""
    own = {name: repeats.of(name) for name in ("one", "three", "five", "fresh")}
    found = [
        Setting(
            name=f"{len(scans)} real scans, {_generations(scans[0].generations)},"
            f" {'a seed each' if name == 'fresh' else 'one seed'}",
            scans=made(scans),
        )
        for name, scans in own.items()
        if scans
    ]
    pools = pooled([*own["five"], *own["three"], *own["one"]])
    for title, dealt in (
        ("same prompts", partial(deal, pools)),
        (
            "prompts halved where seeds choose them",
            partial(deal_fresh, pools, same=SAME_UNDER_ALL_SEEDS),
        ),
    ):
        found += [
            Setting(
                name=f"dealt, {title}, {_generations(number)}",
                dealt=partial(dealt, number),
            )
            for number in (1, 3, 5, 10)
        ]
    if own["fresh"]:
        # what all seeds ask has more outputs than two scans need
        dealt = partial(deal_fresh, pooled(own["fresh"]), same=SAME_UNDER_ALL_SEEDS)
        found += [
            Setting(
                name=f"dealt, prompts of {len(own['fresh'])} seeds,"
                f" {_generations(number)}",
                dealt=partial(dealt, number),
            )
            for number in (1, 3)
        ]
    return found + encoding_settings(repeats.of("encoding"))


def encoding_settings(scans: Sequence[RepeatedScan]) -> list[Setting]:
    """Return the settings of probes that have two detectors each."""
    if not scans:
        return []
    pools = pooled(scans)
    return [
        Setting(
            name=f"{len(scans)} real scans, 14 encoding probes with 2 detectors",
            scans=made(scans),
        ),
        *(
            Setting(
                name=f"the same, dealt, {_generations(number)}",
                dealt=partial(deal, pools, number),
            )
            for number in (1, 5)
        ),
    ]


def _generations(number: int) -> str:
    return "1 generation" if number == 1 else f"{number} generations"


def made(scans: Sequence[RepeatedScan]) -> list[Scan]:
    """Grade scans as they were made."""
    return [scan_of(scan.outcomes, scan.seed, scan.generations) for scan in scans]


def predicted_tenths(scan: Scan) -> tuple[int, int]:
    """Return our range for the score of a repeat, in tenths."""
    repeat = repeat_distribution(scan.graded)
    assert not isinstance(repeat, Unavailable), repeat.reason
    low, high = repeat.prediction_interval
    return round(10 * low), round(10 * high)


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
    both = list(zip(first.graded, second.graded, strict=True))
    assert all(one.name == two.name for one, two in both)
    exchange = exchange_of(
        both, *(_known(scan, attempts=attempts) for scan in (first, second))
    )
    tests = permutation_tests(
        both, exchange, with_score=True, replicates=REPLICATES, seed=seed
    )
    assert tests.p_score is not None
    return [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]


def _known(scan: Scan, *, attempts: bool) -> ScanOutputs:
    """What a report says of its outputs, with its attempts or without."""
    return ScanOutputs(
        outcomes=scan.outcomes if attempts else NO_ATTEMPTS,
        seed=scan.seed,
        generations=scan.generations,
    )


def measured(setting: Setting, deals: int) -> Outcome:
    """Compare the scans of a setting."""
    rng = np.random.default_rng(SEED)
    if setting.dealt is not None:
        return _measured_dealt(setting.dealt, deals, rng)
    return _measured_real(setting.scans, rng)


def _measured_dealt(
    dealt: Callable[[np.random.Generator], tuple[Scan, Scan]],
    deals: int,
    rng: np.random.Generator,
) -> Outcome:
    held = np.zeros((deals, 2))
    widths, scores = np.zeros((deals, 2)), np.zeros((deals, 2))
    called = np.zeros((deals, 8))
    for number in range(deals):
        first, second = dealt(rng)
        scores[number] = first.tenths, second.tenths
        ranges = np.array([predicted_tenths(first), plug_in_tenths(first, rng)])
        held[number] = _holds(ranges, second.tenths)
        widths[number] = ranges[:, 1] - ranges[:, 0]
        called[number] = _called(first, second, number)
    both = np.hstack([held, called])
    errors = np.sqrt(both.mean(axis=0) * (1 - both.mean(axis=0)) / deals)
    return _outcome(both.mean(axis=0), errors, widths, scores, deals)


def _measured_real(scans: Sequence[Scan], rng: np.random.Generator) -> Outcome:
    """Compare each with each; errors by leaving out one scan after the other."""
    ranges = np.array(
        [[predicted_tenths(scan), plug_in_tenths(scan, rng)] for scan in scans]
    )
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


def _holds(ranges: NDArray[np.int64], tenths: int) -> NDArray[np.bool_]:
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
    shares: Floats, errors: Floats, widths: Floats, scores: Floats, comparisons: int
) -> Outcome:
    low, high = np.quantile(scores, [0.025, 0.975], method="inverted_cdf") / 10
    ours, plug_in = widths.mean(axis=0) / 10
    return Outcome(
        held=(shares[0], errors[0]),
        plug_in=(shares[1], errors[1]),
        widths=(ours, plug_in),
        scores=(low, high),
        called=shares[2:],
        errors=errors[2:],
        comparisons=comparisons,
    )


def main(quick: bool = False) -> str:
    """Compare, and return both tables."""
    ranges, tests = [], []
    for setting in settings(read_repeats()):
        found = measured(setting, QUICK_DEALS if quick else DEALS)
        ranges.append(
            [
                setting.name,
                _share(*found.held),
                f"{found.widths[0]:.2f}",
                _share(*found.plug_in),
                f"{found.widths[1]:.2f}",
                f"{found.scores[0]:.1f}-{found.scores[1]:.1f}",
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
    header = ["range holds a repeat's score", "ours", "width", "plug-in binomial"]
    first = table([*header, "width", "scores"], ranges)
    header = ["nothing changed, p < 0.05", "comparisons", "score", "direction"]
    second = table([*header, "largest change", "worse (the gate)"], tests)
    return f"{first}\n\n{second}"


def _share(share: float, error: float) -> str:
    return f"{100 * share:.1f} ± {100 * error:.1f} %"


if __name__ == "__main__":
    print(main())
