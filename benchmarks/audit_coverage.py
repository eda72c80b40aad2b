# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the audited score's 95 % range holds the truth, how wide, how far off.

The truth of every output is invented: a detector's flagged outputs are true hits at one
rate, its unflagged ones at another, each pair's rate off its detector's by a normal
deviate of the logit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from multiprocessing import get_context
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_scans import Floats, real_scan
from benchmarks.timing import table
from garak_tbsa.label_audit.cells import AuditedScan, Cell
from garak_tbsa.label_audit.choice import BATCH, next_cells
from garak_tbsa.label_audit.plan import planned_cells
from garak_tbsa.label_audit.score import GradeTable, draw_scores
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.grades import GradedPair

SCANS, QUICK_SCANS = 400, 6
LABELS = (0, 60, 150, 300, 600)
PLANS = 10
"""Plans by another seed each, of which a run uses one."""

JITTER = 0.6
"""Standard deviation of a pair's logit around its detector's."""

Rates = dict[str, float]
Booleans = NDArray[np.bool_]
Draw = Callable[
    [AuditedScan, Sequence[Booleans], GradeTable, int],
    AuditedScan,
]
Result = tuple[bool, float, float, float]
"""Whether the range holds the truth, its width, error of median and unaudited score."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Rates of true hits by detector: among flagged and among unflagged outputs."""

    name: str
    rates: Callable[[np.random.Generator, Sequence[str]], tuple[Rates, Rates]]


