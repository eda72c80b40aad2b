# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one order of risk."""

from __future__ import annotations

from garak_tbsa.tbsa.fixes import by_risk, explain
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import graded_pair
from tests.report_rows import PairFacts


def pair(name: str, tier: int, passed: int, total: int, detector: str = "d.D") -> Pair:
    facts = PairFacts(
        probe=f"p.{name}", detector=detector, tier=tier, passed=passed, total=total
    )
    return graded_pair(facts)


def order(pairs: list[Pair], wrong: tuple[str, ...] = ()) -> str:
    return "".join(each.probe[2:] for each in by_risk(pairs, wrong))


def test_pairs_are_by_grade_tier_pass_rate_and_size() -> None:
    pairs = [
        *(pair("G", 1, 100, 100), pair("F", 2, 40, 100), pair("E", 1, 35, 100)),
        *(pair("D", 1, 30, 100), pair("C", 1, 60, 200), pair("B", 2, 0, 50)),
        pair("A", 1, 0, 50),
    ]
    assert order(pairs) == order(pairs[::-1]) == "ABCDEFG"


def test_few_outputs_do_not_lead_while_another_pair_is_to_be_fixed() -> None:
    small, awful = pair("S", 1, 0, 9), pair("A", 2, 1, 100)
    assert order([small, awful, pair("B", 2, 50, 100)]) == "ASB"
    found = {
        each.pair.probe: each.doubt
        for each in explain([small, awful], score_pairs([small, awful])).effects
    }
    assert found == {"p.S": "few outputs: 9", "p.A": None}
    assert order([small, pair("G", 1, 90, 100)]) == "SG"
    assert order([pair("T", 1, 0, 10), awful]) == "TA"


def test_a_detector_that_is_mostly_wrong_does_not_lead() -> None:
    wrong, right = pair("W", 1, 0, 100, "d.Wrong"), pair("R", 2, 40, 100)
    assert order([wrong, right]) == "WR"
    assert order([wrong, right], ("d.Wrong",)) == "RW"
    (first,) = explain([wrong], score_pairs([wrong]), ("d.Wrong",)).effects
    assert first.doubt == "its detector is more often wrong than right"
