# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Range and tests on repeated scans of a small real model, where nothing changed.

The recorded scans stay; what made them is in the project's history, up to commit
db0ad02. See CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from benchmarks.dealt_scans import Scan, deal, pooled, scan_of
from benchmarks.simulated_scans import NO_ATTEMPTS, Floats, predicted_range
from benchmarks.timing import table
from garak_tbsa.statistics.exchange import exchange_of
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.statistics.permutation import permutation_tests
from garak_tbsa.tbsa.score import score_pairs
from tools.real_model.verdicts import RealRepeats, read_repeats

DEALS, QUICK_DEALS = 300, 20
REPLICATES = 999
ALPHA = 0.05
SEED = 11
SERIES = ("one", "three", "five", "fresh", "encoding")

Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Scans that differ by chance alone.

    Attributes
    ----------
    name : str
    repeat : str
        What a repeat is here, by the names of ``score --repeat``.
    scans : sequence of Scan
        Real ones, each compared with each; empty where scans are dealt.
    dealt : callable or None
        Deals two scans.
    """

    name: str
    repeat: str
    scans: Sequence[Scan] = ()
    dealt: Callable[[np.random.Generator], tuple[Scan, Scan]] | None = None


def settings(repeats: RealRepeats) -> Iterator[Setting]:
    """Yield the settings of both tables, of the series that are there."""
    own = {name: repeats.of(name) for name in SERIES}
    for name, scans in own.items():
        if scans:
            made = [
                scan_of(each.outcomes, each.seed, each.generations) for each in scans
            ]
            what = "14 encoding probes with 2 detectors, " * (name == "encoding")
            seeds = "a seed each" if name == "fresh" else "one seed"
            yield Setting(
                name=f"{len(made)} real scans, {what}"
                f"{_generations(scans[0].generations)}, {seeds}",
                repeat=FRESH_PROMPTS if name == "fresh" else SAME_PROMPTS,
                scans=made,
            )
    every = pooled([*own["five"], *own["three"], *own["one"]])
    for title, pools, fresh, numbers in (
        ("same prompts", every, False, (1, 3, 5, 10)),
        ("all prompts halved", every, True, (1, 3, 5, 10)),
        ("encoding probes", pooled(own["encoding"]), False, (1, 5)),
    ):
        for number in numbers if pools else ():
            yield Setting(
                name=f"dealt, {title}, {_generations(number)}",
                repeat=FRESH_PROMPTS if fresh else SAME_PROMPTS,
                dealt=partial(deal, pools, number, fresh=fresh),
            )


def _generations(number: int) -> str:
    return "1 generation" if number == 1 else f"{number} generations"


def without_attempts(scan: Scan) -> Scan:
    """Return a scan of which the counts alone are known."""
    return scan[0], replace(scan[1], outcomes=NO_ATTEMPTS)


def tenths(scan: Scan) -> int:
    """Return the score in tenths."""
    return score_pairs(scan[0]).tenths


def ranges_of(scan: Scan, repeat: str, rng: np.random.Generator) -> Floats:
    """Return the ranges with attempts and without, in tenths; (2, 2)."""
    return 10 * np.array(
        [
            predicted_range(graded, known.outcomes, known.generations or 1, repeat, rng)
            for graded, known in (scan, without_attempts(scan))
        ]
    )


def called_different(first: Scan, second: Scan, seed: int) -> NDArray[np.bool_]:
    """Whether score, direction, largest change and "worse" do so; without attempts."""
    found = []
    for one, other in (
        (first, second),
        (without_attempts(first), without_attempts(second)),
    ):
        exchange = exchange_of(
            list(zip(one[0], other[0], strict=True)), one[1], other[1]
        )
        tests = permutation_tests(
            exchange, with_score=True, replicates=REPLICATES, seed=seed
        )
        assert tests.p_score is not None
        found += [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]
    called: NDArray[np.bool_] = np.array(found) < ALPHA
    return called


def holds(ranges: Floats, score: int) -> NDArray[np.bool_]:
    """Whether each range holds a score in tenths."""
    within: NDArray[np.bool_] = (ranges[:, 0] - 0.5 < score) & (
        score < ranges[:, 1] + 0.5
    )
    return within


def measured(setting: Setting, deals: int) -> tuple[list[str], list[list[str]]]:
    """Compare the scans of a setting; return a row on ranges, and two on tests."""
    rng = np.random.default_rng(SEED)
    scans = list(setting.scans)
    errors: Callable[[NDArray[np.bool_], Places], Floats] = _jackknife
    tested: Places = list(combinations(range(len(scans)), 2))
    foretold: Places = list(permutations(range(len(scans)), 2))
    if setting.dealt is not None:
        errors = _binomial
        scans = [scan for _ in range(deals) for scan in setting.dealt(rng)]
        tested = foretold = [(2 * number, 2 * number + 1) for number in range(deals)]
    ranges = {one: ranges_of(scans[one], setting.repeat, rng) for one, _ in foretold}
    held = np.array([holds(ranges[one], tenths(scans[two])) for one, two in foretold])
    called = np.array(
        [
            called_different(scans[one], scans[two], number)
            for number, (one, two) in enumerate(tested)
        ]
    )
    widths = np.mean([np.ptp(each, axis=1) for each in ranges.values()], axis=0) / 10
    shares = [
        f"{share} ({width:.2f})"
        for share, width in zip(
            _shares(held, errors(held, foretold)), widths, strict=True
        )
    ]
    said = _shares(called, errors(called, tested))
    number = str(len(tested))
    return [setting.name, *shares], [
        [setting.name, number, *said[:4]],
        [f"{setting.name}, no attempts", number, *said[4:]],
    ]


def _shares(values: NDArray[np.bool_], errors: Floats) -> list[str]:
    return [
        f"{100 * share:.1f} ± {100 * error:.1f} %"
        for share, error in zip(values.mean(axis=0), errors, strict=True)
    ]


def _binomial(values: NDArray[np.bool_], _: Places) -> Floats:
    shares = values.mean(axis=0)
    errors: Floats = np.sqrt(shares * (1 - shares) / len(values))
    return errors


def _jackknife(values: NDArray[np.bool_], places: Places) -> Floats:
    """Standard errors of means over pairs of scans, which share scans."""
    pairs = np.array(places)
    scans = pairs.max() + 1
    without = np.array(
        [values[(pairs != scan).all(axis=1)].mean(axis=0) for scan in range(scans)]
    )
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    errors: Floats = np.sqrt(spread * (scans - 1) / scans)
    return errors


def main(quick: bool = False) -> str:
    """Compare, and return both tables."""
    ranges, tests = [], []
    for setting in settings(read_repeats()):
        row, rows = measured(setting, QUICK_DEALS if quick else DEALS)
        ranges.append(row)
        tests += rows
    header = ["nothing changed, p < 0.05", "comparisons", "score", "direction"]
    return "\n\n".join(
        [
            table(
                [
                    "range holds a repeat's score (mean width)",
                    "by attempts",
                    "no attempts",
                ],
                ranges,
            ),
            table([*header, "largest change", "worse (the gate)"], tests),
        ]
    )


if __name__ == "__main__":
    print(main())
