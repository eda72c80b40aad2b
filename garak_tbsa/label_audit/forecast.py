# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How wide the score's range would be with more labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from garak_tbsa.label_audit.cells import AuditedScan
from garak_tbsa.label_audit.choice import DRAWS
from garak_tbsa.label_audit.score import GradeTable, draw_scores

MORE_LABELS = 20
SIMULATIONS = 12
SIMULATION_DRAWS = 1_000


def width_after(
    scan: AuditedScan, table: GradeTable, asked: Sequence[int], seed: int = 1
) -> float:
    """Return the width that the range of the score would have on average.

    What labellers would say of the outputs is taken from draws of the truth, given
    the labels that there are.

    Parameters
    ----------
    scan : AuditedScan
    table : GradeTable
    asked : sequence of int
        For each further label the place of its cell, as :func:`next_cells` has it.
    seed : int

    Returns
    -------
    float
        Tenths of the score.
    """
    rng = np.random.default_rng(seed)
    hits = draw_scores(scan, table, DRAWS, seed).hits.hits
    widths = []
    for draw in rng.choice(DRAWS, SIMULATIONS, replace=False):
        cells = list(scan.cells)
        for place, more in Counter(asked).items():
            cell = cells[place]
            left = int(hits[place, draw]) - cell.hits
            found = int(rng.hypergeometric(left, cell.unlabelled - left, more))
            cells[place] = replace(
                cell, labelled=cell.labelled + more, hits=cell.hits + found
            )
        score = draw_scores(
            replace(scan, cells=cells), table, SIMULATION_DRAWS, seed
        ).score
        widths.append(score.upper - score.lower)
    return float(np.mean(widths))