@dataclass(frozen=True, kw_only=True)
class Way:
    """In which order outputs are labelled."""

    name: str
    draws: Literal["by tens", "by rounds", "at once"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A truth, a scan and a way of labelling."""

    truth: Truth
    pairs: int
    way: Way


def _as_designed(
    rng: np.random.Generator, detectors: Sequence[str]
) -> tuple[Rates, Rates]:
    return (
        {name: float(rng.beta(8, 2)) for name in detectors},
        {name: float(rng.beta(0.6, 14)) for name in detectors},
    )


def _nearly_right(
    rng: np.random.Generator, detectors: Sequence[str]
) -> tuple[Rates, Rates]:
    return (
        {name: float(rng.beta(30, 1)) for name in detectors},
        {name: float(rng.beta(0.5, 50)) for name in detectors},
    )


def _one_useless(
    rng: np.random.Generator, detectors: Sequence[str]
) -> tuple[Rates, Rates]:
    flagged, unflagged = _as_designed(rng, detectors)
    useless = str(rng.choice(detectors))
    return {**flagged, useless: 0.3}, {**unflagged, useless: 0.3}


TRUTHS = (
    Truth(name="as in the design", rates=_as_designed),
    Truth(name="detectors nearly right", rates=_nearly_right),
    Truth(name="one detector useless", rates=_one_useless),
)
WAYS = (
    Way(name="`label`: each ten by the labels so far", draws="by tens"),
    Way(name="`sample`: all at once", draws="at once"),
    Way(name="`sample --labels`: sheets of 60, 90, 150, 300", draws="by rounds"),
)


def settings() -> list[Setting]:
    """Return every truth with both scans and both ways."""
    return [
        Setting(truth=truth, pairs=pairs, way=way)
        for truth in TRUTHS
        for pairs in (57, 12)
        for way in WAYS
    ]


@cache
def scan_of(pairs: int) -> tuple[list[GradedPair], GradeTable]:
    """Return the real scan, or as many of its pairs, evenly taken."""
    every = real_scan()
    step = len(every) / pairs
    chosen = [every[int(place * step)] for place in range(pairs)]
    return chosen, GradeTable(chosen)


def invented(
    pairs: Sequence[GradedPair], truth: Truth, rng: np.random.Generator
) -> tuple[AuditedScan, list[Booleans]]:
    """Return a scan's cells without labels, and the truth of each output."""
    by_verdict = truth.rates(rng, sorted({pair.detector for pair in pairs}))
    cells, hits = [], []
    for place, pair in enumerate(pairs):
        counts = counts_of(pair)
        failed = counts.total_evaluated - counts.passed
        for verdict, outputs in ((True, failed), (False, counts.passed)):
            if outputs:
                rate = by_verdict[0 if verdict else 1][pair.detector]
                rate = min(max(rate, 1e-9), 1 - 1e-9)
                logit = np.log(rate / (1 - rate)) + rng.normal(0, JITTER)
                cells.append(
                    Cell(
                        pair=place,
                        detector=pair.detector,
                        flagged=verdict,
                        outputs=outputs,
                    )
                )
                hits.append(rng.random(outputs) < 1 / (1 + np.exp(-logit)))
    return AuditedScan(pairs=pairs, cells=cells), hits


def labelled(
    scan: AuditedScan, hits: Sequence[Booleans], chosen: Sequence[int]
) -> AuditedScan:
    """Return the scan with one more label in each chosen cell."""
    cells = list(scan.cells)
    for place in chosen:
        cell = cells[place]
        cells[place] = replace(
            cell,
            labelled=cell.labelled + 1,
            hits=cell.hits + int(hits[place][cell.labelled]),
        )
    return replace(scan, cells=cells)


def simulate(setting: Setting, seed: int) -> list[Result]:
    """Invent a truth, label, and return what the audit says at each count."""
    pairs, grades = scan_of(setting.pairs)
    scan, hits = invented(pairs, setting.truth, np.random.default_rng(seed))
    if setting.way.draws == "by rounds":
        rounds = [count for count in LABELS if count]
        return audits(scan, hits, grades, by_rounds, rounds, seed)
    if setting.way.draws == "by tens":
        return audits(scan, hits, grades, by_tens, LABELS, seed)
    draw = partial(_at_once, setting.pairs, seed)
    return audits(scan, hits, grades, draw, LABELS, seed)


def audits(
    scan: AuditedScan,
    hits: Sequence[Booleans],
    grades: GradeTable,
    draw: Draw,
    counts: Sequence[int],
    seed: int,
) -> list[Result]:
    """Label a scan of which all truths are known; what the audit says at each count.

    Parameters
    ----------
    scan : AuditedScan
        Without labels.
    hits : sequence of ndarray of bool
        The truth of each cell's outputs, in the order in which they are labelled.
    grades : GradeTable
    draw : callable
        Labels the scan with the truth at hand until it has a number of labels.
    counts : sequence of int
        Labels, ascending.
    seed : int
    """
    truth = score_of(scan, grades, [int(each.sum()) for each in hits])
    stated = [cell.outputs if cell.flagged else 0 for cell in scan.cells]
    unaudited = score_of(scan, grades, stated)
    results = []
    for count in counts:
        scan = draw(scan, hits, grades, count)
        audited = draw_scores(scan, grades, seed=seed + 1).score
        results.append(
            (
                audited.lower <= truth <= audited.upper,
                (audited.upper - audited.lower) / 10,
                abs(audited.tenths - truth) / 10,
                abs(unaudited - truth) / 10,
            )
        )
    return results


def _at_once(
    pairs: int,
    seed: int,
    scan: AuditedScan,
    hits: Sequence[Booleans],
    _: GradeTable,
    count: int,
) -> AuditedScan:
    """Follow a plan: it knows no labels, so that few plans serve all."""
    plan = _kept_plan(pairs, seed % PLANS, count)
    return labelled(without_labels(scan), hits, plan)


def without_labels(scan: AuditedScan) -> AuditedScan:
    """Return the scan as it was before anything was labelled."""
    return replace(scan, cells=[replace(c, labelled=0, hits=0) for c in scan.cells])


@cache
def _kept_plan(pairs: int, seed: int, count: int) -> Sequence[int]:
    chosen, grades = scan_of(pairs)
    scan, _ = invented(chosen, TRUTHS[0], np.random.default_rng(0))
    return planned_cells(scan, grades, count, seed)


def by_rounds(
    scan: AuditedScan, hits: Sequence[Booleans], grades: GradeTable, count: int
) -> AuditedScan:
    """Plan what is lacking by the labels so far."""
    plan = planned_cells(scan, grades, count - scan.labels, seed=scan.labels)
    return labelled(scan, hits, plan)


def by_tens(
    scan: AuditedScan, hits: Sequence[Booleans], grades: GradeTable, count: int
) -> AuditedScan:
    while scan.labels < count:
        batch = min(BATCH, count - scan.labels)
        chosen = next_cells(scan, grades, batch, seed=scan.labels)
        if not chosen:
            return scan
        scan = labelled(scan, hits, chosen)
    return scan


def score_of(scan: AuditedScan, grades: GradeTable, hits: Sequence[int]) -> int:
    """Return the score of these hits by cell, in tenths."""
    failed = np.zeros((len(scan.pairs), 1), dtype=np.int64)
    for cell, count in zip(scan.cells, hits, strict=True):
        failed[cell.pair] += count
    passed = grades.totals[:, np.newaxis] - failed
    return int(grades.tenths(grades.grades(passed))[0])


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    seeds = range(QUICK_SCANS if quick else SCANS)
    rows = []
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for setting in settings():
            found = list(pool.map(partial(simulate, setting), seeds, chunksize=5))
            means: Floats = np.array(found, dtype=float).mean(axis=0)
            rows += [
                _row(setting, *each)
                for each in zip(LABELS[-len(means) :], means, strict=True)
            ]
    header = ["truth", "pairs", "labels chosen as by", "labels"]
    header += ["range holds", "width", "error", "error unaudited"]
    return table(header, rows)


def _row(setting: Setting, labels: int, means: Floats) -> list[str]:
    holds, *others = means
    return [
        setting.truth.name,
        str(setting.pairs),
        setting.way.name,
        str(labels),
        f"{holds:.1%}",
        *(f"{each:.2f}" for each in others),
    ]


if __name__ == "__main__":
    print(main())
