# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.comparison_in_words import (
    cause_in_words,
    headline,
    move_text,
    rates_text,
)
from garak_tbsa.statistics.compare import (
    BOTH_WAYS,
    FELL,
    MANY_PAIRS,
    PAIRS,
    ROSE,
    SCORE,
    UNTESTED,
    WORSE,
    Cause,
    ComparedPair,
    Comparison,
    compare,
)
from garak_tbsa.statistics.permutation import PairMove
from tests.factories import PairFacts, assessment_of, graded_pair, report_rows
from tests.factories import write_report as written
from tests.values import known

if TYPE_CHECKING:
    from pathlib import Path

Counts = tuple[int, int]


def compared(
    folder: Path, *scans: tuple[Counts, Counts], replicates: int = 1999
) -> Comparison:
    """Compare two scans of pairs of a probe each, Tier 1 and 2 in turn."""
    sides = []
    for side in (0, 1):
        facts = [
            PairFacts(
                probe=f"probe.P{index:02d}",
                detector="detector.D",
                passed=both[side][0],
                total=both[side][1],
                tier=1 + index % 2,
            )
            for index, both in enumerate(scans)
        ]
        path = written(folder / f"{side}.report.jsonl", report_rows(facts))
        sides.append(assessment_of(path, facts))
    return compare(*sides, replicates=replicates)


def the_cause(comparison: Comparison, alpha: float = 0.05) -> Cause:
    (cause,) = comparison.because(alpha)
    return cause


SAME = ((70, 100), (70, 100))


def test_a_verdict_is_due_to_the_pair_that_stands_out(tmp_path: Path) -> None:
    """Pairs that moved most in that direction, by their standardised change."""
    found = compared(tmp_path, SAME, ((84, 100), (51, 100)), ((60, 100), (64, 100)))
    cause = the_cause(found)
    assert (cause.direction, cause.kind) == (FELL, PAIRS)
    assert [pair.name for pair in cause.pairs] == ["probe.P01+D"]
    assert (cause.moved, cause.against) == (1, 1)
    assert headline(found, 0.05) == (
        f"worse (p = {known(found.tests).p_worse:.3g}): probe.P01 + D fell from 84 %"
        " to 51 %"
    )


def test_pairs_come_with_the_largest_standardised_change_first(tmp_path: Path) -> None:
    """A fall by 20 points of 1,000 outputs is more than one by 40 of 50."""
    found = compared(tmp_path, ((40, 50), (20, 50)), ((800, 1000), (600, 1000)), SAME)
    cause = the_cause(found)
    assert [pair.name for pair in cause.pairs] == ["probe.P01+D", "probe.P00+D"]
    assert cause_in_words(cause) == (
        "probe.P01 + D fell from 80 % to 60 %; probe.P00 + D fell from 80 % to 40 %"
    )


def test_both_directions_have_a_cause_each(tmp_path: Path) -> None:
    """One verdict, and never a pair that moved the other way under it."""
    found = compared(tmp_path, ((90, 100), (40, 100)), ((40, 100), (90, 100)))
    assert found.verdict(0.05) == BOTH_WAYS
    fell, rose = found.because(0.05)
    assert (fell.direction, rose.direction) == (FELL, ROSE)
    assert [pair.name for pair in fell.pairs] == ["probe.P00+D"]
    assert [pair.name for pair in rose.pairs] == ["probe.P01+D"]
    assert "P00 + D fell from 90 % to 40 %; probe.P01 + D rose" in headline(found, 0.05)


def test_many_pairs_that_moved_a_little(tmp_path: Path) -> None:
    """Only the direction is significant and no pair stands out."""
    found = compared(tmp_path, *[((75, 100), (66, 100))] * 10, SAME)
    assert found.verdict(0.05) == WORSE
    cause = the_cause(found)
    assert (cause.kind, cause.moved, cause.against) == (MANY_PAIRS, 10, 0)
    assert len(cause.pairs) == 5
    assert headline(found, 0.05).endswith(
        "): many pairs moved a little (10 passed less often, 0 more often), none stands"
        " out"
    )


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6),
    st.sampled_from([0.01, 0.05, 0.2, 0.5]),
)
def test_a_cause_never_contradicts_the_verdict(
    tmp_path_factory: pytest.TempPathFactory,
    passed: list[tuple[int, int]],
    alpha: float,
) -> None:
    """One test, and never two verdicts that contradict."""
    folder = tmp_path_factory.mktemp("scans")
    found = compared(folder, *[((a, 30), (b, 30)) for a, b in passed], replicates=99)
    verdict, causes = found.verdict(alpha), found.because(alpha)
    directions = [cause.direction for cause in causes]
    expected = {WORSE: [FELL], BOTH_WAYS: [FELL, ROSE], "better": [ROSE]}
    assert directions == expected.get(verdict, [])
    assert found.may_be_worse(alpha) == (verdict in (WORSE, BOTH_WAYS, UNTESTED))
    assert headline(found, alpha).startswith(verdict)
    for cause in causes:
        sign = -1 if cause.direction == FELL else 1
        assert all(sign * pair.z > 0 for pair in cause.pairs)
        z_scores = [sign * pair.z for pair in cause.pairs]
        assert z_scores == sorted(z_scores, reverse=True)
        if cause.kind == PAIRS:
            assert all(p.stands_out(cause.direction, alpha) for p in cause.pairs)


