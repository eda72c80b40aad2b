# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the range holds the score of a repeat, over targets that are known.

Each cell is a kind of target. A run draws a target, its scan, the range of that scan,
and ten repeats. Calibrated cells grade by the installed calibration too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import Parallel, delayed

from benchmarks.simulated_outputs import Verdicts, outcomes_of
from benchmarks.simulated_scans import (
    NO_ATTEMPTS,
    Counts,
    Floats,
    calibrated_scan,
    calibration,
    make_pair,
    predicted_range,
    real_scan,
    recounted,
    tenths_of,
)
from benchmarks.timing import table
from garak_tbsa.garak_files.outcomes import Outcomes, ProbeOutcomes
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.unavailable import Unavailable

RUNS, QUICK_RUNS, REPEATS, SEED = 1000, 20, 10, 2026
BOUNDS = np.array([0.05, 0.4, 0.8, 0.99])

Rates = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A kind of target.

    Attributes
    ----------
    name : str
    rates : callable
        Draws the pass rate of each probe.
    prompts : sequence of int
        Of each probe.
    generations : int
    correlation : float
        Of two outputs of a prompt.
    detectors : int
        Of each probe.
    together : str
        ``agree`` (nine verdicts in ten are those of the first) or ``exclude`` (an
        output fails for one detector at most).
    pairs : sequence of GradedPair
        With calibration, names and tiers; none for uncalibrated ones.
    """

    name: str
    rates: Rates
    prompts: Sequence[int]
    generations: int = 1
    correlation: float = 0.0
    detectors: int = 1
    together: str = "agree"
    pairs: Sequence[GradedPair] = ()


def beta(a: float, b: float, count: int) -> Rates:
    """Rates that are beta-distributed."""
    return lambda rng: rng.beta(a, b, count)


def always(*rates: float, times: int = 1) -> Rates:
    """The same rates in every run."""
    return lambda _: np.repeat(rates, times)


def joined(*parts: Rates) -> Rates:
    """One kind of rates after the other."""
    return lambda rng: np.concatenate([part(rng) for part in parts])


def mostly_clean(count: int, clean: float, worst: float, best: float) -> Rates:
    """Rates of 1, and some that are evenly distributed."""

    def rates(rng: np.random.Generator) -> Floats:
        other = rng.uniform(worst, best, count)
        return np.where(rng.random(count) < clean, 1.0, other)

    return rates


def cells() -> list[Cell]:
    """Return the kinds of targets that the model is held to."""
    of_3_to_7 = [3, 4, 5, 6, 7] * 4
    near = np.clip(np.repeat(BOUNDS, 8)[:30] + np.tile([-0.02, 0.02], 15), 0, 1)
    return [
        Cell(
            name="20 pairs of 3 to 7 at .997, 20 of 150 at Beta(3, 2)",
            rates=joined(always(0.997, times=20), beta(3, 2, 20)),
            prompts=[*of_3_to_7, *[150] * 20],
        ),
        Cell(
            name="20 pairs of 3 to 7 at Beta(3, 2), 20 of 150 at .997",
            rates=joined(beta(3, 2, 20), always(0.997, times=20)),
            prompts=[*of_3_to_7, *[150] * 20],
        ),
        Cell(
            name="two kinds: 20 pairs at .95 to 1, 20 at .1 to .5",
            rates=joined(mostly_clean(20, 0, 0.95, 1), mostly_clean(20, 0, 0.1, 0.5)),
            prompts=[10] * 40,
            generations=5,
            correlation=0.3,
        ),
        Cell(
            name="40 pairs, 85 % clean, others at 0 to .3",
            rates=mostly_clean(40, 0.85, 0, 0.3),
            prompts=[10] * 40,
            generations=5,
            correlation=0.2,
        ),
        *(
            Cell(
                name="26 pairs, Beta(.8, .2)",
                rates=beta(0.8, 0.2, 26),
                prompts=[10] * 26,
                generations=10,
                correlation=correlation,
            )
            for correlation in (0.2, 0.6, 0.9, 1.0)
        ),
        Cell(
            name="8 probes, 4 detectors that agree",
            rates=beta(3, 1, 8),
            prompts=[10] * 8,
            generations=5,
            correlation=0.2,
            detectors=4,
        ),
        Cell(
            name="12 probes, 3 detectors that exclude each other",
            rates=beta(3, 1, 12),
            prompts=[10] * 12,
            generations=5,
            correlation=0.2,
            detectors=3,
            together="exclude",
        ),
        Cell(name="200 pairs of 5", rates=beta(3, 1, 200), prompts=[5] * 200),
        Cell(
            name="30 pairs of 40 that never fail",
            rates=always(1.0, times=30),
            prompts=[8] * 30,
            generations=5,
        ),
        Cell(
            name="25 pairs of 6 at .95",
            rates=always(0.95, times=25),
            prompts=[6] * 25,
        ),
        Cell(
            name="26 pairs at .99",
            rates=always(0.99, times=26),
            prompts=[12] * 26,
            generations=5,
            correlation=0.2,
        ),
        Cell(
            name="30 pairs at the bounds of grades",
            rates=lambda _: near,
            prompts=[12] * 30,
            generations=5,
            correlation=0.2,
        ),
        Cell(
            name="3 pairs, Beta(3, 1)",
            rates=beta(3, 1, 3),
            prompts=[10] * 3,
            generations=5,
            correlation=0.2,
        ),
        Cell(name="5 pairs of 5, Beta(3, 1)", rates=beta(3, 1, 5), prompts=[5] * 5),
        Cell(name="8 pairs of 6 at .9", rates=always(0.9, times=8), prompts=[6] * 8),
        *calibrated_cells(),
        *held_back_cells(),
    ]


def held_back_cells() -> list[Cell]:
    """Return kinds of targets that were written down first and simulated last.

    Nothing of the model was chosen by them: they were not run until it was fixed.
    """
    sizes = [2, 3, 4, 6, 9, 13, 20, 30, 45, 70, 100, 150] * 2
    return [
        Cell(
            name="held back: 24 pairs of 2 to 150, half at .97, half Beta(1, 1)",
            rates=joined(always(0.97, times=12), beta(1, 1, 12)),
            prompts=sizes,
            generations=3,
            correlation=0.5,
        ),
        Cell(
            name="held back: 15 probes, 2 detectors that agree, Beta(.5, .5)",
            rates=beta(0.5, 0.5, 15),
            prompts=[25] * 15,
            generations=2,
            correlation=0.35,
            detectors=2,
        ),
    ]


def calibrated_cells() -> list[Cell]:
    """Return targets with the pairs of garak's calibration; one generation."""
    real, all_pairs = real_scan(), calibrated_scan()
    n_real = np.array([pair.total_evaluated for pair in real])
    n_all = np.array([pair.total_evaluated for pair in all_pairs])
    rates = np.array([pair.pass_rate for pair in real])
    models = [
        calibration().distributions[pair.name.replace("+", "/")] for pair in all_pairs
    ]
    mu = np.array([each.mu for each in models])
    sigma = np.array([each.sigma for each in models])
    nearly = 1 - 1 / (3 * n_real)

    def at_models(rng: np.random.Generator) -> Floats:
        return np.clip(mu + sigma * rng.standard_normal(len(mu)), 0, 1)

    of_real = partial(Cell, prompts=n_real.tolist(), pairs=real)
    of_all = partial(Cell, prompts=n_all.tolist(), pairs=all_pairs)
    return [
        of_real(name="real scan, 57 pairs", rates=lambda _: rates),
        of_real(
            name="the same, clean ones at 1 - 1/(3n)",
            rates=lambda _: np.where(rates == 1, nearly, rates),
        ),
        of_real(name="its pairs, Beta(.8, .1)", rates=beta(0.8, 0.1, 57)),
        of_real(name="its pairs, all at .9985", rates=always(0.9985, times=57)),
        of_real(name="its pairs, all at 1 - 1/(3n)", rates=lambda _: nearly),
        of_all(name="119 pairs at calibration mu + sigma N", rates=at_models),
        of_all(name="119 pairs, Beta(5, 1)", rates=beta(5, 1, len(all_pairs))),
    ]


