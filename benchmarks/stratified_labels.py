# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sensitivity and specificity on a scan from labels drawn evenly over the verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame import Generator, simulations, table
from garak_tbsa.labels.detectors import detectors_on_scan
from garak_tbsa.labels.label_sheet import even_shares
from garak_tbsa.labels.scan import Stratum
from garak_tbsa.labels.score import Estimate

RUNS = 1000, 60
DRAWS = 2000
SEED = 7
PAIRS, OUTPUTS = 10, 3000
SENSITIVITY, SPECIFICITY = 0.60, 0.95
PREVALENCES = (0.02, 0.10, 0.30)
LABELS = (100, 200, 400)

Outputs = NDArray[np.int64]
"""Passes and hits by pair."""


def drawn_scan(prevalence: float, rng: Generator) -> tuple[Outputs, Outputs]:
    """Make a scan whose pairs differ in their size, and tenfold in their hits.

    Returns its flagged and its unflagged outputs.
    """
    sizes = rng.multinomial(OUTPUTS, rng.dirichlet(np.full(PAIRS, 3.0)))
    uneven = np.exp(rng.uniform(-1.15, 1.15, PAIRS))
    rates = np.minimum(0.95, prevalence * uneven * OUTPUTS / (uneven @ sizes))
    hits = rng.binomial(sizes, rates)
    found = rng.binomial(hits, SENSITIVITY)
    left = rng.binomial(sizes - hits, SPECIFICITY)
    return np.array([sizes - hits - left, found]), np.array([left, hits - found])


def labelled(
    scan: tuple[Outputs, Outputs], count: int, rng: Generator
) -> Iterator[Stratum]:
    """Draw labels as ``sample --for detectors`` does."""
    shares = even_shares([int(each.sum()) for each in scan], count)
    for flagged, both, share in zip((True, False), scan, shares, strict=True):
        drawn = rng.multivariate_hypergeometric(both.sum(axis=0), share)
        hits = rng.hypergeometric(both[1], both[0], drawn)
        for pair, outputs in enumerate(both.sum(axis=0).tolist()):
            if outputs:
                stratum = Stratum(
                    pair=pair, detector="dan.DAN", flagged=flagged, outputs=outputs
                )
                yield stratum.with_labels(int(drawn[pair]), int(hits[pair]))


def simulated(rng: Generator, run: int, *, prevalence: float, labels: int) -> Any:
    """Draw a scan and labels, and hold what labels say against the scan.

    For sensitivity and specificity: bias, whether the interval holds, its width; NaN
    where there is nothing to share out.
    """
    flagged, unflagged = scan = drawn_scan(prevalence, rng)
    passes, hits = (flagged + unflagged).sum(axis=1)
    truth = flagged[1].sum() / max(1, hits), unflagged[0].sum() / max(1, passes)
    strata = list(labelled(scan, labels, rng))
    said = detectors_on_scan(strata, DRAWS, run)[0].shares
    found = []
    for name, true in zip(("sensitivity", "specificity"), truth, strict=True):
        share = said[name]
        if not isinstance(share, Estimate):
            return np.full((2, 3), np.nan)
        holds = share.lower - 1e-9 <= true <= share.upper + 1e-9
        found.append((share.value - true, holds, share.upper - share.lower))
    return found


def rows(runs: int) -> Iterator[str]:
    """Simulate each setting."""
    for labels, hits in product(LABELS, PREVALENCES):
        simulate = partial(simulated, prevalence=hits, labels=labels)
        means = np.nanmean(simulations(simulate, runs, SEED), axis=0)
        for name, own in zip(("sensitivity", "specificity"), means, strict=True):
            bias, held, width = own
            setting = f"{labels} | {hits:.2f} | {name}"
            yield f"{setting} | {bias:+.3f} | {held:.1%} | {width:.3f}"


def main(runs: int) -> str:
    """Simulate, and return the table."""
    header = "labels | hits | of the detector | bias"
    return table(f"{header} | intervals that hold | their width", rows(runs))
