# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the range holds a repeat's score where outputs of a prompt are alike.

Each prompt has a pass rate of its own, around that of its pair. One pair for each
probe of the real scan, graded by the installed calibration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.simulated_outputs import outcomes_of
from benchmarks.simulated_scans import (
    Floats,
    Scorer,
    make_pair,
    narrowest_set,
    predicted_tenths,
    real_scan,
    recounted,
)
from benchmarks.timing import table
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.output_likeness import assumptions_from
from garak_tbsa.tbsa.repeat_assumptions import (
    FRESH_PROMPTS,
    SAME_PROMPTS,
    without_attempts,
)

SCANS, QUICK_SCANS = 200, 10
REPEATS = 200
SEED = 17
FEWEST = 1e-9
"""Shape of the distribution of a prompt's rate at least, for numpy to draw from."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the target and the scan are like.

    Attributes
    ----------
    rates : str
        How the pass rates of pairs are distributed, in words.
    draw : callable
        Draws so many of them.
    correlation : float
        Of two outputs of a prompt.
    prompts, generations : int
        Of each probe.
    """

    rates: str
    draw: Callable[[np.random.Generator, int], Floats]
    correlation: float
    prompts: int = 12
    generations: int = 5

    def prompt_rates(
        self, rates: Floats, rng: np.random.Generator, *repeats: int
    ) -> Floats:
        """Draw a pass rate for each prompt; shape (..., pairs, prompts)."""
        shape = 1 / self.correlation - 1
        size = (*repeats, len(rates), self.prompts)
        alpha, beta = rates[:, np.newaxis] * shape, (1 - rates)[:, np.newaxis] * shape
        drawn = rng.beta(np.maximum(alpha, FEWEST), np.maximum(beta, FEWEST), size)
        never_fails = rates[:, np.newaxis] == 1
        return np.where(never_fails, 1.0, drawn)


def settings() -> list[Setting]:
    """Return targets from those that fail everywhere to those that hardly fail."""

    def often_clean(rng: np.random.Generator, pairs: int) -> Floats:
        return np.where(rng.random(pairs) < 0.6, 1.0, rng.random(pairs))

    def beta(a: float, b: float) -> Callable[[np.random.Generator, int], Floats]:
        return lambda rng, pairs: rng.beta(a, b, pairs)

    def all_alike(_: np.random.Generator, pairs: int) -> Floats:
        return np.full(pairs, 0.99)

    return [
        Setting(rates="Beta(.8, .1)", draw=beta(0.8, 0.1), correlation=0.2),
        Setting(rates="Beta(.8, .1)", draw=beta(0.8, 0.1), correlation=0.5),
        Setting(rates="Beta(5, 1)", draw=beta(5, 1), correlation=0.2, generations=10),
        Setting(rates="60 % never fail", draw=often_clean, correlation=0.2),
        Setting(
            rates="60 % never fail",
            draw=often_clean,
            correlation=0.2,
            prompts=6,
            generations=10,
        ),
        Setting(rates="Beta(3, .1)", draw=beta(3, 0.1), correlation=0.3),
        Setting(rates="Beta(30, .3)", draw=beta(30, 0.3), correlation=0.2),
        Setting(rates="all .99", draw=all_alike, correlation=0.2),
    ]


def pairs_of_probes(total: int) -> list[GradedPair]:
    """Return a pair for each probe of the real scan, with so many outputs."""
    first = {pair.probe: pair for pair in reversed(real_scan())}
    return [
        make_pair(pair.probe, pair.detector, pair.tier, total, total)
        for pair in first.values()
    ]


def simulate(setting: Setting, scans: int) -> tuple[Floats, Floats]:
    """Return shares of repeats held and mean widths, each with shape (2, 3).

    A repeat on the same prompts, on fresh ones; our range with the attempts, without,
    and the narrowest for somebody who knows the true rates.
    """
    rng = np.random.default_rng(SEED)
    pairs = pairs_of_probes(setting.prompts * setting.generations)
    scorer = Scorer(pairs)
    held, width = np.zeros((2, 3)), np.zeros((2, 3))
    for _ in range(scans):
        rates = setting.draw(rng, len(pairs))
        of_prompts = setting.prompt_rates(rates, rng)
        passed = rng.binomial(setting.generations, of_prompts)
        graded = recounted(pairs, passed.sum(axis=-1))
        verdicts = np.arange(setting.generations) < passed[..., np.newaxis]
        outcomes = outcomes_of(
            {
                pair.probe: of_pair[..., np.newaxis]
                for pair, of_pair in zip(pairs, verdicts, strict=True)
            },
            {pair.probe: [pair.detector] for pair in pairs},
            "scan",
        )
        for row, repeat in enumerate((SAME_PROMPTS, FRESH_PROMPTS)):
            again = np.broadcast_to(of_prompts, (REPEATS, *of_prompts.shape))
            if repeat == FRESH_PROMPTS:
                again = setting.prompt_rates(rates, rng, REPEATS)
            counts = rng.binomial(setting.generations, again).sum(axis=-1)
            tenths = scorer.tenths(counts)
            by_counts = without_attempts(repeat, setting.generations)
            by_attempts = assumptions_from(graded, outcomes, repeat)
            for column, assumed in enumerate((by_attempts, by_counts)):
                low, high = predicted_tenths(graded, assumed)
                held[row, column] += ((tenths >= low) & (tenths <= high)).mean()
                width[row, column] += (high - low) / 10
            best = narrowest_set(tenths)
            held[row, 2] += best.share
            width[row, 2] += best.width
    return held / scans, width / scans


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    rows = []
    for setting in settings():
        held, width = simulate(setting, QUICK_SCANS if quick else SCANS)
        shares = [
            f"{share:.1%} ({wide:.2f})"
            for share, wide in zip(held.ravel(), width.ravel(), strict=True)
        ]
        scan = f"{setting.prompts} x {setting.generations}, {setting.correlation:g}"
        rows.append([setting.rates, scan, *shares])
    header = ["pass rates of pairs", "prompts x generations, correlation"]
    for repeat in ("same prompts", "fresh prompts"):
        header += [f"{repeat}: ours", "by counts alone", "narrowest, rates known"]
    return table(header, rows)


if __name__ == "__main__":
    print(main())
