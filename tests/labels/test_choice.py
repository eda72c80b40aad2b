# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from garak_tbsa.labels.choice import gains, next_strata, width_after
from garak_tbsa.labels.score import GradeTable, draw_scores
from garak_tbsa.labels.strata import AuditedScan
from tests.factories import PairFacts
from tests.labels.scans import scan_of

PAIRS = (
    PairFacts(probe="a.A", detector="a.X", passed=30, total=50, tier=1),
    PairFacts(probe="b.B", detector="a.X", passed=48, total=50, tier=1),
    PairFacts(probe="c.C", detector="c.Y", passed=90, total=100, tier=2),
)


def labelled(scan: AuditedScan, each: int) -> AuditedScan:
    strata = [c.with_labels(min(each, c.outputs), 0) for c in scan.strata]
    return replace(scan, strata=strata)


def test_first_each_detector_and_verdict_gets_two() -> None:
    """\"start with two strata per detector and verdict\""""
    scan = scan_of(*PAIRS)
    chosen = next_strata(scan, GradeTable(scan.pairs), 8)
    groups = Counter(scan.strata[place].group for place in chosen)
    assert set(groups.values()) == {2}
    assert len(groups) == 4


def test_then_those_that_narrow_the_range_most() -> None:
    scan = labelled(scan_of(*PAIRS), 5)
    table = GradeTable(scan.pairs)
    chosen = next_strata(scan, table, 1, seed=4)
    gain = gains(scan.strata, draw_scores(scan, table, 600, 4))
    assert chosen == [int(np.argmax(gain))]


def test_a_gain_is_what_a_label_takes_from_the_score_s_variance() -> None:
    """cov(score, p)^2 / var(p) x var(p) / (var(p) + p(1 - p)), against a regression."""
    scan = labelled(scan_of(*PAIRS), 3)
    drawn = draw_scores(scan, GradeTable(scan.pairs), 4000)
    gain = gains(scan.strata, drawn)
    rng = np.random.default_rng(0)
    for place, rates in enumerate(drawn.hits.rates):
        label = rng.random(len(rates)) < rates
        explained = np.corrcoef(label, drawn.raw)[0, 1] ** 2 * drawn.raw.var()
        assert gain[place] == pytest.approx(explained, abs=0.15 * drawn.raw.var())


def test_a_stratum_is_not_asked_for_more_than_it_has() -> None:
    scan = labelled(scan_of(PairFacts(passed=1, total=3)), 0)
    chosen = Counter(next_strata(scan, GradeTable(scan.pairs), 10))
    assert sum(chosen.values()) == 3
    assert all(count <= scan.strata[place].outputs for place, count in chosen.items())


def test_nothing_is_left_where_all_is_labelled() -> None:
    scan = labelled(scan_of(*PAIRS), 100)
    assert next_strata(scan, GradeTable(scan.pairs)) == []


def test_a_scan_without_strata_has_its_stated_score_and_nothing_to_label() -> None:
    scan = replace(scan_of(*PAIRS), strata=())
    table = GradeTable(scan.pairs)
    assert next_strata(scan, table) == []
    score = draw_scores(scan, table, 50).score
    assert score.lower == score.tenths == score.upper


def test_the_width_foreseen_is_about_that_which_labels_then_give() -> None:
    scan = labelled(scan_of(*PAIRS), 4)
    table = GradeTable(scan.pairs)
    asked = Counter(next_strata(scan, table, 20))
    foreseen = width_after(scan, draw_scores(scan, table), list(asked.elements()))
    rng = np.random.default_rng(0)
    truth = draw_scores(scan, table, 40, seed=9).hits.rates
    widths = []
    for draw in range(40):
        strata = [
            stratum.with_labels(
                stratum.labelled + asked[place],
                stratum.hits + int(rng.binomial(asked[place], truth[place, draw])),
            )
            for place, stratum in enumerate(scan.strata)
        ]
        score = draw_scores(replace(scan, strata=strata), table).score
        widths.append(score.upper - score.lower)
    assert abs(foreseen - np.mean(widths)) < 0.15 * np.mean(widths)


def test_where_nothing_is_asked_the_width_stays() -> None:
    scan = labelled(scan_of(*PAIRS), 100)
    drawn = draw_scores(scan, GradeTable(scan.pairs), 100)
    assert width_after(scan, drawn, []) == drawn.score.upper - drawn.score.lower
