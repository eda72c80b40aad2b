# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs are labelled at once."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.labels.plan import planned_strata
from garak_tbsa.labels.score import GradeTable
from tests.factories import PairFacts
from tests.labels.scans import scan_of

PAIRS = (
    PairFacts(probe="a.A", detector="a.X", passed=30, total=50, tier=1),
    PairFacts(probe="b.B", detector="a.X", passed=48, total=50, tier=1),
    PairFacts(probe="c.C", detector="c.Y", passed=9, total=10, tier=2),
)
EVERY = 110


@settings(max_examples=5)
@given(count=st.integers(0, 130), known=st.integers(0, 3), seed=st.integers(0, 99))
def test_as_many_as_asked_for_or_as_are_left(count: int, known: int, seed: int) -> None:
    """``count`` labels; fewer are returned where fewer outputs are left."""
    scan = scan_of(*PAIRS)
    strata = [c.with_labels(min(known, c.outputs), 0) for c in scan.strata]
    scan = replace(scan, strata=strata)
    table = GradeTable(scan.pairs)
    planned = planned_strata(scan, table, count, seed)
    assert len(planned) == min(count, EVERY - scan.labels)
    for place, labels in Counter(planned).items():
        assert labels <= scan.strata[place].unlabelled
    assert planned == planned_strata(scan, table, count, seed)


@pytest.mark.parametrize("labels", [16, 40])
def test_every_detector_and_verdict_gets_some(labels: int) -> None:
    scan = scan_of(*PAIRS)
    planned = planned_strata(scan, GradeTable(scan.pairs), labels)
    groups = Counter(scan.strata[place].group for place in planned)
    assert len(groups) == 4
    assert min(groups.values()) >= 1
