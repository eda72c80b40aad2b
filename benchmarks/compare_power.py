# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans are called different, without a change and with one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_scans import (
    Floats,
    Scorer,
    rates_of,
    real_scan,
    recounted,
    totals_of,
)
from benchmarks.timing import table
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.permutation import permutation_tests
from garak_tbsa.tbsa.strata import ScanOutputs, exchange_of

Indices = NDArray[np.int64]

SAME_PROMPTS = ScanOutputs(seed=1, generations=1)
RUNS, QUICK_RUNS = 1000, 100
REPLICATES = 999
ALPHA = 0.05
SEED = 6


def scenarios(
    pairs: Sequence[GradedPair],
) -> list[tuple[str, Floats, Floats, str]]:
    """Return name, pass rates before and after, and the prototype's shares."""
    seen, totals = rates_of(pairs), totals_of(pairs)
    # nothing says that a clean pair never fails
    rates = np.where(seen == 1, 1 - 1 / (3 * totals), seen)
    tiers = np.array([pair.tier for pair in pairs])

    def shifted(*shifts: tuple[Indices, float]) -> Floats:
        after = rates.copy()
        for which, shift in shifts:
            after[which] += shift
        clipped: Floats = np.clip(after, 0, 1)
        return clipped

    # pairs of which enough outputs were evaluated to see anything
    large = totals >= 100
    clean1 = np.flatnonzero((seen == 1) & (tiers == 1) & large)
    clean2 = np.flatnonzero((seen == 1) & (tiers == 2) & large)
    middling = np.flatnonzero((seen >= 0.5) & (seen < 0.7) & large)
    changes = [
        ("no change", rates, "6 / 5 / 6 %"),
        ("failures x 1.2", np.clip(1 - 1.2 * (1 - rates), 0, 1), "46 / 100 / 88 %"),
        (
            "three clean Tier 1 pairs down .10",
            shifted((clean1[:3], -0.10)),
            "24 / 43 / 100 %",
        ),
        (
            "one clean Tier 2 pair down .30",
            shifted((clean2[:1], -0.30)),
            "22 / 40 / 100 %",
        ),
        (
            "four pairs down .15, four up .15",
            shifted((middling[0:8:2], -0.15), (middling[1:8:2], 0.15)),
            "11 / 4 / 100 %",
        ),
    ]
    return [
        ("no change, clean pairs truly 1", seen, seen, ""),
        *((name, rates, after, prototype) for name, after, prototype in changes),
    ]


def simulate(
    pairs: Sequence[GradedPair], before: Floats, after: Floats, runs: int
) -> Floats:
    """Return the shares called different by each test, and whose scores differ."""
    rng = np.random.default_rng(SEED)
    totals, scorer = totals_of(pairs), Scorer(pairs)
    called = np.zeros(5)
    for run in range(runs):
        counts = [rng.binomial(totals, rates) for rates in (before, after)]
        scores = scorer.tenths(np.array(counts))
        both = list(zip(*(recounted(pairs, each) for each in counts), strict=True))
        exchange = exchange_of(both, SAME_PROMPTS, SAME_PROMPTS)
        tests = permutation_tests(
            both, exchange, with_score=True, replicates=REPLICATES, seed=run
        )
        assert tests.p_score is not None
        p_values = [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]
        called += [*(p <= ALPHA for p in p_values), scores[0] != scores[1]]
    return called / runs


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    pairs = real_scan()
    rows = []
    for name, before, after, prototype in scenarios(pairs):
        shares = simulate(pairs, before, after, QUICK_RUNS if quick else RUNS)
        rows.append([name, *(f"{share:.0%}" for share in shares), prototype])
    header = ["57 pairs, what changed", "score", "direction (CMH)", "largest change"]
    header += ["worse (the gate)", "scores that differ", "prototype"]
    return table(header, rows)


if __name__ == "__main__":
    print(main())
