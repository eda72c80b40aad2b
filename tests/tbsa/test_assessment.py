# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""All stages together: which grades are used, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.errors import NotScorableError
from garak_tbsa.garak_files.calibration import CalibrationIdentity
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.outputs.wording import calibration_text
from garak_tbsa.tbsa.assessment import assess
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


def test_grades_are_worked_out_on_request(with_digest: str) -> None:
    """Or on request with --calibration."""
    strict = calibration_of([PairFacts(probe="a.A", mu=0.99)])
    got = assessment_of(with_digest, calibration=strict, chosen="strict.json")
    assert [pair.grade for pair in got.graded] == [1, 5, 2]
    assert got.calibration.chosen == "strict.json"
    assert got.calibration.identity == strict.identity
    assert got.checksum != assessment_of(with_digest).checksum


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


def test_the_calibration_of_the_report_is_looked_for(with_digest: str) -> None:
    asked: list[CalibrationIdentity | None] = []

    def find(identity: CalibrationIdentity | None) -> None:
        asked.append(identity)

    report = load_report(with_digest)
    assess(report, tier_of=unknown_tier, find_calibration=find)
    assert asked == [report.calibration]


def test_counts_that_contradict_the_stated_rate_are_told(tmp_path: Path) -> None:
    rows = report_rows([PairFacts(probe="a.A")])
    rows[-1]["eval"]["a"]["a.A"]["dan.DAN"]["passed"] = 5
    got = assessment_of(write_report(tmp_path / "r", rows))
    assert got.warnings == (
        "a.A+dan.DAN: the digest states a pass rate of 0.8000, its counts give"
        " 0.5000; the stated rate was graded",
    )
    assert got.graded[0].pass_rate == 0.8


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
