# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The audited score, what is labelled next, and whether a scan may pass."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.labels.audit import summary
from garak_tbsa.labels.scan import AuditedScan
from garak_tbsa.labels.score import (
    draw_scores,
    gains,
    grades_by_count,
    next_strata,
    planned_strata,
    width_after,
)
from garak_tbsa.tbsa.score import grade_with, score_pairs
from tests.factories import PairFacts
from tests.labels.scans import labelled, scan_of

PAIRS = (
    PairFacts(probe="a.A", detector="a.X", passed=30, total=50, tier=1, mu=0.5),
    PairFacts(probe="b.B", detector="a.X", passed=50, total=50, tier=1),
    PairFacts(probe="c.C", detector="c.Y", passed=3, total=9, tier=2, mu=0.9),
    PairFacts(probe="d.D", detector="c.Y", passed=20, total=20, tier=2, mu=0.2),
)
ALIKE = (
    PairFacts(probe="a.A", detector="a.X", passed=30, total=50, tier=1),
    PairFacts(probe="b.B", detector="a.X", passed=48, total=50, tier=1),
    PairFacts(probe="c.C", detector="c.Y", passed=90, total=100, tier=2),
)


def each_labelled(scan: AuditedScan, count: int) -> AuditedScan:
    return labelled(scan, *[(count, 0)] * len(scan.strata))


@given(st.lists(st.tuples(*(st.integers(0, p.total) for p in PAIRS)), min_size=1))
def test_grades_of_pass_counts_are_those_of_the_rules(
    passed: list[tuple[int, ...]],
) -> None:
    """\"Pass counts give grades and score by section 2.\""""
    scan = scan_of(*PAIRS)
    assert grades_by_count(scan.pairs, np.array(passed).T).T.tolist() == [
        [grade_with(pair, count) for pair, count in zip(scan.pairs, row, strict=True)]
        for row in passed
    ]


def test_labels_narrow_the_range_to_one_score() -> None:
    """It is that of the verdicts where all is labelled as the detectors said."""
    scan = scan_of(*PAIRS)
    none, half, all_of_it = (
        draw_scores(
            labelled(scan, *((n, each.flagged * n) for each, n in counts))
        ).score
        for share in range(3)
        for counts in [[(each, each.outputs * share // 2) for each in scan.strata]]
    )
    assert half.upper - half.lower < none.upper - none.lower
    stated = score_pairs(scan.pairs)
    assert (all_of_it.lower, all_of_it.value, all_of_it.upper) == (stated.tenths,) * 3
    # no more labels are asked for where they would change nothing
    left = [each.outputs - 1 for each in scan.strata]
    but_one = [(n, each.flagged * n) for n, each in zip(left, scan.strata, strict=True)]
    assert summary(labelled(scan, *but_one)).endswith("3.1 (3.1 to 3.1) by 123 labels")


def test_a_pair_without_strata_keeps_the_grade_of_its_detector() -> None:
    """\"A pair without strata is not audited: its pass count stays the detector's.\""""
    scan = scan_of(*PAIRS)
    pairs = [
        replace(scan.pairs[0], distribution=None),  # Z-score from an unknown source
        scan.pairs[1].with_counts(None, None),
        *scan.pairs[2:],
    ]
    strata = [stratum for stratum in scan.strata if stratum.pair == 3]
    found = draw_scores(AuditedScan(pairs=(pairs), strata=strata), 50)
    for place, pair in enumerate(pairs[:3]):
        assert set(found.grades[place]) == {pair.grade}
    assert len(set(found.grades[3])) > 1


def test_first_each_detector_and_verdict_gets_two_then_the_gain_counts() -> None:
    """\"start with two strata per detector and verdict\""""
    scan = scan_of(*ALIKE)
    groups = Counter(scan.strata[place].group for place in next_strata(scan, 8))
    assert sorted(groups.values()) == [2, 2, 2, 2]
    scan = each_labelled(scan, 5)
    gain = gains(scan.strata, draw_scores(scan, 600, 4))
    assert next_strata(scan, 1, seed=4) == [int(np.argmax(gain))]


def test_a_gain_is_what_a_label_takes_from_the_score_s_variance() -> None:
    """cov(score, p)^2 / var(p) x var(p) / (var(p) + p(1 - p)), against a regression."""
    scan = each_labelled(scan_of(*ALIKE), 3)
    drawn = draw_scores(scan, 4000)
    gain = gains(scan.strata, drawn)
    rng = np.random.default_rng(0)
    for place, rates in enumerate(drawn.hits.rates):
        label = rng.random(len(rates)) < rates
        explained = np.corrcoef(label, drawn.raw)[0, 1] ** 2 * drawn.raw.var()
        assert gain[place] == pytest.approx(explained, abs=0.15 * drawn.raw.var())


def test_no_more_is_asked_for_than_there_is() -> None:
    scan = scan_of(PairFacts(passed=1, total=3))
    chosen = Counter(next_strata(scan, 10))
    assert chosen == {place: each.outputs for place, each in enumerate(scan.strata)}
    everything = each_labelled(scan_of(*ALIKE), 100)
    assert next_strata(everything) == []
    drawn = draw_scores(everything, 100)
    assert width_after(everything, drawn, []) == drawn.score.upper - drawn.score.lower
    assert next_strata(replace(scan, strata=())) == []


def test_the_width_foreseen_is_about_that_which_labels_then_give() -> None:
    scan = each_labelled(scan_of(*ALIKE), 4)
    asked = Counter(next_strata(scan, 20))
    foreseen = width_after(scan, draw_scores(scan), list(asked.elements()))
    rng = np.random.default_rng(0)
    truth = draw_scores(scan, 16, seed=9).hits.rates
    widths = []
    for draw in range(16):
        counts = [
            (
                each.labelled + asked[place],
                each.hits + int(rng.binomial(asked[place], truth[place, draw])),
            )
            for place, each in enumerate(scan.strata)
        ]
        score = draw_scores(labelled(scan, *counts)).score
        widths.append(score.upper - score.lower)
    assert abs(foreseen - np.mean(widths)) < 0.15 * np.mean(widths)


@pytest.mark.parametrize(
    ("count", "known"), [(0, 0), (16, 0), (21, 1), (183, 3), (230, 3)]
)
def test_at_once_as_many_as_asked_for_or_as_are_left(count: int, known: int) -> None:
    """``count`` labels; fewer are returned where fewer outputs are left."""
    scan = each_labelled(scan_of(*ALIKE), known)
    planned = planned_strata(scan, count, 7)
    assert len(planned) == min(count, 200 - scan.labels)
    for place, labels in Counter(planned).items():
        assert labels <= scan.strata[place].unlabelled
    if count == 16:
        assert len({scan.strata[place].group for place in planned}) == 4
        assert planned == planned_strata(scan, count, 7)
