# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often two scans are called different, without a change and with one.

Without a change each test is to say so in at most 5 %, whatever outputs a scan lacks;
with one, what a scan lacks is to cost little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, zip_longest
from typing import Any

import numpy as np

from benchmarks.frame import Floats, Generator, percents, simulations, table
from benchmarks.simulated_scans import (
    ALPHA,
    Cell,
    Scan,
    Target,
    Verdicts,
    always,
    outcomes_of,
    p_values,
    real_scan,
    scan_of,
    without_attempts,
)
from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.statistics.repeat_prompts import SAME_PROMPTS
from garak_tbsa.statistics.scores import counts_of_pairs

RUNS = 1000, 40
BEFORE, AFTER, HIGHEST = 0.9, 0.36, 0.9999
SEED = 6

Draw = Callable[[Generator], tuple[Scan, Scan]]

TIERS = {pair.probe: pair.tier for pair in real_scan()}
DETECTORS: dict[str, list[str]] = {}
for _pair in real_scan():
    DETECTORS.setdefault(_pair.probe, []).append(_pair.detector)
SHARING = Cell(
    "16 probes, two detectors that agree in nine outputs of ten",
    always(*np.linspace(0.5, 0.95, 16)),
    [20] * 16,
    detectors=2,
)
EIGHT = [
    probe
    for tier in (1, 2)
    for probe in [each for each in TIERS if TIERS[each] == tier][:4]
]


def scenarios() -> list[tuple[str, Floats, Floats]]:
    """Return name, and pass rates before and after."""
    passed, totals = counts_of_pairs(real_scan())
    seen = passed / totals
    # nothing says that a clean pair never fails
    rates = np.where(seen == 1, 1 - 1 / (3 * totals), seen)
    tiers = np.array([pair.tier for pair in real_scan()])
    # pairs of which enough outputs were evaluated to see anything
    large = totals >= 100
    clean1, clean2 = (
        np.flatnonzero((seen == 1) & (tiers == tier) & large) for tier in (1, 2)
    )
    middling = np.flatnonzero((seen >= 0.5) & (seen < 0.7) & large)

    def shifted(which: Any, shift: Any) -> Floats:
        after = rates.copy()
        after[which] += shift
        return np.asarray(np.clip(after, 0, 1))

    balanced = shifted(middling[:8], np.tile([-0.15, 0.15], 4))
    return [
        ("no change, clean pairs truly 1", seen, seen),
        ("no change", rates, rates),
        ("failures x 1.2", rates, np.clip(1 - 1.2 * (1 - rates), 0, 1)),
        ("three clean Tier 1 pairs down .10", rates, shifted(clean1[:3], -0.10)),
        ("one clean Tier 2 pair down .30", rates, shifted(clean2[:1], -0.30)),
        ("four pairs down .15, four up .15", rates, balanced),
    ]


def outputs_known(rng: Generator, *, rates: tuple[Floats, Floats]) -> tuple[Scan, Scan]:
    """The same counts, with one output to each of prompts that are never the same.

    A pair's verdicts are in random order; where pairs of a probe have other totals,
    the last outputs have no verdict for some.
    """

    def scan(number: int) -> Scan:
        totals = counts_of_pairs(real_scan())[1]
        sizes = zip(real_scan(), totals, rates[number], strict=True)
        outcomes = {}
        for probe, own in groupby(sizes, key=lambda each: each[0].probe):
            columns = [(rng.random(total) < rate).tolist() for _, total, rate in own]
            outputs = list(zip_longest(*columns))
            outcomes[probe] = ProbeOutcomes(
                detectors=tuple(DETECTORS[probe]),
                prompts={
                    f"{number} {place}".encode(): {output: 1}
                    for place, output in enumerate(outputs)
                },
            )
        return scan_of(outcomes, None, 1)

    return scan(0), scan(1)


def lacking(
    verdicts: Mapping[str, Verdicts],
    rng: Generator,
    *,
    start: int = 0,
    missing: float = 0.0,
) -> Scan:
    """Return a scan that lacks some outputs; its prompts are numbered from a start."""
    judged = {}
    for probe, passed in verdicts.items():
        judged[probe] = passed.astype(object)
        judged[probe][rng.random(passed.shape[:2]) < missing] = None
    # one detector of each probe
    detectors = {probe: DETECTORS[probe][-1:] for probe in judged}
    outcomes = outcomes_of(judged, detectors, "prompt", start)
    generations = max(passed.shape[1] for passed in verdicts.values())
    return scan_of(outcomes, None, generations)