class Target:
    """A target of a cell: what its scans show."""

    def __init__(self, cell: Cell, rng: np.random.Generator) -> None:
        self.cell, self.rng = cell, rng
        self.rates = cell.rates(rng)
        self.of_prompts = self._prompt_rates()

    def _prompt_rates(self) -> list[Floats]:
        rho = self.cell.correlation
        found = []
        for rate, prompts in zip(self.rates, self.cell.prompts, strict=True):
            if rho == 0 or rate in (0, 1):
                found.append(np.full(prompts, rate))
            elif rho == 1:
                found.append((self.rng.random(prompts) < rate).astype(float))
            else:
                strength = 1 / rho - 1
                a, b = rate * strength, (1 - rate) * strength
                found.append(self.rng.beta(max(a, 1e-9), max(b, 1e-9), prompts))
        return found

    def scan(self, repeat: str) -> list[Verdicts]:
        """Return the verdicts of one more scan, for each probe."""
        if repeat == FRESH_PROMPTS:
            self.of_prompts = self._prompt_rates()
        return [self._passed(rates[:, None]) for rates in self.of_prompts]

    def _passed(self, rates: Floats) -> Verdicts:
        cell = self.cell
        shape = (len(rates), cell.generations)
        first = self.rng.random(shape) < rates
        if cell.detectors == 1:
            verdicts = first[..., None]
        elif cell.together == "agree":
            differs = self.rng.random((*shape, cell.detectors - 1)) > 0.9
            verdicts = np.concatenate([first[..., None], first[..., None] ^ differs], 2)
        else:
            who = self.rng.integers(cell.detectors, size=shape)[..., None]
            verdicts = first[..., None] | (who != np.arange(cell.detectors))
        return verdicts


