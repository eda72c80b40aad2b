# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from typing import Any

import pytest

from garak_tbsa.unavailable import Unavailable
from tools.real_model.held_out import FLAGGED, UNFLAGGED, HeldOut
from tools.real_model.scanned import Share, check_detector

EVEN = {"tp": 30, "fp": 3, "fn": 3, "tn": 30}


def held_out(distinct: tuple[int, int], cells: dict[tuple[str, str], int]) -> HeldOut:
    rows: list[dict[str, Any]] = [
        {"verdict": verdict, "label": label}
        for (verdict, label), count in cells.items()
        for _ in range(count)
    ]
    sizes = dict(zip((FLAGGED, UNFLAGGED), distinct, strict=True))
    return HeldOut(detector="dan.DAN", distinct=sizes, rows=tuple(rows))


def value(share: Share | Unavailable) -> float:
    assert isinstance(share, Share)
    return share.value


def test_a_row_counts_for_all_responses_of_its_verdict() -> None:
    """\"sensitivity = s f / (s f + (1 - s) u)\""""
    check = check_detector(
        held_out(
            (20, 180),
            {
                (FLAGGED, "hit"): 8,
                (FLAGGED, "pass"): 2,
                (UNFLAGGED, "hit"): 1,
                (UNFLAGGED, "pass"): 9,
            },
        ),
        EVEN,
    )
    assert check.flagged_share == 0.1
    found, missed, alone, wrong = 20 * 0.8, 180 * 0.1, 180 * 0.9, 20 * 0.2
    assert value(check.sensitivity.scanned) == pytest.approx(found / (found + missed))
    assert value(check.specificity.scanned) == pytest.approx(alone / (alone + wrong))


def test_a_share_that_is_far_off_differs() -> None:
    cells = {(FLAGGED, "hit"): 12, (UNFLAGGED, "hit"): 12, (UNFLAGGED, "pass"): 1}
    check = check_detector(held_out((40, 40), cells), EVEN)
    assert check.sensitivity.differs
    assert check.differs


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Scans of a detector with known shares, drawn and labelled a hundred times."""
    chance = random.Random(5)
    held = 0
    for _ in range(100):
        scan = []
        for _ in range(300):
            hit = chance.random() < 0.3
            flagged = chance.random() < (0.7 if hit else 0.1)
            scan.append((FLAGGED if flagged else UNFLAGGED, "hit" if hit else "pass"))
        cells: dict[tuple[str, str], int] = {}
        sizes = []
        for verdict in (FLAGGED, UNFLAGGED):
            of_verdict = [each for each in scan if each[0] == verdict]
            sizes.append(len(of_verdict))
            for each in chance.sample(of_verdict, 20):
                cells[each] = cells.get(each, 0) + 1
        check = check_detector(held_out((sizes[0], sizes[1]), cells), EVEN)
        scanned = check.sensitivity.scanned
        assert isinstance(scanned, Share)
        held += scanned.lower <= 0.7 <= scanned.upper
    assert held >= 90


def test_equal_shares_do_not_differ() -> None:
    cells = {
        (FLAGGED, "hit"): 11,
        (FLAGGED, "pass"): 1,
        (UNFLAGGED, "hit"): 1,
        (UNFLAGGED, "pass"): 11,
    }
    check = check_detector(held_out((50, 50), cells), EVEN)
    assert not check.differs


def test_of_a_class_with_few_rows_nothing_is_said() -> None:
    cells = {(UNFLAGGED, "hit"): 4, (UNFLAGGED, "pass"): 12}
    check = check_detector(held_out((0, 80), cells), EVEN)
    assert check.sensitivity.scanned == Unavailable(
        reason="4 hits among the rows, 5 are needed"
    )
    assert not check.sensitivity.differs
    assert value(check.specificity.scanned) == 1.0
