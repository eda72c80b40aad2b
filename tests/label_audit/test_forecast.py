# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np

from garak_tbsa.label_audit.choice import next_cells
from garak_tbsa.label_audit.forecast import width_after
from garak_tbsa.label_audit.score import GradeTable, draw_scores
from tests.label_audit.scans import scan_of
from tests.label_audit.test_choice import PAIRS, labelled


def test_it_is_about_the_width_that_labels_then_give() -> None:
    scan = labelled(scan_of(*PAIRS), 4)
    table = GradeTable(scan.pairs)
    asked = next_cells(scan, table, 20)
    foreseen = width_after(scan, table, asked)
    rng = np.random.default_rng(0)
    truth = draw_scores(scan, table, 40, seed=9).hits.rates
    widths = []
    for draw in range(40):
        cells = list(scan.cells)
        for place in asked:
            cell = cells[place]
            is_hit = int(rng.random() < truth[place, draw])
            cells[place] = replace(
                cell, labelled=cell.labelled + 1, hits=cell.hits + is_hit
            )
        score = draw_scores(replace(scan, cells=cells), table).score
        widths.append(score.upper - score.lower)
    assert abs(foreseen - np.mean(widths)) < 0.15 * np.mean(widths)


def test_where_all_is_labelled_there_is_no_width() -> None:
    scan = labelled(scan_of(*PAIRS), 100)
    assert width_after(scan, GradeTable(scan.pairs), []) == 0
