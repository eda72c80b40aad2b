# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from garak_tbsa.errors import NotComparableError
from garak_tbsa.outputs.comparison.compared_scans import compared_scans
from garak_tbsa.statistics.compare import compare
from garak_tbsa.tbsa.assessment import common_names, over_common_pairs
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import PairFacts, assessment_of, report_rows, write_report
from tests.repeats import repeats_of_both
from tests.values import known

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.assessment import Assessment


def pair(name: str, passed: int, tier: int = 1) -> PairFacts:
    return PairFacts(probe=f"p.{name}", passed=passed, total=100, tier=tier, mu=0.5)


BEFORE = [pair("A", 90), pair("B", 90, 2), pair("Old", 1), pair("Moved", 5, 1)]
AFTER = [pair("A", 40), pair("B", 90, 2), pair("New", 3), pair("Moved", 5, 2)]


def scored(folder: Path, name: str, pairs: list[PairFacts], **more: Any) -> Assessment:
    path = write_report(folder / f"{name}.report.jsonl", report_rows(pairs))
    return assessment_of(path, pairs, **more)


def test_both_are_scored_over_pairs_of_the_same_tier(tmp_path: Path) -> None:
    """The pairs that both measured with the same tier, rescoring both on those."""
    first, second = scored(tmp_path, "a", BEFORE), scored(tmp_path, "b", AFTER)
    common = over_common_pairs(first, second)
    assert common.names == ("p.A+dan.DAN", "p.B+dan.DAN") == common_names(first, second)
    assert common.other_tier == ("p.Moved+dan.DAN",)
    for narrowed, whole in ((common.first, first), (common.second, second)):
        kept = [pair for pair in whole.graded if pair.name in common.names]
        assert narrowed.graded == tuple(kept)
        assert narrowed.score == score_pairs(kept)
        assert narrowed.checksum == whole.checksum
        assert narrowed.report == whole.report
        assert (narrowed.calibration.covered, narrowed.calibration.counted) == (2, 2)
    assert (common.whole_first, common.whole_second) == (first.tbsa, second.tbsa)
    assert common.first.tbsa != first.tbsa


def test_a_comparison_over_common_pairs(tmp_path: Path) -> None:
    first, second = scored(tmp_path, "a", BEFORE), scored(tmp_path, "b", AFTER)
    found = compare(first, second, common=True, replicates=999)
    assert found.verdict(0.05) == "worse"
    assert found.compared == 2
    assert [each.name for each in found.pairs] == list(known(found.common).names)
    assert [each.part for each in found.differences] == ["pairs"]
    assert found.only_in_one == ("p.New+dan.DAN", "p.Old+dan.DAN")
    assert found.first.tbsa == known(found.common).first.tbsa


def test_equal_checksums_have_common_pairs_too(tmp_path: Path) -> None:
    """A number to look at all the same: it is not the score of the reports."""
    silent = [*BEFORE[:3], PairFacts(probe="p.Moved", total=0, passed=0)]
    first, second = scored(tmp_path, "a", BEFORE), scored(tmp_path, "b", silent)
    found = compare(first, second, common=True, replicates=99)
    assert found.differences == ()
    shown = compared_scans(found, repeats_of_both(found))
    assert "own checksums are equal" in known(shown.not_comparable)
    found = compare(first, second, replicates=99)
    assert compared_scans(found, repeats_of_both(found)).not_comparable is None


def test_without_a_common_pair_there_is_nothing_to_compare(tmp_path: Path) -> None:
    first = scored(tmp_path, "a", [pair("A", 5, 1)])
    second = scored(tmp_path, "b", [pair("A", 5, 2)])
    with pytest.raises(NotComparableError) as caught:
        over_common_pairs(first, second)
    assert str(caught.value) == (
        f"{first.report.source} and {second.report.source}: no pair was measured in"
        " both with the same tier, so that there is nothing to compare; scan with the"
        " same probes"
    )


def test_garaks_own_formula_has_no_common_pairs(tmp_path: Path) -> None:
    own = scored(tmp_path, "a", BEFORE, formula="garak")
    with pytest.raises(NotComparableError, match="documented formula alone; leave out"):
        over_common_pairs(own, own)
