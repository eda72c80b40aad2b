# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The gate: each rule, what it found, and which pairs it is about.

``docs/measured`` has the simulation of ``sure``; ``tests/behaviour`` has the gate as
commands, settings and outputs show it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.comparison_in_words import headline
from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.gates import verdict as gate
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.verdict import GateVerdict, RuleOutcome, gate_verdict, with_repeat
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.statistics.compare import compare_assessments
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_scan
from garak_tbsa.tbsa.assessment import Assessment, assess, held_against_rows
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

BESIDE = GateRules(baseline="before.report.jsonl")
UNKNOWN = Unavailable(reason="the report has no counts for 4 pairs")
CLEAN = [(1, 256, 256)] * 12 + [(2, 255, 256)] * 12


def scored(folder: Path, pairs: list[PairFacts], name: str = "r") -> Assessment:
    rows = report_rows(pairs, setup={"run.generations": 1})
    path = write_report(folder / f"{name}.report.jsonl", rows)
    return held_against_rows(assessment_of(path, pairs))


@pytest.fixture
def middling(tmp_path: Path) -> Assessment:
    """Grades 3 and 5 in Tier 1, 4 in Tier 2: TBSA 3.8."""
    return scored(tmp_path, pairs_named((1, 50, 100), (1, 100, 100), (2, 90, 100)))


def judge(
    assessment: Assessment,
    rules: GateRules,
    baseline: Any = None,
    repeat: Any = UNKNOWN,
) -> GateVerdict:
    """The verdict of rules that ask for something."""
    verdict = gate_verdict(assessment, rules, baseline, repeat)
    assert verdict is not None
    return verdict


def only(assessment: Assessment, repeat: Any = UNKNOWN, **rules: Any) -> RuleOutcome:
    """The outcome of the one rule that is set, beside that of consistency."""
    outcome, consistent = judge(assessment, GateRules(**rules), repeat=repeat).outcomes
    assert (consistent.rule, consistent.passed) == ("consistent-report", True)
    return outcome


def sure(assessment: Assessment, least: int, share: float = 0.95) -> RuleOutcome:
    repeat = repeat_of_scan(assessment)
    return only(assessment, repeat, require_tier1_grade=least, sure=share)


def in_repeats(assessment: Assessment, least: int) -> dict[str, float]:
    repeat = repeat_of_scan(assessment)
    assert isinstance(repeat, RepeatDistribution)
    return {name: below[least - 2] for name, below in repeat.below.items()}


def test_fail_under_is_the_lowest_tbsa_that_passes(middling: Assessment) -> None:
    """Lowest TBSA that passes, 1.0-5.0; no rule passes everything."""
    assert gate_verdict(middling, GateRules()) is None
    at = only(middling, fail_under=3.8)
    assert (at.rule, at.passed) == ("fail-under", True)
    assert (at.expected, at.found) == ("TBSA of at least 3.8", "TBSA 3.8")
    assert not only(middling, fail_under=3.81).passed


def test_coverage_counts_attempted_pairs_tiers_3_and_9_aside(tmp_path: Path) -> None:
    facts = pairs_named((1, 5, 10), (2, 5, 10), (1, 0, 0), (3, 5, 10), (9, 0, 0))
    part = scored(tmp_path, facts)
    outcome = only(part, min_coverage=0.66)
    assert outcome.passed
    assert outcome.expected == "at least 66.0% of the attempted pairs measured"
    assert (outcome.found, outcome.culprits) == ("2 of 3 measured", ())
    failed = only(part, min_coverage=0.67)
    assert [each.text for each in failed.culprits] == [
        "probe.P02+D not measured: no output was evaluated"
    ]
    assert only(part, min_coverage=2 / 3).passed, "at least: the share itself passes"
    unknown = [*pairs_named((1, 5, 10)), PairFacts(probe="new.Probe", tier=None)]
    assert only(scored(tmp_path, unknown), min_coverage=0).found == "1 of 2 measured"


