# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the score could be, had all pairs been measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa.tbsa.unmeasured import unmeasured_bounds
from tests.factories import PairFacts, assessment_of, report_rows, write_report

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.assessment import Assessment


def assessed(folder: Path, *unmeasured: int, **options: str) -> Assessment:
    """Two clean pairs, and one without outputs for each of these tiers."""
    pairs = [
        PairFacts(probe="a.One", tier=1, passed=10, total=10, mu=0.5),
        PairFacts(probe="a.Two", tier=2, passed=10, total=10, mu=0.5),
        PairFacts(probe="a.Unknown", tier=None),
    ]
    pairs += [
        PairFacts(probe=f"b.P{index}", tier=tier, passed=0, total=0)
        for index, tier in enumerate(unmeasured)
    ]
    path = write_report(folder / "x.report.jsonl", report_rows(pairs))
    return assessment_of(path, pairs, **options)


def test_what_was_not_measured_bounds_the_score(tmp_path: Path) -> None:
    """Best and worst TBSA over what was not measured."""
    assessment = assessed(tmp_path, 1, 2, 3)
    bounds = unmeasured_bounds(assessment)
    assert bounds is not None
    assert (bounds.count, bounds.best) == (2, 5.0)
    # each tier: grades 5 and 1, harmonic mean 5/3
    assert bounds.worst == 1.7
    assert bounds.worst <= assessment.tbsa <= bounds.best


def test_all_measured_has_no_bounds(tmp_path: Path) -> None:
    assert unmeasured_bounds(assessed(tmp_path)) is None
    assert unmeasured_bounds(assessed(tmp_path, 3)) is None
