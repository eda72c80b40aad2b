# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The gate: each rule, what it found, and which pairs it is about.

``docs/measured`` has the simulation of ``sure``; ``tests/behaviour`` has the gate as
commands, settings and outputs show it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import garak_tbsa
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.verdict import gate_verdict
from tests.behaviour.product import tbsa
from tests.repeats import repeats
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report
from tests.values import known

CLEAN = [(1, 256, 256)] * 12 + [(2, 255, 256)] * 12
MIDDLING = pairs_named((1, 50, 100), (1, 100, 100), (2, 90, 100))
"""Grades 3 and 5 in Tier 1, 4 in Tier 2: TBSA 3.8."""


def scan(folder: Path, pairs: list[PairFacts], name: str = "r") -> str:
    rows = report_rows(pairs, setup={"run.generations": 1}, run=f"run {name}")
    return write_report(folder / f"{name}.report.jsonl", rows)


def assessed(path: str) -> Any:
    return garak_tbsa.assess(garak_tbsa.load_report(path))


def judged(path: str, **rules: Any) -> Any:
    return known(garak_tbsa.score(path, **rules).gate)


def only(path: str, **rules: Any) -> Any:
    """The outcome of the one rule that is set, beside that of consistency."""
    outcome, consistent = judged(path, **rules).outcomes
    assert (consistent.rule, consistent.passed) == ("consistent-report", True)
    return outcome


def sure(path: str, least: int, share: float = 0.95) -> Any:
    return only(path, require_tier1_grade=least, sure=share)


def by_repeats(folder: Path, distribution: Any, **rules: Any) -> Any:
    """The outcome of a rule for ``MIDDLING``, whose repeats score so."""
    assessment = assessed(scan(folder, MIDDLING))
    asked = GateRules(**rules)
    return known(gate_verdict(assessment, asked, None, distribution)).outcomes[0]


def test_coverage_counts_attempted_pairs_tiers_3_and_9_aside(tmp_path: Path) -> None:
    facts = pairs_named((1, 5, 10), (2, 5, 10), (1, 0, 0), (3, 5, 10), (9, 0, 0))
    part = scan(tmp_path, facts)
    outcome = only(part, min_coverage=0.66)
    assert outcome.passed
    assert (
        outcome.expected
        == "at least 66.0% of pairs, selected probes and outputs measured"
    )
    assert (outcome.found, outcome.culprits) == ("2 of 3 attempted pairs measured", ())
    failed = only(part, min_coverage=0.67)
    assert not failed.passed
    assert [each.text for each in failed.culprits] == [
        "probe.P02+D not measured: no output was evaluated"
    ]
    assert only(part, min_coverage=2 / 3).passed, "at least: the share itself passes"
    unknown = [*pairs_named((1, 5, 10)), PairFacts(probe="new.Probe", tier=None)]
    found = only(scan(tmp_path, unknown), min_coverage=0).found
    assert found == "1 of 2 attempted pairs measured"


def test_a_baseline_fails_only_a_scan_that_is_significantly_worse(
    tmp_path: Path,
) -> None:
    before = scan(tmp_path, pairs_named((1, 95, 100), (2, 90, 100)), "before")
    same = scan(tmp_path, pairs_named((1, 94, 100), (2, 91, 100)), "same")
    worse = scan(tmp_path, pairs_named((1, 60, 100), (2, 50, 100)), "worse")
    for after, said, culprits in (
        (same, "no evidence of a difference", []),
        (worse, "worse", ["probe.P01+D", "probe.P00+D"]),
    ):
        outcome = only(after, baseline=before)
        assert (outcome.rule, outcome.passed) == ("baseline", not culprits)
        assert outcome.expected == "not worse than the baseline at level 0.05"
        assert [each.pair for each in outcome.culprits] == culprits
        # a user reads both, so neither may say what the other denies
        (line,) = tbsa("compare", "-q", before, after).lines
        assert line.startswith(f"{said} (p = ")
        assert outcome.said.replace(" than the baseline", "").startswith(line)
    assert only(before, baseline=worse).passed
    assert garak_tbsa.score(before).gate is None


def uncounted(folder: Path, name: str = "uncounted") -> str:
    """A report like that of an old garak: a digest without counts, and no rows."""
    rows = report_rows(pairs_named((1, 2, 7)), run=name)[-1:]
    entry = rows[0]["eval"]["probe"]["probe.P00"]["detector.D"]
    del entry["passed"], entry["total_evaluated"]
    return write_report(folder / f"{name}.report.jsonl", rows)


