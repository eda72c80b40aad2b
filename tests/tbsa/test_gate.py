# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs.comparison.compared_scans import compared_scans
from garak_tbsa.outputs.comparison.text import quiet_line
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.comparison_in_words import headline
from garak_tbsa.tbsa.gate import Incomparable, RuleOutcome, judge, with_repeat
from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.tbsa.history import compare_assessments
from garak_tbsa.unavailable import Unavailable
from tests.factories import (
    PairFacts,
    assessment_of,
    pairs_named,
    report_rows,
    write_report,
)
from tests.outputs.samples import uncounted
from tests.repeats import repeats, repeats_of_both

if TYPE_CHECKING:
    from pathlib import Path

TENTHS = st.integers(10, 50).map(lambda tenths: tenths / 10)


def scored(folder: Path, pairs: list[PairFacts], name: str = "r") -> Assessment:
    path = write_report(folder / f"{name}.report.jsonl", report_rows(pairs))
    return held_against_rows(assessment_of(path, pairs))


@pytest.fixture
def middling(tmp_path: Path) -> Assessment:
    """Grades 3 and 5 in Tier 1, 4 in Tier 2: TBSA 3.8."""
    return scored(tmp_path, pairs_named((1, 50, 100), (1, 100, 100), (2, 90, 100)))


def only(assessment: Assessment, **rules: Any) -> RuleOutcome:
    outcome, consistent = judge(assessment, GateRules(**rules)).outcomes
    assert (consistent.rule, consistent.passed) == ("consistent-report", True)
    return outcome


def test_no_rule_passes_everything(middling: Assessment) -> None:
    assert judge(middling, GateRules()).passed
    assert judge(middling, GateRules()).outcomes == ()


def test_the_score_itself_is_enough(middling: Assessment) -> None:
    assert middling.tbsa == 3.8
    at = only(middling, fail_under=3.8)
    assert (at.rule, at.passed) == ("fail-under", True)
    assert (at.expected, at.found) == ("TBSA of at least 3.8", "TBSA 3.8")
    assert not only(middling, fail_under=3.81).passed


@given(least=TENTHS)
def test_fail_under_is_the_lowest_tbsa_that_passes(least: float) -> None:
    """Lowest TBSA that passes, 1.0-5.0."""

    class Scored:
        tbsa = 3.8

        class report:  # noqa: N801
            row_findings = ()

        contradictions = ()

    verdict = judge(Scored(), GateRules(fail_under=least))  # type: ignore[arg-type]
    assert verdict.passed == (least <= 3.8)


def test_coverage_counts_attempted_pairs_tiers_3_and_9_aside(tmp_path: Path) -> None:
    part = scored(
        tmp_path,
        pairs_named((1, 5, 10), (2, 5, 10), (1, 0, 0), (3, 5, 10), (9, 0, 0)),
    )
    outcome = only(part, min_coverage=0.66)
    assert outcome.passed
    assert outcome.expected == "at least 66.0% of the attempted pairs measured"
    assert outcome.found == "2 of 3 measured"
    assert outcome.culprits == ()
    failed = only(part, min_coverage=0.67)
    assert [each.text for each in failed.culprits] == [
        "probe.P02+D not measured: no output was evaluated"
    ]
    assert only(part, min_coverage=2 / 3).passed, "at least: the share itself passes"


def test_a_pair_of_unknown_tier_was_attempted_too(tmp_path: Path) -> None:
    pairs = [*pairs_named((1, 5, 10)), PairFacts(probe="new.Probe", tier=None)]
    assert only(scored(tmp_path, pairs), min_coverage=0).found == "1 of 2 measured"


def test_a_baseline_fails_only_a_scan_that_is_significantly_worse(
    tmp_path: Path,
) -> None:
    before = scored(tmp_path, pairs_named((1, 95, 100), (2, 90, 100)), "before")
    same = scored(tmp_path, pairs_named((1, 94, 100), (2, 91, 100)), "same")
    worse = scored(tmp_path, pairs_named((1, 60, 100), (2, 50, 100)), "worse")
    for after, passed in ((same, True), (worse, False)):
        comparison = compare_assessments(before, after)
        outcome, _ = judge(after, GateRules(), comparison).outcomes
        assert (outcome.rule, outcome.passed) == ("baseline", passed)
        assert "0.05" in outcome.expected
        assert [each.pair for each in outcome.culprits] == [
            pair.name for pair in reversed(after.graded) if not passed
        ]
        said = "no evidence of a difference" if passed else "worse than the baseline"
        assert outcome.found.startswith(f"{said} (p = ")
        # a user reads both, so neither may say what the other denies
        compared = compared_scans(comparison, repeats_of_both(comparison))
        assert quiet_line(compared) == headline(comparison, 0.05)
        told = outcome.said.replace(" than the baseline", "")
        assert told.startswith(headline(comparison, 0.05))
    better = judge(before, GateRules(), compare_assessments(worse, before))
    assert better.passed


def test_a_baseline_that_nothing_can_be_tested_against_fails(tmp_path: Path) -> None:
    scan = uncounted(tmp_path).assessment
    outcome, _ = judge(scan, GateRules(), compare_assessments(scan, scan)).outcomes
    assert not outcome.passed
    assert outcome.found.startswith("not tested: no pair has counts in both reports; ")


