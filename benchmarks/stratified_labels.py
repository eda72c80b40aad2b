# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sensitivity and specificity on a scan from labels drawn evenly over the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import table
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.sample import even_shares
from garak_tbsa.labels.scan import Stratum
from garak_tbsa.labels.score import Estimate

RUNS, QUICK_RUNS = 1000, 60
DRAWS = 2000
SEED = 7
OUTPUTS = 3000
SENSITIVITY, SPECIFICITY = 0.60, 0.95
PREVALENCES = (0.02, 0.10, 0.30)
LABELS = (100, 200, 400)

Whole = NDArray[np.int64]
Means = NDArray[np.float64]
Shares = tuple[float, float]
"""Sensitivity and specificity."""


@dataclass(frozen=True, kw_only=True)
class Scan:
    """A detector's outputs by pair, each array of the shape (2, pairs): pass, hit."""

    flagged: Whole
    unflagged: Whole

    @property
    def truth(self) -> Shares:
        """What the detector does on this scan."""
        passes, hits = (self.flagged + self.unflagged).sum(axis=1)
        return (
            float(self.flagged[1].sum() / max(1, hits)),
            float(self.unflagged[0].sum() / max(1, passes)),
        )


def drawn_scan(prevalence: float, pairs: int, rng: np.random.Generator) -> Scan:
    """Make a scan whose pairs differ in their size, and tenfold in their hits."""
    sizes = rng.multinomial(OUTPUTS, rng.dirichlet(np.full(pairs, 3.0)))
    uneven = np.exp(rng.uniform(-1.15, 1.15, pairs))
    rates = np.minimum(0.95, prevalence * uneven * OUTPUTS / (uneven @ sizes))
    hits = rng.binomial(sizes, rates)
    found = rng.binomial(hits, SENSITIVITY)
    left = rng.binomial(sizes - hits, SPECIFICITY)
    return Scan(
        flagged=np.array([sizes - hits - left, found]),
        unflagged=np.array([left, hits - found]),
    )


def labelled(scan: Scan, count: int, rng: np.random.Generator) -> list[Stratum]:
    """Draw labels as ``sample --for detectors`` does."""
    groups = {True: scan.flagged, False: scan.unflagged}
    shares = even_shares([int(each.sum()) for each in groups.values()], count)
    strata = []
    for (flagged, both), share in zip(groups.items(), shares, strict=True):
        drawn = rng.multivariate_hypergeometric(both.sum(axis=0), share)
        hits = rng.hypergeometric(both[1], both[0], drawn)
        strata += [
            Stratum(
                pair=pair,
                detector="dan.DAN",
                flagged=flagged,
                outputs=int(both[:, pair].sum()),
            ).with_labels(int(drawn[pair]), int(hits[pair]))
            for pair in range(both.shape[1])
            if both[:, pair].sum()
        ]
    return strata


def estimates(found: DetectorOnScan) -> tuple[Estimate[float], Estimate[float]] | None:
    """Return both shares, None where there is nothing to share out."""
    both = found.shares["sensitivity"], found.shares["specificity"]
    if isinstance(both[0], Estimate) and isinstance(both[1], Estimate):
        return both[0], both[1]
    return None


def simulate(prevalence: float, pairs: int, labels: int, runs: int) -> Means:
    """Draw scans and labels, and hold what labels say against the scans.

    For sensitivity and specificity: bias, share of intervals that hold, their width.
    """
    rng = np.random.default_rng(SEED)
    found = []
    for run in range(runs):
        scan = drawn_scan(prevalence, pairs, rng)
        strata = labelled(scan, labels, rng)
        said = estimates(detectors_on_scan(strata, DRAWS, run)[0])
        if said is not None:
            found.append(
                [
                    (
                        each.value - true,
                        each.lower - 1e-9 <= true <= each.upper + 1e-9,
                        each.upper - each.lower,
                    )
                    for each, true in zip(said, scan.truth, strict=True)
                ]
            )
    means: Means = np.mean(np.array(found, float), axis=0)
    return means


def main(quick: bool = False) -> str:
    """Simulate, and return the table."""
    runs = QUICK_RUNS if quick else RUNS
    rows = []
    for pairs, labels, prevalence in product((1, 10), LABELS, PREVALENCES):
        means = simulate(prevalence, pairs, labels, runs)
        for name, own in zip(("sensitivity", "specificity"), means, strict=True):
            bias, held, width = own
            setting = [str(pairs), str(labels), f"{prevalence:.2f}", name]
            rows.append([*setting, f"{bias:+.3f}", f"{held:.1%}", f"{width:.3f}"])
    header = ["pairs", "labels", "hits", "of the detector", "bias"]
    return table([*header, "intervals that hold", "their width"], rows)


if __name__ == "__main__":
    print(main())