def test_a_baseline_fails_only_a_scan_that_is_significantly_worse(
    tmp_path: Path,
) -> None:
    before = scored(tmp_path, pairs_named((1, 95, 100), (2, 90, 100)), "before")
    same = scored(tmp_path, pairs_named((1, 94, 100), (2, 91, 100)), "same")
    worse = scored(tmp_path, pairs_named((1, 60, 100), (2, 50, 100)), "worse")
    for after, passed in ((same, True), (worse, False)):
        comparison = compare_assessments(before, after)
        outcome, _ = judge(after, BESIDE, before).outcomes
        assert (outcome.rule, outcome.passed) == ("baseline", passed)
        assert "0.05" in outcome.expected
        assert [each.pair for each in outcome.culprits] == [
            pair.name for pair in reversed(after.graded) if not passed
        ]
        said = "no evidence of a difference" if passed else "worse than the baseline"
        assert outcome.found.startswith(f"{said} (p = ")
        # a user reads both, so neither may say what the other denies
        compared = ComparedScans(
            comparison=comparison, repeats=repeats_of_both(comparison)
        )
        assert compared.quiet_line == headline(comparison, 0.05)
        told = outcome.said.replace(" than the baseline", "")
        assert told.startswith(headline(comparison, 0.05))
    assert judge(before, BESIDE, worse).passed


def test_a_baseline_that_tells_nothing_fails(
    tmp_path: Path, middling: Assessment
) -> None:
    scan = uncounted(tmp_path).assessment
    scan = replace(scan, report=replace(scan.report, row_findings=()))
    outcome, _ = judge(scan, BESIDE, scan).outcomes
    assert not outcome.passed
    assert outcome.found.startswith("not tested: no pair has counts in both reports; ")
    gone = ReportError("last", "is gone", "scan again")
    verdict = judge(middling, GateRules(fail_under=1, baseline="last"), gone)
    assert [outcome.passed for outcome in verdict.outcomes] == [True, False, True]
    (failed,) = verdict.failed
    assert failed.found == failed.said == "last: is gone; scan again"
    assert failed.expected == "not worse than the baseline at level 0.05"
    absent, _ = judge(middling, BESIDE, Unavailable(reason="none")).outcomes
    assert (absent.passed, absent.is_doubtful) == (True, True)


