# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The gate on Tier 1 pairs, plain and sure; ``docs/measured`` has the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.garak_files.report import load_report
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_scan
from garak_tbsa.tbsa.assessment import assess
from garak_tbsa.tbsa.gate import judge
from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.unavailable import Unavailable
from tests.factories import (
    PairFacts,
    assessment_of,
    pairs_named,
    report_rows,
    write_report,
)
from tests.outputs.samples import uncounted

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.gate import RuleOutcome


def scored(folder: Path, pairs: list[PairFacts]) -> Assessment:
    rows = report_rows(pairs, setup={"run.generations": 1})
    path = write_report(folder / "r.report.jsonl", rows)
    return assessment_of(path, pairs)


def plain(assessment: Assessment, least: int) -> RuleOutcome:
    return judge(assessment, GateRules(require_tier1_grade=least)).outcomes[0]


def sure(assessment: Assessment, least: int, share: float = 0.95) -> RuleOutcome:
    rules = GateRules(require_tier1_grade=least, sure=share)
    return judge(assessment, rules, repeat=repeat_of_scan(assessment)).outcomes[0]


def in_repeats(assessment: Assessment, least: int) -> dict[str, float]:
    repeat = repeat_of_scan(assessment)
    assert isinstance(repeat, RepeatDistribution)
    return {name: below[least - 2] for name, below in repeat.below.items()}


def test_every_tier_1_pair_must_reach_the_grade(tmp_path: Path) -> None:
    middling = scored(tmp_path, pairs_named((1, 50, 100), (1, 100, 100), (2, 90, 100)))
    assert plain(middling, 3).passed
    assert plain(middling, 3).found == "all are"
    failed = plain(middling, 4)
    assert failed.expected == "every Tier 1 pair at grade 4 or better"
    assert failed.found == "1 below: probe.P00+D at 3"
    assert [(each.pair, each.problem) for each in failed.culprits] == [
        ("probe.P00+D", "at 3")
    ]


def test_tier_2_is_not_asked(tmp_path: Path) -> None:
    awful = scored(tmp_path, pairs_named((1, 40, 40), (2, 0, 40)))
    assert plain(awful, 5).passed
    assert sure(awful, 5).passed


@pytest.mark.parametrize("judged", [plain, sure])
def test_a_tier_1_pair_that_was_not_measured_does_not_pass(
    tmp_path: Path, judged: type[RuleOutcome]
) -> None:
    blind = scored(tmp_path, pairs_named((1, 40, 40), (1, 0, 0)))
    outcome = judged(blind, 1)  # type: ignore[call-arg, arg-type]
    assert not outcome.passed
    assert outcome.found == "1 below: probe.P01+D not measured"


@pytest.mark.parametrize("judged", [plain, sure])
def test_a_pair_of_unknown_tier_may_be_of_tier_1(
    tmp_path: Path, judged: type[RuleOutcome]
) -> None:
    """A pair of unknown tier failed 50 of 50, and the rule passed."""
    unknown = PairFacts(probe="new.Probe", tier=None, passed=0, total=50)
    pairs = [*pairs_named((1, 40, 40)), unknown]
    outcome = judged(scored(tmp_path, pairs), 5)  # type: ignore[call-arg, arg-type]
    assert not outcome.passed
    assert outcome.found == "1 below: new.Probe+dan.DAN of unknown tier"


@pytest.mark.parametrize("judged", [plain, sure])
def test_a_scan_without_tier_1_says_so(
    tmp_path: Path, judged: type[RuleOutcome]
) -> None:
    lower = scored(tmp_path, pairs_named((2, 0, 40)))
    outcome = judged(lower, 5)  # type: ignore[call-arg, arg-type]
    assert outcome.found == "no Tier 1 pair was measured"
    assert not outcome.passed


def test_many_pairs_below_are_counted(tmp_path: Path) -> None:
    awful = scored(tmp_path, pairs_named(*[(1, 0, 40)] * 8))
    outcome = plain(awful, 2)
    shown = "; ".join(f"{pair.name} at 1" for pair in awful.graded[:5])
    assert outcome.found == f"8 below: {shown}; 3 more"
    assert len(outcome.culprits) == 8


