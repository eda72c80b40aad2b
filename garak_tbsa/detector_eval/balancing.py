# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""As many hits as passes: the larger class of typical rows, down-sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy

from garak_tbsa.detector_eval.dataset import DetectorRows
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.seeding import generator_for


class Keep:
    """Which rows stay.

    Parameters
    ----------
    larger : "hit" or "pass"
        The class that loses rows.
    stays : sequence of bool
        For each of its typical rows, in file order, whether it stays.
    """

    def __init__(self, larger: Label, stays: Sequence[bool]) -> None:
        self.larger = larger
        self.stays = stays

    def of(self, rows: Iterable[LabelledRow]) -> Iterator[LabelledRow]:
        """Yield the rows that stay, of all rows in file order."""
        stays = iter(self.stays)
        for row in rows:
            if row.is_stress or row.label != self.larger or next(stays):
                yield row


def balanced(rows: DetectorRows, seed: int) -> tuple[DetectorRows, Keep | None]:
    """Down-sample the larger class of typical rows to the size of the smaller.

    Stress rows all stay: their two shares are each of one label.
    The rows that stay are drawn without replacement, seeded by the detector's
    name. With one class only there is nothing to balance against.

    Returns
    -------
    DetectorRows
        With the counts of the rows that stay.
    Keep or None
        Picks them while the rows are read; None where all stay.
    """
    small, large = sorted((rows.hits, rows.passes))
    if small in (0, large):
        return rows, None
    chosen = generator_for(seed, rows.detector, "balance").permutation(large)[:small]
    stays = numpy.zeros(large, dtype=bool)
    stays[chosen] = True
    larger: Label = "hit" if rows.hits > rows.passes else "pass"
    return replace(rows, hits=small, passes=small), Keep(larger, stays.tolist())