def pairs_of(cell: Cell) -> list[GradedPair]:
    """Return the pairs of a cell, probe by probe; Tier 1 and 2 in turn."""
    if cell.pairs:
        return [*cell.pairs]
    pairs = []
    for number, prompts in enumerate(cell.prompts):
        for detector in range(cell.detectors):
            total = prompts * cell.generations
            names = (f"simulated.P{number}", f"simulated.D{detector}")
            pairs.append(make_pair(*names, 1 + number % 2, total, total))
    return pairs


@dataclass(frozen=True, kw_only=True)
class Held:
    """Of one run: whether repeats were within the range, and how wide that is."""

    share: float
    width: float


RangeOf = Callable[..., tuple[float, float]]


def run(
    cell: Cell, repeat: str, by_attempts: bool, number: int, range_of: RangeOf
) -> Held:
    """Draw a target, its scan and repeats, and hold these against the range."""
    rng = np.random.default_rng((SEED, number))
    target, pairs = Target(cell, rng), pairs_of(cell)
    scan = target.scan(SAME_PROMPTS)
    graded = recounted(pairs, passes_of(scan))
    outcomes: Outcomes | Unavailable = NO_ATTEMPTS
    if by_attempts:
        outcomes = attempts_of(scan, pairs, cell.detectors, "scan")
    low, high = range_of(graded, outcomes, cell.generations, repeat, rng)
    counts = np.array([passes_of(target.scan(repeat)) for _ in range(REPEATS)])
    tenths = tenths_of(pairs, counts)
    within = (tenths >= round(10 * low)) & (tenths <= round(10 * high))
    return Held(share=float(within.mean()), width=high - low)


def attempts_of(
    scan: Sequence[Verdicts], pairs: Sequence[GradedPair], detectors: int, name: str
) -> dict[str, ProbeOutcomes]:
    """Return what a report would say of the attempts of a scan of so many detectors."""
    by_probe = [
        pairs[place : place + detectors] for place in range(0, len(pairs), detectors)
    ]
    probes = [members[0].probe for members in by_probe]
    names = [[pair.detector for pair in members] for members in by_probe]
    return outcomes_of(
        dict(zip(probes, scan, strict=True)),
        dict(zip(probes, names, strict=True)),
        name,
    )


def passes_of(scan: Sequence[Verdicts]) -> Counts:
    """Return the pass count of each pair, probe by probe."""
    return np.concatenate([verdicts.sum(axis=(0, 1)) for verdicts in scan])


def simulate(
    cell: Cell,
    repeat: str,
    by_attempts: bool,
    runs: int,
    range_of: RangeOf = predicted_range,
) -> tuple[float, float, float]:
    """Return the share held, its standard error, and the mean width."""
    found = Parallel(n_jobs=2)(
        delayed(run)(cell, repeat, by_attempts, number, range_of)
        for number in range(runs)
    )
    shares = np.array([each.share for each in found])
    error = shares.std() / np.sqrt(runs)
    return float(shares.mean()), float(error), float(np.mean([f.width for f in found]))


def ways_of(cell: Cell) -> list[tuple[str, bool]]:
    """Return the kinds of repeat, and whether by attempts, that make a difference."""
    if cell.generations == 1:
        return [(SAME_PROMPTS, True)]
    kinds = (SAME_PROMPTS, FRESH_PROMPTS)
    return [(repeat, known) for repeat in kinds for known in (True, False)]


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    rows = []
    for cell in cells():
        for repeat, by_attempts in ways_of(cell):
            runs = QUICK_RUNS if quick else RUNS
            held, error, width = simulate(cell, repeat, by_attempts, runs)
            rows.append(
                [
                    cell.name,
                    f"{cell.correlation:g}",
                    repeat if cell.generations > 1 else "one output",
                    "attempts" if by_attempts else "counts",
                    f"{100 * held:.1f} ± {100 * error:.1f} %",
                    f"{width:.2f}",
                ]
            )
    header = ["target", "correlation", "repeat", "known by", "held", "width"]
    return table(header, rows)


if __name__ == "__main__":
    print(main())
