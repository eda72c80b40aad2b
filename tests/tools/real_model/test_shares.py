# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Shares of a detector on held-out rows, and between populations."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from scipy.special import expit, logit

from tests.values import known
from tools.real_model.shares import (
    DetectorCheck,
    Distinct,
    HeldOut,
    HeldOutRow,
    Label,
    Share,
    Verdict,
    check_detector,
    counted_share,
    spread_of,
)

CELLS: list[tuple[Verdict, Label]] = [
    *(("flagged", "hit"), ("flagged", "pass")),
    *(("unflagged", "hit"), ("unflagged", "pass")),
]
EVEN = {"tp": 30, "fp": 3, "fn": 3, "tn": 30}


def checked(
    flagged: int, unflagged: int, cells: Mapping[tuple[Verdict, Label], int]
) -> DetectorCheck:
    rows = [HeldOutRow(*cell) for cell, count in cells.items() for _ in range(count)]
    distinct = Distinct(flagged=flagged, unflagged=unflagged)
    held_out = HeldOut(detector="dan.DAN", distinct=distinct, rows=tuple(rows))
    return check_detector(held_out, EVEN)


def cells_of(*counts: int) -> dict[tuple[Verdict, Label], int]:
    """Rows by verdict and label: flagged hits and passes, then unflagged ones."""
    return dict(zip(CELLS, counts, strict=True))


def scanned(check: DetectorCheck) -> list[float | None]:
    shares = [share.scanned for share in check.shares.values()]
    return [None if share is None else share.value for share in shares]


def test_a_row_counts_for_all_responses_of_its_verdict() -> None:
    """\"sensitivity = s f / (s f + (1 - s) u)\""""
    check = checked(20, 180, cells_of(8, 2, 1, 9))
    assert check.flagged_share == 0.1
    found, missed, alone, wrong = 20 * 0.8, 180 * 0.1, 180 * 0.9, 20 * 0.2
    assert scanned(check) == [
        pytest.approx(found / (found + missed)),
        pytest.approx(alone / (alone + wrong)),
    ]


def test_only_a_share_that_is_far_off_differs() -> None:
    assert "sensitivity" in checked(40, 40, cells_of(12, 0, 12, 1)).differing
    assert checked(50, 50, cells_of(11, 1, 1, 11)).differing == []


def test_of_a_class_with_few_rows_nothing_is_said() -> None:
    check = checked(0, 80, cells_of(0, 0, 4, 12))
    assert scanned(check) == [None, 1.0]
    assert "sensitivity" not in check.differing


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Scans of a detector with known shares, drawn and labelled a hundred times."""
    chance = random.Random(5)
    held = 0
    for _ in range(100):
        scan: dict[Verdict, list[Label]] = {"flagged": [], "unflagged": []}
        for _ in range(300):
            hit = chance.random() < 0.3
            flagged = chance.random() < (0.7 if hit else 0.1)
            scan["flagged" if flagged else "unflagged"].append("hit" if hit else "pass")
        cells = Counter(
            (verdict, label)
            for verdict, labels in scan.items()
            for label in chance.sample(labels, 20)
        )
        check = checked(len(scan["flagged"]), len(scan["unflagged"]), cells)
        share = known(check.shares["sensitivity"].scanned)
        held += share.lower <= 0.7 <= share.upper
    assert held >= 90


def shares(counts: list[tuple[int, int]], seed: int = 1) -> list[Share]:
    rng = np.random.default_rng(seed)
    return [counted_share(rng, right, wrong) for right, wrong in counts]


def test_the_spread_of_two_populations_by_hand() -> None:
    """The squared distances, each in units of its variance, add up to k - 1."""
    found = shares([(90, 10), (50, 50)])
    logits = [logit(share.draws) for share in found]
    (one, other), (v, u) = zip(*((x.mean(), x.var()) for x in logits), strict=True)
    # of two, (one - other)^2 / (v + u + 2 tau^2) = 1
    squared = ((one - other) ** 2 - v - u) / 2
    spread = known(spread_of(found))
    assert spread.tau == pytest.approx(math.sqrt(squared))
    assert spread.further is None
    assert spread_of(found[:1]) is None


def test_equal_populations_have_no_spread() -> None:
    spread = known(spread_of(shares([(80, 20)] * 8)))
    assert spread.tau < 0.05
    lower, upper = known(spread.further)
    assert 0.7 < lower < upper < 0.9


def test_a_further_population_is_where_it_is_said_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of populations with a known spread, about 95 % of further ones are within."""
    monkeypatch.setattr("tools.real_model.shares.DRAWS", 1000)
    rng = np.random.default_rng(3)
    held, taus = 0, []
    for run in range(200):
        rates = expit(rng.normal(1, 1, 11))
        rights = rng.binomial(200, rates)
        counts = [(int(n), int(200 - n)) for n in rights[:10]]
        spread = known(spread_of(shares(counts, run)))
        taus.append(spread.tau)
        lower, upper = known(spread.further)
        held += lower <= rates[10] <= upper
    assert 0.9 <= held / 200 <= 0.99
    assert np.mean(taus) == pytest.approx(1, abs=0.15)