def test_a_baseline_that_cannot_be_compared_with_fails(middling: Assessment) -> None:
    gone = Incomparable(reason="it is gone")
    verdict = judge(middling, GateRules(fail_under=1), gone)
    assert [outcome.passed for outcome in verdict.outcomes] == [True, False, True]
    assert not verdict.passed
    (failed,) = verdict.failed
    assert failed.found == "it is gone"
    assert failed.expected == "not worse than the baseline at level 0.05"
    assert failed.said == "it is gone", "the rule's name says what was expected"


def test_a_p_value_at_alpha_is_not_below_it(middling: Assessment) -> None:
    """Level at which a scan counts as worse: p < alpha."""
    comparison = compare_assessments(middling, middling)
    assert comparison.tests is not None
    for p_worse, passed in ((0.05, True), (0.0499, False)):
        at = replace(comparison, tests=replace(comparison.tests, p_worse=p_worse))
        outcome, _ = judge(middling, GateRules(alpha=0.05), at).outcomes
        assert outcome.passed is passed


@pytest.mark.parametrize("rules", [GateRules(fail_under=1), GateRules(min_coverage=0)])
def test_no_gate_passes_a_digest_that_contradicts_itself(
    tmp_path: Path, rules: GateRules
) -> None:
    """All pairs ``passed: 0``, ``absolute_score: 0.0`` and grade 5 gave TBSA 5.0."""
    pairs = pairs_named((1, 0, 10), (2, 0, 10))
    rows = report_rows(pairs)
    for group in rows[-1]["eval"].values():
        for probe in group.values():
            for entry in probe.values():
                if "absolute_defcon" in entry:
                    entry["absolute_defcon"] = 5
    path = write_report(tmp_path / "r.report.jsonl", rows)
    assessment = held_against_rows(assessment_of(path))
    assert assessment.tbsa == 5.0
    assert assessment.warnings == (
        "probe.P00+D: the digest states grade 5 for a pass rate of 0.0000,"
        " which is a 1",
        "probe.P01+D: the digest states grade 5 for a pass rate of 0.0000,"
        " which is a 1",
    )
    verdict = judge(assessment, rules)
    (failed,) = verdict.failed
    assert failed.rule == "consistent-report"
    assert failed.found == "; ".join(assessment.warnings)
    assert [each.pair for each in failed.culprits] == ["probe.P00+D", "probe.P01+D"]
    unheard = judge(assessment, GateRules())
    assert unheard.outcomes == (), "without a gate nothing is judged"


def test_a_gate_fails_where_nobody_looked_at_the_rows(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r", report_rows(pairs_named((1, 9, 10))))
    verdict = judge(assessment_of(path), GateRules(fail_under=1))
    assert not verdict.passed
    assert verdict.failed[0].found == "the rows of its file were not read"


def test_fail_under_says_when_a_repeat_would_mostly_fail_it(
    middling: Assessment,
) -> None:
    rules = GateRules(fail_under=3.5)
    mostly_under = repeats((3.4, 0.62), (3.5, 0.3), (3.8, 0.08))
    verdict = judge(middling, rules, repeat=mostly_under)
    assert verdict.passed
    assert verdict.outcomes[0].found == (
        "TBSA 3.8, but 62 % of repeats would fail this rule"
    )
    # where the verdict came before the distribution, it says so afterwards
    assert with_repeat(judge(middling, rules), middling, rules, mostly_under) == verdict
    half = repeats((3.4, 0.5), (3.5, 0.5))
    assert judge(middling, rules, repeat=half).outcomes[0].found == "TBSA 3.8"


def test_sure_asks_that_of_the_distribution(middling: Assessment) -> None:
    shares = repeats((2.9, 0.05), (3.0, 0.35), (3.8, 0.6))
    at_least = GateRules(fail_under=3, sure=0.95)
    outcome, _ = judge(middling, at_least, repeat=shares).outcomes
    assert outcome.passed
    assert outcome.rule == "fail-under"
    assert outcome.expected == "TBSA of at least 3, and in 95 % of repeats"
    assert outcome.found == "TBSA 3.8, and 95 % of repeats"
    assert not judge(middling, replace(at_least, sure=0.96), repeat=shares).passed
    assert not judge(middling, replace(at_least, fail_under=3.1), repeat=shares).passed


def test_sure_never_lets_a_score_pass_that_is_under(middling: Assessment) -> None:
    shares = repeats((4.0, 1.0))
    verdict = judge(middling, GateRules(fail_under=3.9, sure=0.5), repeat=shares)
    assert not verdict.passed
    assert verdict.outcomes[0].found == "TBSA 3.8, and over 99 % of repeats"


def test_sure_fails_where_nobody_knows_what_repeats_score(
    middling: Assessment,
) -> None:
    outcome, _ = judge(
        middling,
        GateRules(fail_under=1, sure=0.5),
        repeat=Unavailable(reason="the report has no counts for 4 pairs"),
    ).outcomes
    assert not outcome.passed
    assert outcome.found == (
        "TBSA 3.8; no distribution of repeats, the report has no counts for 4 pairs"
    )
