# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often a change of a small real model is found, dealt from its real outputs.

Both scans are dealt on the same prompts and share no output. Then the change: passing
outputs of the changed pairs become hits at random (``down``), or all outputs of three
pairs pass in the first scan, since a guard blocked them, and none does in the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.dealt_scans import Pool, Pools, Scan, deal, pooled, scan_of
from benchmarks.real_repeats import ALPHA, compared
from benchmarks.simulated_scans import Floats
from benchmarks.timing import table
from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from tools.real_model.verdicts import read_repeats

if TYPE_CHECKING:
    from garak_tbsa.garak_files.outcomes import Pattern

RUNS, QUICK_RUNS = 400, 40
SEED = 12

HIT_NEARLY_ALWAYS = ("grandma.Slurs", "phrasing.PastTense", "suffix.GCGCached")
HIT_A_THIRD = (
    "malwaregen.TopLevel",
    "promptinject.HijackHateHumans",
    "promptinject.HijackKillHumans",
)

Change = Callable[[Pools, np.random.Generator], tuple[Scan, Scan, list[str]]]
"""Deals two scans; the last are the probes that changed."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What changed.

    Attributes
    ----------
    name : str
    change : callable
    first_found : str
        Score, direction, largest change and worse in the 32 comparisons of the issue
        that asked for this, in per cent; its pairs are not known.
    """

    name: str
    change: Change
    first_found: str


def scenarios() -> list[Scenario]:
    """Return the changes of the issue that asked for them."""
    return [
        Scenario(
            name="a guard removed from 3 pairs that are hit nearly always",
            change=partial(guard_removed, guarded=HIT_NEARLY_ALWAYS),
            first_found="100 / 94 / 100 / 100",
        ),
        Scenario(
            name="a guard removed from 3 pairs that are hit a third of the time",
            change=partial(guard_removed, guarded=HIT_A_THIRD),
            first_found="",
        ),
        Scenario(
            name="one pair down .40 of 16 outputs",
            change=partial(fallen, pairs=1, share=0.40, prompts=8, generations=2),
            first_found="16 / 19 / 59 / 63",
        ),
        Scenario(
            name="two pairs down .25 of 12 outputs",
            change=partial(fallen, pairs=2, share=0.25, prompts=12, generations=1),
            first_found="0 / 25 / 13 / 38",
        ),
    ]


def guard_removed(
    pools: Pools, rng: np.random.Generator, *, guarded: Sequence[str]
) -> tuple[Scan, Scan, list[str]]:
    """Let everything pass in the first scan that the guard is before."""
    first, second = deal(pools, 1, rng)
    blocked = {
        probe: _changed(
            first.outcomes[probe], lambda pattern: tuple(True for _ in pattern)
        )
        for probe in guarded
    }
    return _again(first, blocked), second, list(guarded)


def fallen(
    pools: Pools,
    rng: np.random.Generator,
    *,
    pairs: int,
    share: float,
    prompts: int,
    generations: int,
) -> tuple[Scan, Scan, list[str]]:
    """Lower the pass rates of some pairs, each of its probe's first detector.

    Parameters
    ----------
    pools : mapping of str to Pool
    rng : numpy.random.Generator
    pairs : int
        How many; drawn from those that pass at least so often.
    share : float
        By how much, of all outputs.
    prompts, generations : int
        Of the changed pairs; the others have one generation.
    """
    able = {
        probe: rate
        for probe, pool in pools.items()
        for rate in [_pass_rate(pool)]
        if rate >= share and len(pool.prompts) >= prompts
    }
    chosen = [str(probe) for probe in rng.permutation(sorted(able))[:pairs]]
    first, second = deal(pools, 1, rng)
    lower = {probe: _cut(pools[probe], prompts, rng) for probe in chosen}
    before, after = deal(lower, generations, rng)

    def hit(pattern: Pattern, rate: float) -> Pattern:
        falls = pattern[0] is True and rng.random() < share / rate
        return (False, *pattern[1:]) if falls else pattern

    worse = {
        probe: _changed(after.outcomes[probe], partial(hit, rate=able[probe]))
        for probe in chosen
    }
    return _again(first, before.outcomes), _again(second, worse), chosen


def _cut(pool: Pool, prompts: int, rng: np.random.Generator) -> Pool:
    kept = [list(pool.prompts)[i] for i in rng.permutation(len(pool.prompts))[:prompts]]
    return Pool(
        detectors=pool.detectors,
        prompts={prompt: pool.prompts[prompt] for prompt in kept},
    )


def _pass_rate(pool: Pool) -> float:
    """Of the first detector, over all outputs there are."""
    verdicts = [pattern[0] for each in pool.prompts.values() for pattern in each]
    return verdicts.count(True) / len(verdicts)


def _changed(
    outcomes: ProbeOutcomes, change: Callable[[Pattern], Pattern]
) -> ProbeOutcomes:
    return ProbeOutcomes(
        detectors=outcomes.detectors,
        prompts={
            prompt: Counter(change(each) for each in Counter(patterns).elements())
            for prompt, patterns in outcomes.prompts.items()
        },
    )


def _again(scan: Scan, outcomes: Mapping[str, ProbeOutcomes]) -> Scan:
    return scan_of({**scan.outcomes, **outcomes}, scan.seed, scan.generations)


def found_by(
    pools: Pools, change: Change, runs: int, *, attempts: bool
) -> tuple[Floats, float]:
    """Return how often each test finds a change, and how often the pair is right.

    Returns
    -------
    found : array of float, shape (4,)
        Shares of comparisons with p < 0.05: score, direction, largest, worse.
    named : float
        Share of those found by the largest change whose pair is one that changed.
    """
    rng = np.random.default_rng(SEED)
    found, named = np.zeros(4), []
    for run in range(runs):
        first, second, probes = change(pools, rng)
        tests = compared(first, second, run, attempts=attempts)
        assert tests.p_score is not None
        p = np.array([tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse])
        found += p < ALPHA
        if tests.p_largest_z < ALPHA:
            named.append(tests.largest_pair.split("+")[0] in probes)
    return found / runs, float(np.mean(named)) if named else float("nan")


def main(quick: bool = False) -> str:
    """Compare, and return the table."""
    repeats = read_repeats()
    pools = pooled([scan for name in ("five", "one") for scan in repeats.of(name)])
    runs = QUICK_RUNS if quick else RUNS
    rows: list[Sequence[str]] = []
    for scenario in scenarios():
        for attempts in (True, False):
            found, named = found_by(pools, scenario.change, runs, attempts=attempts)
            rows.append(
                [
                    scenario.name,
                    "outputs" if attempts else "counts",
                    *(f"{share:.0%}" for share in found),
                    "" if np.isnan(named) else f"{named:.0%}",
                    scenario.first_found if attempts else "",
                ]
            )
    header = ["25 pairs, what changed", "known", "score", "direction"]
    header += ["largest change", "worse (the gate)", "pair named rightly"]
    return table([*header, "first measured"], rows) + f"\n\n{runs} comparisons a row."


if __name__ == "__main__":
    print(main())
