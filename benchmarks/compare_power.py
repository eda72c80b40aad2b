# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans are called different, without a change and with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_outputs import (
    encoding_probes,
    fresh_prompts,
    outcomes_of,
    pairs_of,
    sharing_outputs,
    single_detectors,
)
from benchmarks.simulated_scans import (
    Floats,
    rates_of,
    real_scan,
    recounted,
    totals_of,
)
from benchmarks.timing import table
from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.statistics.exchange import ScanOutcomes, exchange_of
from garak_tbsa.statistics.permutation import permutation_tests
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.score import score_pairs

Indices = NDArray[np.int64]

SAME_PROMPTS = ScanOutcomes(seed=1, generations=1)
RUNS, QUICK_RUNS = 200, 40
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


Draw = Callable[[np.random.Generator, int], tuple[list[GradedPair], ScanOutcomes]]
"""Draws the first (0) or second (1) scan."""


def counts_alone(pairs: Sequence[GradedPair], *rates: Floats) -> Draw:
    """Scans on the same prompts, of which no more than counts are known."""
    totals = totals_of(pairs)

    def draw(
        rng: np.random.Generator, scan: int
    ) -> tuple[list[GradedPair], ScanOutcomes]:
        passed = rng.binomial(totals, rates[scan])
        return recounted(pairs, passed), SAME_PROMPTS

    return draw


def outputs_known(pairs: Sequence[GradedPair], *rates: Floats) -> Draw:
    """The same counts, with one output to each of prompts that are never the same.

    A pair's verdicts are in random order; where pairs of a probe have other totals,
    the last outputs have no verdict for some.
    """
    totals = totals_of(pairs)
    probes: dict[str, list[int]] = {}
    for index, pair in enumerate(pairs):
        probes.setdefault(pair.probe, []).append(index)

    def draw(
        rng: np.random.Generator, scan: int
    ) -> tuple[list[GradedPair], ScanOutcomes]:
        passed = np.zeros(len(pairs), dtype=np.int64)
        outcomes = {}
        for probe, indices in probes.items():
            columns = [rng.random(totals[i]) < rates[scan][i] for i in indices]
            passed[indices] = [int(column.sum()) for column in columns]
            outputs = zip_longest(*(column.tolist() for column in columns))
            outcomes[probe] = ProbeOutcomes(
                detectors=tuple(pairs[i].detector for i in indices),
                prompts={
                    f"{scan} {number}".encode(): {pattern: 1}
                    for number, pattern in enumerate(outputs)
                },
            )
        return recounted(pairs, passed), ScanOutcomes(outcomes=outcomes, generations=1)

    return draw


def sharing(*, known: bool) -> Draw:
    """Two detectors of each encoding probe judge the same outputs, nothing changed."""
    detectors, tiers = encoding_probes()

    def draw(
        rng: np.random.Generator, scan: int
    ) -> tuple[list[GradedPair], ScanOutcomes]:
        verdicts = sharing_outputs(detectors, rng)
        pairs = pairs_of(verdicts, detectors, tiers)
        if not known:
            return pairs, SAME_PROMPTS
        # the prompts have the same names in both scans
        found = outcomes_of(verdicts, detectors, "prompt")
        return pairs, ScanOutcomes(outcomes=found, seed=1, generations=1)

    return draw


def fresh(generations: int, *, known: bool) -> Draw:
    """Scans that send other prompts, with several outputs to each."""
    detectors, tiers = single_detectors()

    def draw(
        rng: np.random.Generator, scan: int
    ) -> tuple[list[GradedPair], ScanOutcomes]:
        verdicts = fresh_prompts(detectors, generations, rng)
        pairs = pairs_of(verdicts, detectors, tiers)
        if not known:
            return pairs, ScanOutcomes(generations=generations)
        found = outcomes_of(verdicts, detectors, str(scan))
        return pairs, ScanOutcomes(outcomes=found, generations=generations)

    return draw


def simulate(draw: Draw, runs: int) -> Floats:
    """Return the shares called different by each test, and whose scores differ."""
    rng = np.random.default_rng(SEED)
    called = np.zeros(5)
    for run in range(runs):
        (before, one), (after, other) = draw(rng, 0), draw(rng, 1)
        both = list(zip(before, after, strict=True))
        tests = permutation_tests(
            both,
            exchange_of(both, one, other),
            with_score=True,
            replicates=REPLICATES,
            seed=run,
        )
        assert tests.p_score is not None
        p_values = [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]
        differ = score_pairs(before).tbsa != score_pairs(after).tbsa
        called += [*(p <= ALPHA for p in p_values), differ]
    return called / runs


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    pairs = real_scan()
    rows: list[tuple[str, str, Draw, str]] = []
    for name, before, after, prototype in scenarios(pairs):
        rows.append(("outputs", name, outputs_known(pairs, before, after), prototype))
        rows.append(("counts", name, counts_alone(pairs, before, after), ""))
    for known in (True, False):
        what = "outputs" if known else "counts"
        name = "no change; encoding probes, two detectors on the same outputs"
        rows.append((what, name, sharing(known=known), ""))
        for generations in (5, 10):
            name = f"no change; fresh prompts, {generations} generations"
            rows.append((what, name, fresh(generations, known=known), ""))
    shown = []
    for what, name, draw, prototype in rows:
        shares = simulate(draw, QUICK_RUNS if quick else RUNS)
        shown.append([name, what, *(f"{share:.0%}" for share in shares), prototype])
    header = ["57 pairs, what changed", "known", "score", "direction (CMH)"]
    header += ["largest change", "worse (the gate)", "scores that differ", "prototype"]
    return table(header, shown)


if __name__ == "__main__":
    print(main())