def test_a_scan_without_counts_passes_no_gate(tmp_path: Path) -> None:
    path, before = uncounted(tmp_path), uncounted(tmp_path, "before")
    problem = "the file has no eval rows to check its digest with"
    outcomes = judged(path, baseline=before).outcomes
    assert [(rule.passed, rule.found) for rule in outcomes] == [
        (False, f"{before}: {problem}"),
        (False, problem),
    ]


def test_no_gate_passes_a_digest_that_contradicts_itself(tmp_path: Path) -> None:
    """All pairs ``passed: 0``, ``absolute_score: 0.0`` and grade 5 gave TBSA 5.0."""
    rows = report_rows(pairs_named(*[(1, 0, 10)] * 7))
    for probe in rows[-1]["eval"]["probe"].values():
        for entry in probe.values():
            if "absolute_defcon" in entry:
                entry["absolute_defcon"] = 5
    path = write_report(tmp_path / "r.report.jsonl", rows)
    *told, more = assessed(path).warnings
    assert told[0] == (
        "probe.P00+D: the digest states grade 5 for a pass rate of 0.0000, which is a 1"
    )
    assert (len(told), more) == (5, "the digest contradicts itself 2 more times")
    for rules in ({"fail_under": 1}, {"min_coverage": 0}):
        (failed,) = judged(path, **rules).failed
        assert failed.rule == "consistent-report"
        assert failed.found == f"{'; '.join(told)}; 2 more"
        assert [each.pair for each in failed.culprits] == [
            f"probe.P0{number}+D" for number in range(7)
        ]


def test_fail_under_says_when_a_repeat_would_mostly_fail_it(tmp_path: Path) -> None:
    mostly_under = repeats((3.4, 0.62), (3.5, 0.3), (3.8, 0.08))
    found = by_repeats(tmp_path, mostly_under, fail_under=3.5)
    assert (found.passed, found.is_doubtful) == (True, True)
    assert found.found == "TBSA 3.8, but 62 % of repeats would fail this rule"
    half = by_repeats(tmp_path, repeats((3.4, 0.5), (3.5, 0.5)), fail_under=3.5)
    assert (half.found, half.is_doubtful) == ("TBSA 3.8", False)


def test_sure_asks_that_of_the_distribution(tmp_path: Path) -> None:
    shares = repeats((2.9, 0.05), (3.0, 0.35), (3.8, 0.6))
    outcome = by_repeats(tmp_path, shares, fail_under=3, sure=0.95)
    assert (outcome.rule, outcome.passed) == ("fail-under", True)
    assert outcome.expected == "TBSA of at least 3, and in 95 % of repeats"
    assert outcome.found == "TBSA 3.8, and 95 % of repeats"
    assert not by_repeats(tmp_path, shares, fail_under=3, sure=0.96).passed
    assert not by_repeats(tmp_path, shares, fail_under=3.1, sure=0.95).passed
    # never lets a score pass that is under
    under = by_repeats(tmp_path, repeats((4.0, 1.0)), fail_under=3.9, sure=0.5)
    assert not under.passed
    assert under.found == "TBSA 3.8, and over 99 % of repeats"
    # nor where nobody knows what repeats score
    reason = garak_tbsa.Unavailable(reason="the report has no counts for 4 pairs")
    unknown = by_repeats(tmp_path, reason, fail_under=1, sure=0.5)
    assert (unknown.passed, unknown.found) == (
        False,
        f"TBSA 3.8; no distribution of repeats, {reason.reason}",
    )


def test_every_tier_1_pair_must_reach_the_grade(tmp_path: Path) -> None:
    middling = scan(tmp_path, MIDDLING)
    assert only(middling, require_tier1_grade=3).found == "all are"
    failed = only(middling, require_tier1_grade=4)
    assert failed.expected == "every Tier 1 pair at grade 4 or better"
    assert failed.found == "1 below: probe.P00+D at 3"
    assert [(each.pair, each.problem) for each in failed.culprits] == [
        ("probe.P00+D", "at 3")
    ]
    awful = scan(tmp_path, pairs_named(*[(1, 0, 40)] * 8))
    outcome = only(awful, require_tier1_grade=2)
    shown = "; ".join(f"probe.P0{number}+D at 1" for number in range(5))
    assert outcome.found == f"8 below: {shown}; 3 more"
    assert len(outcome.culprits) == 8
    # identical scans failed at grade 3 by pairs of 2 to 4 outputs
    few = scan(tmp_path, pairs_named((1, 1, 4), (1, 0, 1), (1, 0, 30), (1, 3, 3)))
    assert only(few, require_tier1_grade=3).found == (
        "3 below: probe.P01+D at 1 (depends on 1 output); probe.P02+D"
        " at 1; probe.P00+D at 2 (depends on 4 outputs)"
    )
    passing = scan(tmp_path, pairs_named((1, 4, 4), (1, 29, 29), (1, 30, 30)))
    assert only(passing, require_tier1_grade=3).found == (
        "all are; 2 of 3 on fewer than 30 outputs, probe.P00+D depends on 4"
    )


