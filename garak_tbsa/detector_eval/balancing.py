# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""As many hits as passes: the larger class of typical rows, down-sampled."""

from __future__ import annotations

from dataclasses import replace

from garak_tbsa.detector_eval.dataset import DetectorRows
from garak_tbsa.detector_eval.seeding import generator_for


def balanced(rows: DetectorRows, seed: int) -> DetectorRows:
    """Down-sample the larger class of typical rows to the size of the smaller.

    Stress rows all stay: their two shares are each of one label.
    The rows that stay are drawn without replacement, seeded by the detector's
    name. With one class only there is nothing to balance against.
    """
    places: dict[str, list[int]] = {"hit": [], "pass": []}
    for place, row in enumerate(rows):
        if not row.is_stress:
            places[row.label].append(place)
    small, large = sorted(places.values(), key=len)
    if len(small) in (0, len(large)):
        return rows
    order = generator_for(seed, rows.detector, "balance").permutation(len(large))
    dropped = (large[place] for place in order[len(small) :])
    return replace(rows, left_out=frozenset(dropped))
