# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How large a scan must be, for a gate that passes to say something.

Targets are drawn from the model of three real scans. Each is scanned twice; before the
second scan is compared, some pairs of a good grade become hits alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.frame import Floats, Generator, simulations, table
from benchmarks.simulated_scans import (
    ALPHA,
    Scan,
    Verdicts,
    outcomes_of,
    p_values,
    real_scan,
    scan_of,
)
from garak_tbsa.demo import content_of
from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.report.report import load_report
from garak_tbsa.statistics.by_prompt import ObservedScan, observe
from garak_tbsa.statistics.detectable import LEAST_GRADE, detectable
from garak_tbsa.statistics.draws import SMALLEST, rise_together
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.statistics.repeat import drawn_targets, prior_correlation
from garak_tbsa.statistics.repeat_prompts import REPEATS, SAME_PROMPTS
from garak_tbsa.unavailable import Unavailable
from tools.real_model.verdicts import read_repeats

RUNS = 100, 2
GENERATIONS, PROMPTS = (1, 5), (1, 2, 4, 8, 16)
FALLEN = 0, 1, 2, 4
MOST_UNDETECTABLE, PERMUTATIONS = 0.5, 199
SEED = 37

Size = tuple[int, int]
"""Prompts of a probe, and outputs to each."""


def real_scans() -> Iterator[ObservedScan]:
    """Yield what real scans showed."""
    yield observe(real_scan(), NO_ATTEMPTS, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "before.report.jsonl"
        path.write_bytes(content_of(path.name))
        demo = load_report(str(path)).outcomes
    assert not isinstance(demo, Unavailable)
    for found in (read_repeats()["five"][0].outcomes, demo):
        outcomes = {k: v for k, v in found.items() if isinstance(v, ProbeOutcomes)}
        pairs, known = scan_of(outcomes, None, 1)
        yield observe(pairs, known.outcomes, 1)


class Target:
    """A target that a real scan may have been of.

    Where no size is given, each probe has about the size that it had there.
    """

    def __init__(self, scan: ObservedScan, size: Size | None, rng: Generator) -> None:
        drawn = drawn_targets(scan, rng, 1)
        # one output of each prompt does not tell how alike they are
        known = scan.has_several_outputs
        alike = drawn.prompt_correlation if known else prior_correlation(rng, 1)
        self.strength = 1 / max(alike[0], SMALLEST) - 1
        self.tie, self.rng = drawn.detector_correlation, rng
        rates = iter(drawn.rates[:, 0])
        self.detectors: dict[str, list[str]] = {}
        self.probes: list[tuple[str, Size, list[float]]] = []
        for pairs in scan.probes:
            probe, own = pairs[0].pair.probe, pairs[0]
            self.detectors[probe] = [each.pair.detector for each in pairs]
            seen = int(own.prompts.sum()), int(own.evaluated.max())
            self.probes.append((probe, size or seen, [next(rates) for _ in pairs]))

    def prompts(self) -> list[Floats]:
        """Draw pass rates of the prompts of each probe; (detectors, prompts)."""
        found = []
        for _, (number, _), rates in self.probes:
            shapes = [(r * self.strength, (1 - r) * self.strength) for r in rates]
            drawn = [self.rng.beta(a, b, number) for a, b in shapes]
            ties = np.full(number, self.tie)
            found.append(np.stack(rise_together([drawn], ties, self.rng)))
        return found

    def verdicts(self, prompts: list[Floats]) -> dict[str, Verdicts]:
        """Scan prompts; (prompts, outputs, detectors) of each probe."""
        return {
            probe: self.rng.random((number, outputs, len(rates))) < of.T[:, None]
            for (probe, (number, outputs), rates), of in zip(
                self.probes, prompts, strict=True
            )
        }

    def scan(self, verdicts: dict[str, Verdicts], prompts: str, seed: int) -> Scan:
        """Return what a report would say; prompts of one name are the same."""
        outputs = max(outputs for _, (_, outputs), _ in self.probes)
        return scan_of(outcomes_of(verdicts, self.detectors, prompts), seed, outputs)


def is_judged(first: Scan, second: Scan) -> bool:
    """Whether a gate judges these scans."""
    share = detectable(
        list(zip(first[0], second[0], strict=True)),
        *(first[1], second[1]),
        with_score=True,
        alpha=ALPHA,
        replicates=PERMUTATIONS,
    ).undetectable
    return isinstance(share, Unavailable) or share <= MOST_UNDETECTABLE


def passed(
    rng: Generator, run: int, *, scan: ObservedScan, size: Size | None, repeat: str
) -> list[tuple[bool, bool]]:
    """Whether a scan passes, and passes as judged, the more pairs have fallen."""
    target = Target(scan, size, rng)
    same = repeat == SAME_PROMPTS
    prompts = target.prompts()
    first = target.scan(target.verdicts(prompts), "first", 1)
    verdicts = target.verdicts(prompts if same else target.prompts())
    good = [pair for pair in first[0] if pair.grade >= LEAST_GRADE]
    falling = [good[place] for place in rng.permutation(len(good))]
    found = []
    for number in FALLEN:
        for pair in falling[:number]:
            column = target.detectors[pair.probe].index(pair.detector)
            verdicts[pair.probe][..., column] = False
        second = target.scan(verdicts, *(("first", 1) if same else ("second", 2)))
        passes = p_values(first, second, run)[-1] >= ALPHA
        found.append((passes, passes and is_judged(first, second)))
    return found


def rows(runs: int) -> Iterator[str]:
    """Simulate each kind of scan."""
    sizes = [(prompts, outputs) for outputs in GENERATIONS for prompts in PROMPTS]
    for scan in real_scans():
        for size in (*sizes, None):
            named = "as scanned" if size is None else "{} x {}".format(*size)
            for repeat in REPEATS:
                simulate = partial(passed, scan=scan, size=size, repeat=repeat)
                shares = 100 * simulations(simulate, runs, SEED).mean(axis=0).T
                cells = [f"{share:.0f}" for share in shares.ravel()]
                yield " | ".join((str(len(scan.pairs)), named, repeat, *cells))


def main(runs: int) -> str:
    """Simulate, and return the table."""
    fell = "unchanged | 1 fell | 2 fell | 4 fell"
    return (
        f"Second scans that pass, and that pass and are judged, of 100 ({runs} runs a"
        " row). Size: prompts of each probe x outputs to each. *Pass*: not called worse"
        f" at level {ALPHA:g}, with 999 permutations. *Judged*: of the pairs that can"
        f" fall, at most {MOST_UNDETECTABLE:.0%} could do so unseen, with"
        f" {PERMUTATIONS} permutations for each pair.\n\n"
        + table(f"pairs | size | repeat | pass: {fell} | judged: {fell}", rows(runs))
    )