def test_the_p_of_the_largest_fall_is_that_of_the_largest_change(
    tmp_path: Path,
) -> None:
    """Single-step adjustment: the least of them is the test of the extreme."""
    found = compared(tmp_path, ((84, 100), (60, 100)), SAME, ((50, 100), (55, 100)))
    moves = {pair.name: pair.move for pair in found.pairs}
    largest = moves[known(found.tests).largest_pair]
    assert known(largest).z == known(found.tests).largest_z
    assert known(largest).p_fell == min(known(move).p_fell for move in moves.values())
    assert known(largest).p_rose == 1.0


def pair(before: Counts, after: Counts, z: float) -> ComparedPair:
    first, second = (
        graded_pair(PairFacts(probe="dan.A", detector="d.D", passed=k, total=n))
        for k, n in (before, after)
    )
    return ComparedPair(
        first=first,
        second=second,
        move=PairMove(z=z, p_fell=0.01, p_rose=0.01),
        not_tested=None,
        units=(100, 100),
    )


def test_a_rate_that_did_not_fall_is_not_said_to() -> None:
    """Prompt by prompt a pair may pass less though its whole rate does not."""
    assert move_text(pair((50, 100), (30, 60), -3.0)) == (
        "passed less often prompt by prompt (50 % before, 50 % after)"
    )
    assert move_text(pair((50, 100), (60, 100), -3.0)) == (
        "passed less often prompt by prompt (50 % before, 60 % after)"
    )
    assert move_text(pair((50, 100), (40, 100), 3.0)) == (
        "passed more often prompt by prompt (50 % before, 40 % after)"
    )


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        (0.84, 0.51, ("84 %", "51 %")),
        (1.0, 0.9961, ("100 %", "over 99 %")),
        (0.0, 0.004, ("0 %", "under 1 %")),
        (0.512, 0.508, ("51.2 %", "50.8 %")),
        (0.5112, 0.5108, ("51.12 %", "51.08 %")),
        (0.9999, 0.998, ("over 99.9 %", "99.8 %")),
        (0.3, 0.3, ("30 %", "30 %")),
    ],
)
def test_rates(first: float, second: float, texts: tuple[str, str]) -> None:
    assert rates_text(first, second) == texts


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_rate_is_rounded_to_all_or_nothing(first: float, second: float) -> None:
    """No rate is rounded to all or nothing."""
    for share, text in zip((first, second), rates_text(first, second), strict=True):
        assert text.startswith("100") == (share == 1)
        assert (text.strip(" %0.") == "") == (share == 0)


def cause(kind: str, moved: int, pairs: tuple[ComparedPair, ...] = ()) -> Cause:
    return Cause(direction=ROSE, kind=kind, pairs=pairs, moved=moved, against=2)


def test_words_of_what_no_single_pair_shows() -> None:
    assert cause_in_words(cause(SCORE, 3)) == (
        "changes of grade add up (3 passed more often, 2 less often), none stands out"
    )
    assert cause_in_words(cause(MANY_PAIRS, 3)) == (
        "pairs moved together (3 passed more often, 2 less often), none stands out"
    )


def test_three_pairs_are_named_and_the_others_counted() -> None:
    one = pair((1, 10), (9, 10), 5.0)
    said = "dan.A + d.D rose from 10 % to 90 %"
    assert cause_in_words(cause(PAIRS, 5, (one,) * 3)) == "; ".join([said] * 3)
    assert cause_in_words(cause(PAIRS, 5, (one,) * 4)).endswith("; 1 more pair rose")
    assert cause_in_words(cause(PAIRS, 5, (one,) * 5)).endswith("; 2 more pairs rose")


def test_where_most_others_moved_too_it_says_so() -> None:
    """One pair that stands out is not all there is to it."""
    one = pair((1, 10), (9, 10), 5.0)
    said = "dan.A + d.D rose from 10 % to 90 %"
    # 9 + 2 others: 7 more than 2 * sqrt(11) = 6.6; with 8 + 2 it is 6, not 6.3
    assert cause_in_words(cause(PAIRS, 10, (one,))) == (
        f"{said}; of the others 9 passed more often, 2 less often"
    )
    assert cause_in_words(cause(PAIRS, 9, (one,))) == said
