# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans are called different, without a change and with one.

Without a change each test is to say so in at most 5 %, whatever outputs a scan lacks;
with one, what a scan lacks is to cost little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_outputs import (
    Verdicts,
    encoding_probes,
    fresh_prompts,
    outcomes_of,
    sharing_outputs,
    single_detectors,
)
from benchmarks.simulated_scans import (
    Floats,
    make_pair,
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

Indices = NDArray[np.int64]

RUNS, QUICK_RUNS = 1000, 40
REPLICATES = 999
ALPHA = 0.05
MISSING = 0.1, 0.3, 0.5
BEFORE, AFTER, HIGHEST = 0.9, 0.36, 0.9999
SEED = 6


def scenarios(
    pairs: Sequence[GradedPair],
) -> list[tuple[str, Floats, Floats, str]]:
    """Return name, pass rates before and after, and shares that were found first."""
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


Scan = tuple[list[GradedPair], ScanOutcomes]
Draw = Callable[[np.random.Generator], tuple[Scan, Scan]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """What is simulated.

    Attributes
    ----------
    change, known : str
        What is another in the second scan, and what is known of both.
    draw : callable
        Draws the first and the second scan.
    found : str
        What score, direction and largest change found when they were first tried.
    """

    change: str
    known: str
    draw: Draw
    found: str = ""


def scan_of(
    verdicts: Mapping[str, Verdicts],
    tiers: Mapping[str, int],
    detectors: Mapping[str, Sequence[str]],
    prompts: str,
    rng: np.random.Generator,
    *,
    start: int = 0,
    missing: float = 0.0,
) -> Scan:
    """Return pairs and outcomes of a scan that lacks some outputs."""
    judged = {}
    for probe, passed in verdicts.items():
        judged[probe] = passed.astype(object)
        judged[probe][rng.random(passed.shape[:2]) < missing] = None
    outcomes = outcomes_of(judged, detectors, prompts, start)
    graded = [
        make_pair(probe, detector, tiers[probe], *counts)
        for probe, found in outcomes.items()
        for detector, counts in found.counts().items()
        if counts[1]
    ]
    generations = max(passed.shape[1] for passed in verdicts.values())
    return graded, ScanOutcomes(outcomes=outcomes, generations=generations)


def counts_of_scan(scan: Scan, *, seed: int | None = None) -> Scan:
    """Return a scan of which no more than counts are known."""
    graded, known = scan
    return graded, ScanOutcomes(seed=seed, generations=known.generations)


def counts_alone(pairs: Sequence[GradedPair], *rates: Floats) -> Draw:
    """Scans on the same prompts, of which no more than counts are known."""
    totals = totals_of(pairs)

    def draw(rng: np.random.Generator) -> tuple[Scan, Scan]:
        same_prompts = ScanOutcomes(seed=1, generations=1)
        first, second = (
            (recounted(pairs, rng.binomial(totals, each)), same_prompts)
            for each in rates
        )
        return first, second

    return draw


def outputs_known(
    pairs: Sequence[GradedPair], *rates: Floats, missing: float = 0.0
) -> Draw:
    """The same counts, with one output to each of prompts that are never the same.

    A pair's verdicts are in random order; where pairs of a probe have other totals,
    the last outputs have no verdict for some.
    """
    probes: dict[str, list[int]] = {}
    for index, pair in enumerate(pairs):
        probes.setdefault(pair.probe, []).append(index)
    totals = totals_of(pairs)

    def scan(rng: np.random.Generator, number: int) -> Scan:
        graded, outcomes = [], {}
        for probe, indices in probes.items():
            columns = [rng.random(totals[i]) < rates[number][i] for i in indices]
            outputs = list(zip_longest(*(column.tolist() for column in columns)))
            kept = rng.random(len(outputs)) >= missing * number
            kept[0] = True
            outcomes[probe] = ProbeOutcomes(
                detectors=tuple(pairs[i].detector for i in indices),
                prompts={
                    f"{number} {place}".encode(): {outputs[place]: 1}
                    for place in np.flatnonzero(kept)
                },
            )
            counts = outcomes[probe].counts()
            graded += [
                make_pair(probe, each.detector, each.tier, *counts[each.detector])
                for each in (pairs[i] for i in indices)
                if counts[each.detector][1]
            ]
        return graded, ScanOutcomes(outcomes=outcomes, generations=1)

    return lambda rng: (scan(rng, 0), scan(rng, 1))


def sharing(*, known: bool) -> Draw:
    """Two detectors of each encoding probe judge the same outputs, nothing changed."""
    detectors, tiers = encoding_probes()

    def scan(rng: np.random.Generator) -> Scan:
        # the prompts have the same names in both scans
        verdicts = sharing_outputs(detectors, rng)
        found = scan_of(verdicts, tiers, detectors, "prompt", rng)
        return found if known else counts_of_scan(found, seed=1)

    return lambda rng: (scan(rng), scan(rng))


def fresh(generations: int, *, known: bool, missing: float = 0.0) -> Draw:
    """57 probes of 12 prompts that are never the same, nothing changed."""
    detectors, tiers = single_detectors()

    def scan(rng: np.random.Generator, number: int) -> Scan:
        verdicts = fresh_prompts(detectors, generations, rng)
        lacking = missing * number
        found = scan_of(verdicts, tiers, detectors, str(number), rng, missing=lacking)
        return found if known else counts_of_scan(found)

    return lambda rng: (scan(rng, 0), scan(rng, 1))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How large two scans of eight probes are.

    Attributes
    ----------
    prompts, generations : tuple of two int
        Of the first scan and the second.
    common : int
        Prompts that both have.
    missing : float
        Share of the second scan's outputs.
    correlation : float
        Of outputs of a prompt.
    """

    prompts: tuple[int, int] = (12, 12)
    generations: tuple[int, int] = (5, 5)
    common: int = 0
    missing: float = 0.0
    correlation: float = 0.3


def eight(sizes: Sizes, *, after: float) -> Draw:
    """Eight probes, one of which passes .9 of its outputs before and so many after."""
    detectors, tiers = single_detectors()
    names = [
        name for tier in (1, 2) for name in [n for n in tiers if tiers[n] == tier][:4]
    ]
    strength = 1 / sizes.correlation - 1
    skipped = sizes.prompts[0] - sizes.common

    def draw(rng: np.random.Generator) -> tuple[Scan, Scan]:
        verdicts: tuple[dict[str, Verdicts], dict[str, Verdicts]] = {}, {}
        for name in names:
            rate = BEFORE if name == names[-1] else min(rng.beta(3, 0.5), HIGHEST)
            prompts = skipped + sizes.prompts[1]
            rates = rng.beta(strength * rate, strength * (1 - rate), prompts)
            changed = rates * after / BEFORE if name == names[-1] else rates
            both = rates[: sizes.prompts[0]], changed[skipped:]
            for found, each, outputs in zip(
                verdicts, both, sizes.generations, strict=True
            ):
                found[name] = rng.random((len(each), outputs, 1)) < each[:, None, None]
        return (
            scan_of(verdicts[0], tiers, detectors, "prompt", rng),
            scan_of(
                verdicts[1],
                tiers,
                detectors,
                "prompt",
                rng,
                start=skipped,
                missing=sizes.missing,
            ),
        )

    return draw


def simulate(draw: Draw, runs: int) -> Floats:
    """Return the shares called different by each test."""
    rng = np.random.default_rng(SEED)
    called = np.zeros(4)
    for run in range(runs):
        (before, one), (after, other) = draw(rng)
        names = {pair.name: pair for pair in before}
        both = [(names[pair.name], pair) for pair in after if pair.name in names]
        tests = permutation_tests(
            exchange_of(both, one, other),
            with_score=True,
            replicates=REPLICATES,
            seed=run,
        )
        assert tests.p_score is not None
        p_values = [tests.p_score, tests.p_cmh, tests.p_largest_z, tests.p_worse]
        called += [p <= ALPHA for p in p_values]
    return called / runs


def sized() -> list[tuple[str, Sizes]]:
    """Return scans that are not of one size, and what they are held against."""
    found = []
    for common, which in ((0, "fresh"), (12, "same")):
        for missing in (0.0, *MISSING):
            name = f"{which} prompts, 12 x 5, {missing:.0%} missing"
            found.append((name, Sizes(common=common, missing=missing)))
    for missing in (0.0, 0.5):
        lacking = f"{missing:.0%} missing"
        found += [
            (
                f"12 x 5 against 12 x 10, {lacking}",
                Sizes(generations=(5, 10), missing=missing),
            ),
            (
                f"12 x 5 against 24 x 5, {lacking}",
                Sizes(prompts=(12, 24), missing=missing),
            ),
            (
                f"12 x 5 against 24 x 10, {lacking}",
                Sizes(prompts=(12, 24), generations=(5, 10), missing=missing),
            ),
        ]
    return [
        *found,
        ("same prompts, 12 x 5 against 12 x 10", Sizes(generations=(5, 10), common=12)),
        ("half the prompts common, 30% missing", Sizes(common=6, missing=0.3)),
        ("correlation .9, 12 x 5, 30% missing", Sizes(correlation=0.9, missing=0.3)),
        ("3 x 5, 30% missing", Sizes(prompts=(3, 3), missing=0.3)),
    ]


def rows() -> list[Row]:
    """Return everything that is simulated."""
    pairs = real_scan()
    found: list[Row] = []
    for change, before, after, shares in scenarios(pairs):
        draws = outputs_known(pairs, before, after), counts_alone(pairs, before, after)
        found.append(Row(change=change, known="outputs", draw=draws[0], found=shares))
        found.append(Row(change=change, known="counts", draw=draws[1]))
    _, same, *_ = scenarios(pairs)
    for known in (True, False):
        what = "outputs" if known else "counts"
        change = "no change; encoding probes, two detectors on the same outputs"
        found.append(Row(change=change, known=what, draw=sharing(known=known)))
        for generations in (5, 10):
            change = f"no change; fresh prompts, {generations} generations"
            draw = fresh(generations, known=known)
            found.append(Row(change=change, known=what, draw=draw))
    for missing in MISSING:
        change = f"no change; {missing:.0%} missing, one generation"
        draw = outputs_known(pairs, same[1], same[1], missing=missing)
        found.append(Row(change=change, known="outputs", draw=draw))
        change = f"no change; {missing:.0%} missing, fresh prompts, 5 generations"
        draw = fresh(5, known=True, missing=missing)
        found.append(Row(change=change, known="outputs", draw=draw))
    for name, sizes in sized():
        for change, to in (("no change", BEFORE), ("one of eight fell", AFTER)):
            draw = eight(sizes, after=to)
            found.append(Row(change=f"{change}; {name}", known="outputs", draw=draw))
    return found


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    shown = []
    for row in rows():
        shares = simulate(row.draw, QUICK_RUNS if quick else RUNS)
        numbers = (f"{share:.1%}" for share in shares)
        shown.append([row.change, row.known, *numbers, row.found])
    header = ["what changed", "known", "score", "direction (CMH)"]
    header += ["largest change", "worse (the gate)", "found first"]
    return table(header, shown)


if __name__ == "__main__":
    print(main())