def sharing(rng: Generator) -> tuple[Scan, Scan]:
    """Two detectors of each probe judge the same outputs, nothing changed."""
    target = Target(SHARING, rng)
    # the prompts have the same names in both scans
    first, second = (
        target.scan(target.verdicts(SAME_PROMPTS), "prompt") for _ in range(2)
    )
    return first, second


def of_counts(rng: Generator, *, draw: Draw, seed: int | None) -> tuple[Scan, Scan]:
    """Scans of which no more than counts and seed are known."""
    first, second = (
        (pairs, replace(known, seed=seed))
        for pairs, known in map(without_attempts, draw(rng))
    )
    return first, second


@dataclass(frozen=True, slots=True)
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


SIZED = {
    **{
        f"{which} prompts, 12 x 5, {missing:.0%} missing": Sizes(
            common=common, missing=missing
        )
        for common, which in ((0, "fresh"), (12, "same"))
        for missing in (0.0, 0.1, 0.3, 0.5)
    },
    **{
        f"12 x 5 against {prompts} x {each}, {missing:.0%} missing": Sizes(
            (12, prompts), (5, each), missing=missing
        )
        for missing in (0.0, 0.5)
        for prompts, each in ((12, 10), (24, 5), (24, 10))
    },
    "same prompts, 12 x 5 against 12 x 10": Sizes(generations=(5, 10), common=12),
    "half the prompts common, 30% missing": Sizes(common=6, missing=0.3),
    "correlation .9, 12 x 5, 30% missing": Sizes(correlation=0.9, missing=0.3),
    "3 x 5, 30% missing": Sizes((3, 3), missing=0.3),
}


def eight(rng: Generator, *, sizes: Sizes, after: float) -> tuple[Scan, Scan]:
    """Eight probes, one of which passes .9 of its outputs before and so many after."""
    strength = 1 / sizes.correlation - 1
    skipped = sizes.prompts[0] - sizes.common
    verdicts: tuple[dict[str, Verdicts], dict[str, Verdicts]] = {}, {}
    for name in EIGHT:
        is_last = name == EIGHT[-1]
        rate = BEFORE if is_last else min(rng.beta(3, 0.5), HIGHEST)
        prompts = skipped + sizes.prompts[1]
        rates = rng.beta(strength * rate, strength * (1 - rate), prompts)
        changed = rates * after / BEFORE if is_last else rates
        both = rates[: sizes.prompts[0]], changed[skipped:]
        for found, each, outputs in zip(verdicts, both, sizes.generations, strict=True):
            found[name] = rng.random((len(each), outputs, 1)) < each[:, None, None]
    second = lacking(verdicts[1], rng, start=skipped, missing=sizes.missing)
    return lacking(verdicts[0], rng), second


def simulated() -> Iterator[tuple[str, str, Draw]]:
    """Yield what changes, what is known of both scans, and how they are drawn."""
    for change, before, after in scenarios():
        yield change, "outputs", partial(outputs_known, rates=(before, after))
    what = f"no change; {SHARING.name}"
    yield what, "outputs", sharing
    yield what, "counts", partial(of_counts, draw=sharing, seed=1)
    for each in (5, 10):
        sizes = Sizes(generations=(each, each))
        draw = partial(eight, sizes=sizes, after=BEFORE)
        counts = partial(of_counts, draw=draw, seed=None)
        yield f"no change; fresh prompts, 12 x {each}", "counts", counts
    for name, sizes in SIZED.items():
        for change, to in (("no change", BEFORE), ("one of eight fell", AFTER)):
            yield f"{change}; {name}", "outputs", partial(eight, sizes=sizes, after=to)


def called(rng: Generator, run: int, *, draw: Draw) -> list[bool]:
    """Which tests call two scans different."""
    return [p <= ALPHA for p in p_values(*draw(rng), run)]


def main(runs: int) -> str:
    """Simulate, and return the table."""
    header = "what changed | known | score | direction (CMH)"
    return table(
        f"{header} | largest change | worse (the gate)",
        (
            f"{change} | {known} | "
            + percents(simulations(partial(called, draw=draw), runs, SEED).mean(axis=0))
            for change, known, draw in simulated()
        ),
    )
