# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs to label all at once, before any of these labels is known.

The outputs are drawn as if their labels came in. A few truths are drawn from what is
known so far. With labels from each of these truths, strata are chosen batch by batch. A
stratum then gets its mean number of outputs over the truths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.labels.choice import next_strata
from garak_tbsa.labels.hit_rates import draw_hits
from garak_tbsa.labels.score import GradeTable
from garak_tbsa.labels.strata import HIT_SAID, PASS_SAID, AuditedScan

TRUTHS = 4
BATCHES = 5
"""Rounds of choosing within a truth."""

Booleans = NDArray[np.bool_]


def planned_strata(
    scan: AuditedScan, table: GradeTable, count: int, seed: int = 1
) -> list[int]:
    """Return the places of the strata of which outputs are to be labelled at once.

    Parameters
    ----------
    scan : AuditedScan
        Labels that it has count.
    table : GradeTable
    count : int
        Labels; fewer are returned where fewer outputs are left.
    seed : int

    Returns
    -------
    list of int
        A place for each label, in the order of the strata.
    """
    count = min(count, sum(stratum.unlabelled for stratum in scan.strata))
    wanted: Counter[int] = Counter()
    drawn = draw_hits(scan.strata, TRUTHS, seed)
    for truth, hidden in enumerate((drawn.hits - drawn.asked).T):
        outputs = _outputs(scan, hidden, np.random.default_rng([seed, truth]))
        wanted += _chosen(scan, table, outputs, count)
    return sorted(_means(wanted, count).elements())


def _outputs(
    scan: AuditedScan, hidden: Sequence[int], rng: np.random.Generator
) -> list[Booleans]:
    """Return, by stratum, whether each unlabelled output is a hit in this truth."""
    return [
        rng.permutation(np.arange(stratum.unlabelled) < count)
        for stratum, count in zip(scan.strata, hidden, strict=True)
    ]


def _chosen(
    scan: AuditedScan, table: GradeTable, outputs: Sequence[Booleans], count: int
) -> Counter[int]:
    """Count the labels of each stratum, chosen by labels of one truth."""
    given: Counter[int] = Counter()
    batch = -(-count // BATCHES)
    while given.total() < count:
        size = min(batch, count - given.total())
        for place in next_strata(scan, table, size, seed=given.total()):
            stratum = scan.strata[place]
            said = HIT_SAID if outputs[place][given[place]] else PASS_SAID
            answers = {**stratum.answers, said: stratum.answers.get(said, 0) + 1}
            labelled = replace(stratum, answers=answers)
            strata = [*scan.strata[:place], labelled, *scan.strata[place + 1 :]]
            scan = replace(scan, strata=strata)
            given[place] += 1
    return given


def _means(wanted: Counter[int], count: int) -> Counter[int]:
    """Divide by the number of truths; the largest remainders go up to ``count``."""
    means = Counter({place: labels // TRUTHS for place, labels in wanted.items()})
    by_remainder = sorted(wanted, key=lambda place: (-(wanted[place] % TRUTHS), place))
    means.update(by_remainder[: count - means.total()])
    return means