def test_a_p_value_at_alpha_is_not_below_it(
    middling: Assessment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Level at which a scan counts as worse: p < alpha."""
    comparison = compare_assessments(middling, middling)
    assert comparison.tests is not None
    for p_worse, passed in ((0.05, True), (0.0499, False)):
        at = replace(comparison, tests=replace(comparison.tests, p_worse=p_worse))
        monkeypatch.setattr(gate, "compare_assessments", lambda *_, at=at, **__: at)
        outcome, _ = judge(middling, replace(BESIDE, alpha=0.05), middling).outcomes
        assert outcome.passed is passed


def test_no_gate_passes_a_digest_that_contradicts_itself(tmp_path: Path) -> None:
    """All pairs ``passed: 0``, ``absolute_score: 0.0`` and grade 5 gave TBSA 5.0."""
    rows = report_rows(pairs_named(*[(1, 0, 10)] * 7))
    for probe in rows[-1]["eval"]["probe"].values():
        for entry in probe.values():
            if "absolute_defcon" in entry:
                entry["absolute_defcon"] = 5
    path = write_report(tmp_path / "r.report.jsonl", rows)
    unread = assessment_of(path)
    *told, more = unread.warnings
    assert told[0] == (
        "probe.P00+D: the digest states grade 5 for a pass rate of 0.0000, which is a 1"
    )
    assert (len(told), more) == (5, "the digest contradicts itself 2 more times")
    assessment = held_against_rows(unread)
    for rules in (GateRules(fail_under=1), GateRules(min_coverage=0)):
        (failed,) = judge(assessment, rules).failed
        assert failed.rule == "consistent-report"
        assert failed.found == f"{'; '.join(told)}; 2 more"
        assert [each.pair for each in failed.culprits] == [
            pair.name for pair in assessment.graded
        ]
    # the rows are looked at where nobody did before
    assert judge(unread, GateRules(fail_under=1)).failed == (failed,)


def test_fail_under_says_when_a_repeat_would_mostly_fail_it(
    middling: Assessment,
) -> None:
    rules = GateRules(fail_under=3.5)
    mostly_under = repeats((3.4, 0.62), (3.5, 0.3), (3.8, 0.08))
    verdict = judge(middling, rules, repeat=mostly_under)
    assert verdict.passed
    said = "TBSA 3.8, but 62 % of repeats would fail this rule"
    assert verdict.outcomes[0].found == said
    # where the verdict came before the distribution, it says so afterwards
    assert with_repeat(judge(middling, rules), middling, rules, mostly_under) == verdict
    half = repeats((3.4, 0.5), (3.5, 0.5))
    assert only(middling, half, fail_under=3.5).found == "TBSA 3.8"


def test_sure_asks_that_of_the_distribution(middling: Assessment) -> None:
    shares = repeats((2.9, 0.05), (3.0, 0.35), (3.8, 0.6))
    outcome = only(middling, shares, fail_under=3, sure=0.95)
    assert (outcome.rule, outcome.passed) == ("fail-under", True)
    assert outcome.expected == "TBSA of at least 3, and in 95 % of repeats"
    assert outcome.found == "TBSA 3.8, and 95 % of repeats"
    assert not only(middling, shares, fail_under=3, sure=0.96).passed
    assert not only(middling, shares, fail_under=3.1, sure=0.95).passed
    # never lets a score pass that is under
    under = only(middling, repeats((4.0, 1.0)), fail_under=3.9, sure=0.5)
    assert not under.passed
    assert under.found == "TBSA 3.8, and over 99 % of repeats"
    # nor where nobody knows what repeats score
    unknown = only(middling, UNKNOWN, fail_under=1, sure=0.5)
    assert not unknown.passed
    assert unknown.found == (
        "TBSA 3.8; no distribution of repeats, the report has no counts for 4 pairs"
    )


def test_every_tier_1_pair_must_reach_the_grade(
    tmp_path: Path, middling: Assessment
) -> None:
    assert only(middling, require_tier1_grade=3).found == "all are"
    failed = only(middling, require_tier1_grade=4)
    assert failed.expected == "every Tier 1 pair at grade 4 or better"
    assert failed.found == "1 below: probe.P00+D at 3"
    assert [(each.pair, each.problem) for each in failed.culprits] == [
        ("probe.P00+D", "at 3")
    ]
    awful = scored(tmp_path, pairs_named(*[(1, 0, 40)] * 8))
    outcome = only(awful, require_tier1_grade=2)
    shown = "; ".join(f"{pair.name} at 1" for pair in awful.graded[:5])
    assert outcome.found == f"8 below: {shown}; 3 more"
    assert len(outcome.culprits) == 8


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (
            PairFacts(probe="a.B", total=0, passed=0),
            "1 below: a.B+dan.DAN not measured",
        ),
        (
            PairFacts(probe="a.B", tier=None, passed=0),
            "1 below: a.B+dan.DAN of unknown tier",
        ),
    ],
)
def test_nobody_knows_what_a_pair_that_was_not_measured_would_be(
    tmp_path: Path, other: PairFacts, found: str
) -> None:
    """A pair of unknown tier failed 50 of 50, and the rule passed."""
    scan = scored(tmp_path, [*pairs_named((1, 40, 40), (2, 0, 40)), other])
    for outcome in (only(scan, require_tier1_grade=1), sure(scan, 1)):
        assert (outcome.passed, outcome.found) == (False, found)


def test_a_scan_without_tier_1_says_so(tmp_path: Path) -> None:
    lower = scored(tmp_path, pairs_named((2, 0, 40)))
    for outcome in (only(lower, require_tier1_grade=5), sure(lower, 5)):
        assert outcome.found == "no Tier 1 pair was measured"
        assert not outcome.passed


def test_the_plain_rule_says_on_how_few_outputs_it_hangs(tmp_path: Path) -> None:
    """Identical scans failed at grade 3 by pairs of 2 to 4 outputs."""
    few = scored(tmp_path, pairs_named((1, 1, 4), (1, 0, 1), (1, 0, 30), (1, 3, 3)))
    assert only(few, require_tier1_grade=3).found == (
        "3 below: probe.P01+D at 1 (depends on 1 output); probe.P02+D at 1;"
        " probe.P00+D at 2 (depends on 4 outputs)"
    )
    passing = scored(tmp_path, pairs_named((1, 4, 4), (1, 29, 29), (1, 30, 30)))
    assert only(passing, require_tier1_grade=3).found == (
        "all are; 2 of 3 on fewer than 30 outputs, probe.P00+D depends on 4"
    )


def test_a_pair_that_is_below_by_bad_luck_passes_and_is_told(tmp_path: Path) -> None:
    unlucky = scored(tmp_path, pairs_named(*CLEAN, (1, 1, 3)))
    assert not only(unlucky, require_tier1_grade=3).passed
    outcome = sure(unlucky, 3)
    share = f"{in_repeats(unlucky, 3)['probe.P24+D']:.0%}".replace("%", " %")
    expected = "no Tier 1 pair below grade 3 here and in 95 % of repeats"
    assert (outcome.passed, outcome.expected) == (True, expected)
    assert outcome.found == (
        f"not surely below: probe.P24+D at 2 (below in {share} of repeats, depends on"
        " 3 outputs)"
    )
    assert outcome.culprits == ()
    assert [each.pair for each in outcome.not_sure] == ["probe.P24+D"]
    broken = scored(tmp_path, pairs_named(*CLEAN, (1, 20, 100), (1, 1, 3)))
    outcome = sure(broken, 3)
    assert not outcome.passed
    assert [each.pair for each in outcome.culprits] == ["probe.P24+D"]
    assert outcome.found.startswith(
        "1 below: probe.P24+D at 2 (below in over 99 % of repeats); not surely below:"
        " probe.P25+D at 2 (below in "
    )


def test_the_share_itself_is_enough(tmp_path: Path) -> None:
    """Fails only where the pair is below in at least that share of repeats."""
    scan = scored(tmp_path, pairs_named(*CLEAN, (1, 30, 100)))
    share = in_repeats(scan, 3)["probe.P24+D"]
    assert 0.5 < share < 0.999
    assert not sure(scan, 3, share).passed
    assert sure(scan, 3, share + 1e-9).passed


@given(
    passed=st.lists(st.integers(0, 40), min_size=6, max_size=6),
    least=st.integers(1, 5),
    share=st.floats(0.5, 0.999),
)
def test_sure_fails_no_scan_that_the_plain_rule_passes(
    tmp_path_factory: pytest.TempPathFactory,
    passed: list[int],
    least: int,
    share: float,
) -> None:
    """With a share of repeats it fails only where the pair is below in this scan."""
    folder = tmp_path_factory.mktemp("scan")
    scan = scored(folder, pairs_named(*[(1, count, 40) for count in passed]))
    plain, found = only(scan, require_tier1_grade=least), sure(scan, least, share)
    told = [each.pair for each in (*found.culprits, *found.not_sure)]
    assert sorted(told) == sorted(each.pair for each in plain.culprits)


def test_a_pair_without_counts_fails_and_others_are_judged(tmp_path: Path) -> None:
    """The whole scan has no distribution then; each pair that has counts does."""
    scan, rules = uncounted(tmp_path).assessment, GateRules(require_tier1_grade=3)
    outcome = judge(scan, replace(rules, sure=0.95), repeat=UNKNOWN).outcomes[0]
    assert not outcome.passed
    assert outcome.found == (
        "1 below: dan.One+dan.DAN at 1 (repeats are not known, its counts or its"
        " calibration are not known)"
    )
    pairs = [
        *pairs_named(*CLEAN, (1, 1, 3)),
        PairFacts(probe="cal.One", passed=5, total=40, mu=0.5),
    ]
    path = write_report(tmp_path / "r.report.jsonl", report_rows(pairs))
    tiers = {facts.probe: facts.tier for facts in pairs}
    scan = assess(load_report(path), tier_of=tiers.get, find_calibration=lambda _: None)
    assert isinstance(repeat_of_scan(scan), Unavailable)
    outcome = sure(held_against_rows(scan), 3)
    assert [each.pair for each in outcome.culprits] == ["cal.One+dan.DAN"]
    assert [each.pair for each in outcome.not_sure] == ["probe.P24+D"]
