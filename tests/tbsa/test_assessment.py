# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""All stages together: which grades are used, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import NotComparableError, NotScorableError
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.outputs.wording import calibration_text
from garak_tbsa.tbsa.assessment import Assessment, assess, over_common_pairs
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import (
    PairFacts,
    assessment_of,
    calibration_of,
    no_calibration,
    pairs_named,
    report_rows,
    unknown_tier,
    write_report,
)

FACTS = [
    PairFacts(probe="a.A", mu=0.75, passed=8),
    PairFacts(probe="b.B", tier=2, passed=10),
    PairFacts(probe="c.C", tier=2, passed=3, mu=0.9),
]


@pytest.fixture
def with_digest(tmp_path: Path) -> str:
    return write_report(tmp_path / "digest.jsonl", report_rows(FACTS))


@pytest.fixture
def without(tmp_path: Path) -> str:
    return write_report(tmp_path / "rows.jsonl", report_rows(FACTS, digest=False))


def test_a_digests_own_grades_count_by_default(with_digest: str) -> None:
    """A digest's own grades by default (what the scan saw)."""
    got = assessment_of(with_digest)
    assert [pair.grade for pair in got.graded] == [4, 5, 1]
    # harmonic means 4 and 2/(1/5 + 1/1) = 1.667
    assert (got.tbsa, got.contributing) == (3.2, 3)
    assert got.calibration.chosen == "report"
    assert got.calibration.source == "as in the report"
    assert got.calibration.identity == got.report.calibration
    assert (got.calibration.covered, got.calibration.counted) == (2, 3)


def test_grades_are_worked_out_where_there_is_no_digest(without: str) -> None:
    """Recomputed from counts when there is no digest."""
    got = assessment_of(without, FACTS)
    assert [pair.grade for pair in got.graded] == [4, 5, 1]
    assert got.calibration.source == "calibration.json"
    assert (got.calibration.covered, got.calibration.counted) == (2, 3)


def test_without_any_garak_pass_rates_alone_count_and_it_is_said(without: str) -> None:
    got = assess(
        load_report(without), tier_of=unknown_tier, find_calibration=no_calibration
    )
    assert [pair.grade for pair in got.graded] == [4, 5, 2]
    assert got.calibration.source == "none at hand"
    assert got.calibration.identity is None
    assert got.warnings == (
        "no garak is installed, so no calibration: pass-rate grades alone",
    )


@pytest.mark.parametrize(
    ("facts", "advice"),
    [
        (pairs_named((3, 1, 2)), "scan with probes of Tier 1 or 2 (garak --list_pr"),
        (
            pairs_named((3, 1, 2), (1, 0, 0)),
            "1 of its 2 pairs have no evaluated output, look in garak's log",
        ),
        (
            [PairFacts(tier=None)],
            "neither the report nor an installed garak knows the tier of 1 of its 1"
            " pairs, install a garak that has these probes",
        ),
    ],
)
def test_nothing_in_tier_1_or_2_is_an_error(
    tmp_path: Path, facts: list[PairFacts], advice: str
) -> None:
    path = write_report(tmp_path / "r", report_rows(facts))
    with pytest.raises(NotScorableError) as caught:
        assessment_of(path)
    assert str(caught.value).startswith(
        f"{path}: no pair in Tier 1 or 2 was measured, so there is no TBSA; {advice}"
    )


def test_where_no_pair_is_calibrated_digest_and_rows_have_one_checksum(
    tmp_path: Path,
) -> None:
    """garak's digest names no calibration where it covers no pair."""
    facts = [PairFacts()]
    rows = report_rows(facts)
    rows[-1]["meta"]["calibration"] = {}
    digest = assessment_of(write_report(tmp_path / "digest", rows))
    built = assessment_of(write_report(tmp_path / "built", rows[:-1]), facts)
    assert digest.checksum.differing_parts(built.checksum) == ()
    assert calibration_text(built.calibration) == ("none was used, covers 0 of 1 pairs")
    asked = assessment_of(
        write_report(tmp_path / "built", rows[:-1]),
        calibration=calibration_of(FACTS),
        chosen="installed",
    )
    assert asked.calibration.identity == calibration_of(FACTS).identity


def test_garaks_formula_may_score_what_ours_does_not(tmp_path: Path) -> None:
    """A pair without outputs is in the digest as score 0.0, DEFCON 1."""
    path = write_report(
        tmp_path / "r", report_rows([PairFacts(total=0, passed=0, mu=0.5)])
    )
    got = assessment_of(path, formula="garak")
    assert (got.tbsa, got.contributing, got.score) == (1.0, 1, None)
    with pytest.raises(NotScorableError, match="no pair in Tier 1 or 2 was measured"):
        _ = got.documented


def test_both_formulas_are_kept_apart(with_digest: str) -> None:
    documented = assessment_of(with_digest)
    garaks = assessment_of(with_digest, formula="garak")
    assert garaks.formula == "garak"
    assert garaks.score == documented.score
    assert documented.garak_score is None
    assert garaks.checksum.differing_parts(documented.checksum) == ("formula",)
    assert garaks.version_probe_hash == documented.version_probe_hash


def test_hash_and_checksum_cover_what_was_left_out(tmp_path: Path) -> None:
    facts = pairs_named((1, 5, 10), (3, 5, 10))
    both = assessment_of(write_report(tmp_path / "a", report_rows(facts)))
    one = assessment_of(write_report(tmp_path / "b", report_rows(facts[:1])))
    assert both.score == one.score
    assert both.version_probe_hash != one.version_probe_hash
    assert both.checksum.differing_parts(one.checksum) == ("pairs",)


def test_a_calibration_that_the_digest_does_not_name_was_used_all_the_same(
    tmp_path: Path,
) -> None:
    """It said "none was used, covers 2 of 2 pairs"."""
    facts = [PairFacts(mu=0.5), PairFacts(probe="dan.Other", mu=0.6)]
    rows = report_rows(facts)
    rows[-1]["meta"]["calibration"] = {}
    digest = assessment_of(write_report(tmp_path / "digest", rows))
    assert calibration_text(digest.calibration) == "not recorded, covers 2 of 2 pairs"


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
    assert common.names == ("p.A+dan.DAN", "p.B+dan.DAN")
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
    own = scored(tmp_path, "own", BEFORE, formula="garak")
    with pytest.raises(NotComparableError, match="documented formula alone; leave out"):
        over_common_pairs(own, own)