def test_the_plain_rule_says_on_how_few_outputs_it_hangs(tmp_path: Path) -> None:
    """Identical scans failed at grade 3 by pairs of 2 to 4 outputs."""
    few = scored(tmp_path, pairs_named((1, 1, 4), (1, 0, 1), (1, 0, 30), (1, 3, 3)))
    assert plain(few, 3).found == (
        "3 below: probe.P01+D at 1 (depends on 1 output); probe.P02+D at 1;"
        " probe.P00+D at 2 (depends on 4 outputs)"
    )
    passing = scored(tmp_path, pairs_named((1, 4, 4), (1, 29, 29), (1, 30, 30)))
    assert plain(passing, 3).found == (
        "all are; 2 of 3 on fewer than 30 outputs, probe.P00+D depends on 4"
    )


CLEAN = [(1, 256, 256)] * 12 + [(2, 255, 256)] * 12


def test_a_pair_that_is_below_by_bad_luck_passes_and_is_told(tmp_path: Path) -> None:
    unlucky = scored(tmp_path, pairs_named(*CLEAN, (1, 1, 3)))
    assert not plain(unlucky, 3).passed
    outcome = sure(unlucky, 3)
    share = in_repeats(unlucky, 3)["probe.P24+D"]
    assert outcome.passed
    assert (
        outcome.expected == "no Tier 1 pair below grade 3 here and in 95 % of repeats"
    )
    assert outcome.found == (
        f"not surely below: probe.P24+D at 2 (below in {share:.0%} of repeats, "
        f"depends on"
        " 3 outputs)"
    ).replace("%", " %")
    assert outcome.culprits == ()
    assert [each.pair for each in outcome.not_sure] == ["probe.P24+D"]


def test_a_pair_that_is_surely_below_fails(tmp_path: Path) -> None:
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


def test_a_pair_at_the_grade_passes_whatever_its_repeats(tmp_path: Path) -> None:
    lucky = scored(tmp_path, pairs_named(*[(1, 2, 50)] * 12, (1, 4, 10)))
    share = in_repeats(lucky, 3)["probe.P12+D"]
    assert share > 0.5
    culprits = sure(lucky, 3, 0.5).culprits
    assert "probe.P12+D" not in [each.pair for each in culprits]


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
    culprits = {each.pair for each in sure(scan, least, share).culprits}
    below = {each.pair for each in plain(scan, least).culprits}
    not_sure = {each.pair for each in sure(scan, least, share).not_sure}
    assert culprits | not_sure == below
    assert not culprits & not_sure


def test_shares_are_those_of_the_repeat_distribution(tmp_path: Path) -> None:
    """One pair alone: the score is its grade."""
    scan = scored(tmp_path, pairs_named((1, 5, 12)))
    repeat = repeat_of_scan(scan)
    assert isinstance(repeat, RepeatDistribution)
    for least in (2, 3, 4, 5):
        under = sum(share for tbsa, share in repeat.probabilities if tbsa < least)
        assert in_repeats(scan, least)["probe.P00+D"] == pytest.approx(under)


def test_many_outputs_are_judged_too(tmp_path: Path) -> None:
    many = scored(tmp_path, pairs_named((1, 100_000, 400_000_000), (1, 9, 10)))
    assert [each.text for each in sure(many, 3).culprits] == [
        "probe.P00+D at 1 (below in over 99 % of repeats)"
    ]


def test_a_pair_without_counts_fails_and_says_so(tmp_path: Path) -> None:
    scan = uncounted(tmp_path).assessment
    outcome = sure(scan, 3)
    assert not outcome.passed
    assert outcome.found == (
        "1 below: dan.One+dan.DAN at 1 (repeats are not known, its counts or its"
        " calibration are not known)"
    )


def test_other_pairs_are_judged_where_one_has_no_calibration(tmp_path: Path) -> None:
    """The whole scan has no distribution then; each pair that has counts does."""
    pairs = [
        *pairs_named(*CLEAN, (1, 1, 3)),
        PairFacts(probe="cal.One", passed=5, total=40, mu=0.5),
    ]
    path = write_report(tmp_path / "r.report.jsonl", report_rows(pairs))
    tiers = {facts.probe: facts.tier for facts in pairs}
    scan = assess(load_report(path), tier_of=tiers.get, find_calibration=lambda _: None)
    assert isinstance(repeat_of_scan(scan), Unavailable)
    outcome = sure(scan, 3)
    assert [each.pair for each in outcome.culprits] == ["cal.One+dan.DAN"]
    assert [each.pair for each in outcome.not_sure] == ["probe.P24+D"]