MEASURED = pairs_named((1, 40, 40), (2, 0, 40))


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        (
            [*MEASURED, PairFacts(probe="a.B", total=0, passed=0)],
            "1 below: a.B+dan.DAN not measured",
        ),
        (
            # one that failed 50 of 50, and the rule passed
            [*MEASURED, PairFacts(probe="a.B", tier=None, passed=0)],
            "1 below: a.B+dan.DAN of unknown tier",
        ),
        (pairs_named((2, 0, 40)), "no Tier 1 pair was measured"),
    ],
)
def test_what_nobody_measured_does_not_pass(
    tmp_path: Path, pairs: list[PairFacts], found: str
) -> None:
    """Nobody knows what it would be, nor what a repeat of it would be."""
    path = scan(tmp_path, pairs)
    for outcome in (only(path, require_tier1_grade=1), sure(path, 1)):
        assert (outcome.passed, outcome.found) == (False, found)


def test_a_pair_that_is_below_by_bad_luck_passes_and_is_told(tmp_path: Path) -> None:
    unlucky = scan(tmp_path, pairs_named(*CLEAN, (1, 13, 36)))
    assert not only(unlucky, require_tier1_grade=3).passed
    outcome = sure(unlucky, 3)
    repeat: Any = garak_tbsa.repeat(assessed(unlucky))
    below = f"{repeat.below['probe.P24+D'][1]:.0%}".replace("%", " %")
    expected = "no Tier 1 pair below grade 3 here and in 95 % of repeats"
    assert (outcome.passed, outcome.expected) == (True, expected)
    assert outcome.found == (
        f"not surely below: probe.P24+D at 2 (below in {below} of repeats)"
    )
    assert (outcome.culprits, outcome.is_doubtful) == ((), True)
    assert [each.pair for each in outcome.not_sure] == ["probe.P24+D"]
    broken = scan(tmp_path, pairs_named(*CLEAN, (1, 20, 100), (1, 13, 36)))
    outcome = sure(broken, 3)
    assert not outcome.passed
    assert [each.pair for each in outcome.culprits] == ["probe.P24+D"]
    assert outcome.found.startswith(
        "1 below: probe.P24+D at 2 (below in over 99 % of repeats); not surely"
        " below: probe.P25+D at 2 (below in "
    )


def test_a_pair_that_could_not_be_surely_below_is_not_judged(tmp_path: Path) -> None:
    """Three outputs among many clean ones show no bad pair, whatever they are."""
    for passed in (0, 1):
        outcome = sure(scan(tmp_path, pairs_named(*CLEAN, (1, passed, 3))), 3)
        assert not outcome.passed
        assert outcome.found.startswith(
            "not judged: not surely below even if all outputs were hits: probe.P24+D at"
        )
        assert "more prompts" in outcome.found
        assert [each.pair for each in outcome.culprits] == ["probe.P24+D"]
        assert outcome.not_sure == ()


def test_the_share_itself_is_enough(tmp_path: Path) -> None:
    """Fails only where the pair is below in at least that share of repeats."""
    path = scan(tmp_path, pairs_named(*CLEAN, (1, 30, 100)))
    repeat: Any = garak_tbsa.repeat(assessed(path))
    share = repeat.below["probe.P24+D"][1]
    assert 0.5 < share < 0.999
    assert not sure(path, 3, share).passed
    assert sure(path, 3, share + 1e-9).passed


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
    path = scan(folder, pairs_named(*[(1, count, 40) for count in passed]))
    plain, found = only(path, require_tier1_grade=least), sure(path, least, share)
    told = [each.pair for each in (*found.culprits, *found.not_sure)]
    assert sorted(told) == sorted(each.pair for each in plain.culprits)


def test_a_pair_without_counts_fails_and_others_are_judged(tmp_path: Path) -> None:
    """The whole scan has no distribution then; each pair that has counts does."""
    outcomes = judged(uncounted(tmp_path), require_tier1_grade=3, sure=0.95).outcomes
    assert [outcome.passed for outcome in outcomes] == [False, False]
    assert outcomes[0].found == (
        "1 below: probe.P00+D at 2 (repeats are not known, its counts or its"
        " calibration are not known)"
    )
    calibrated = PairFacts(probe="cal.One", passed=5, total=40, mu=0.5)
    outcome = sure(scan(tmp_path, [*pairs_named(*CLEAN, (1, 13, 36)), calibrated]), 3)
    assert [each.pair for each in outcome.culprits] == ["cal.One+dan.DAN"]
    assert [each.pair for each in outcome.not_sure] == ["probe.P24+D"]
