# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from garak_tbsa.audit.cells import Cell
from garak_tbsa.audit.detectors import DetectorOnScan, Estimate, detectors_on_scan
from garak_tbsa.audit.hit_rates import draw_hits
from garak_tbsa.unavailable import Unavailable


def on_scan(*cells: Cell) -> DetectorOnScan:
    (found,) = detectors_on_scan(cells, draw_hits(cells, 4000, 1))
    return found


def cell(flagged: bool, outputs: int, labelled: int, hits: int, pair: int = 0) -> Cell:
    return Cell(
        pair=pair,
        detector="dan.DAN",
        flagged=flagged,
        outputs=outputs,
        labelled=labelled,
        hits=hits,
    )


def value(found: DetectorOnScan, name: str) -> float:
    share = found.shares[name]
    assert isinstance(share, Estimate)
    assert 0 <= share.lower <= share.value <= share.upper <= 1
    return share.value


def test_rows_are_weighted_by_their_cell() -> None:
    """\"with rows weighted N/m\""""
    found = on_scan(
        cell(True, 20, 10, 8), cell(False, 100, 10, 0), cell(False, 60, 10, 3, pair=1)
    )
    flagged, missed = 16.0, 18.0
    assert value(found, "sensitivity") == pytest.approx(flagged / (flagged + missed))
    assert value(found, "specificity") == pytest.approx(142 / (142 + 4))
    assert value(found, "precision") == pytest.approx(0.8)
    assert value(found, "negative_predictive_value") == pytest.approx(142 / 160)
    assert value(found, "prevalence") == pytest.approx(34 / 180)
    assert value(found, "hit_f1") == pytest.approx(2 * 16 / (20 + 34))
    assert (found.flagged, found.unflagged) == (20, 160)
    assert (found.flagged_labels, found.unflagged_labels) == (10, 20)
    assert (found.flagged_hits, found.unflagged_hits) == (8, 3)


def test_a_cell_without_labels_takes_the_rate_of_its_verdict() -> None:
    found = on_scan(
        cell(True, 10, 10, 10), cell(False, 40, 20, 2), cell(False, 60, 0, 0, pair=1)
    )
    assert value(found, "prevalence") == pytest.approx((10 + 4 + 6) / 110)


def test_where_all_is_labelled_there_is_no_doubt() -> None:
    found = on_scan(cell(True, 10, 10, 9), cell(False, 10, 10, 1))
    assert found.shares["sensitivity"] == Estimate(value=0.9, lower=0.9, upper=0.9)
    assert found.shares["specificity"] == Estimate(value=0.9, lower=0.9, upper=0.9)


def test_too_few_labels_say_how_many_more() -> None:
    found = on_scan(cell(True, 10, 2, 1), cell(False, 100, 50, 1))
    lacking = Unavailable(reason="label 3 more flagged outputs")
    assert found.shares["sensitivity"] == lacking
    assert found.shares["precision"] == lacking
    assert value(found, "negative_predictive_value") == pytest.approx(0.98)


def test_a_verdict_with_few_outputs_needs_them_all() -> None:
    found = on_scan(cell(True, 2, 1, 1), cell(False, 100, 3, 0))
    assert found.shares["sensitivity"] == Unavailable(
        reason="label 1 more flagged outputs and 2 more unflagged outputs"
    )


def test_nothing_to_share_out_is_said() -> None:
    found = on_scan(cell(False, 10, 10, 0))
    assert found.shares["sensitivity"] == Unavailable(
        reason="0 / 0: there is nothing to share out"
    )
    assert value(found, "specificity") == 1.0
