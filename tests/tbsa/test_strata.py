# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What may change places between two scans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.strata import (
    NO_ATTEMPTS,
    Exchange,
    ScanOutcomes,
    Stratum,
    Unmatched,
    exchange_of,
)
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, graded_pair

DETECTORS = ("d.A", "d.B")

Prompts = dict[str, dict[tuple[bool | None, ...], int]]


def outcomes(prompts: Prompts, detectors: tuple[str, ...] = DETECTORS) -> ProbeOutcomes:
    return ProbeOutcomes(
        detectors=detectors,
        prompts={name.encode(): patterns for name, patterns in prompts.items()},
    )


def graded(found: ProbeOutcomes) -> list[GradedPair]:
    return [
        graded_pair(
            PairFacts(probe="p.P", detector=name, passed=counts[0], total=counts[1])
        )
        for name, counts in found.counts().items()
    ]


def exchanged(
    first: Prompts,
    second: Prompts,
    detectors: tuple[str, ...] = DETECTORS,
    seeds: tuple[int | None, int | None] = (1, 1),
) -> Exchange:
    """Exchange of one probe, all of whose outputs are known."""
    one, other = outcomes(first, detectors), outcomes(second, detectors)
    return exchange_of(
        list(zip(graded(one), graded(other), strict=True)),
        ScanOutcomes(outcomes={"p.P": one}, seed=seeds[0], generations=2),
        ScanOutcomes(outcomes={"p.P": other}, seed=seeds[1], generations=2),
    )


BOTH_PASS, BOTH_HIT, MIXED = (True, True), (False, False), (True, False)


def test_an_output_goes_with_the_verdicts_of_all_detectors() -> None:
    found = exchanged({"a": {BOTH_PASS: 2, MIXED: 1}}, {"a": {MIXED: 1, BOTH_HIT: 2}})
    assert found.strata == {
        Stratum(
            pairs=(0, 1), passed=((0, 0), (1, 0), (1, 1)), times=(2, 2, 2), second=3
        ): 1
    }
    assert found.by_prompt == ("p.P+d.A", "p.P+d.B")
    assert (found.by_whole_prompt, found.unmatched, found.coupled) == ((), (), ())


def test_prompts_that_are_alike_are_counted() -> None:
    one: Prompts = {"a": {BOTH_PASS: 1}, "b": {BOTH_HIT: 1}}
    found = exchanged(one, {"b": one["a"], "a": one["b"]})
    assert found.strata == {
        Stratum(pairs=(0, 1), passed=((0, 0), (1, 1)), times=(1, 1), second=1): 2
    }


def test_outputs_that_another_set_of_detectors_judged_stay_among_themselves() -> None:
    found = exchanged(
        {"a": {(True, None): 1, BOTH_PASS: 1}}, {"a": {(None, None): 1, MIXED: 1}}
    )
    assert found.strata == {
        Stratum(pairs=(0, 1), passed=((1, 0),), times=(1,), second=0): 1,
        Stratum(pairs=(0, 1), passed=((1, 0), (1, 1)), times=(1, 1), second=1): 1,
    }


def test_prompts_of_one_scan_alone_change_places_whole() -> None:
    found = exchanged(
        {"a": {BOTH_PASS: 1, BOTH_HIT: 1}, "both": {BOTH_PASS: 2}},
        {"b": {BOTH_HIT: 2}, "both": {MIXED: 2}, "c": {BOTH_HIT: 3}},
    )
    assert found.strata == {
        # two outputs each
        Stratum(pairs=(0, 1), passed=((0, 0), (1, 1)), times=(1, 1), second=1): 1,
        # three outputs, which no prompt of the first scan has
        Stratum(pairs=(0, 1), passed=((0, 0),), times=(1,), second=1): 1,
        # outputs of the prompt that both have
        Stratum(pairs=(0, 1), passed=((1, 0), (1, 1)), times=(2, 2), second=2): 1,
    }
    assert found.by_whole_prompt == ("p.P+d.A", "p.P+d.B")
    assert found.by_prompt == ()
    # four of the first scan's four outputs, four of the second one's seven
    assert found.movable == dict.fromkeys(((0, 0), (0, 1), (1, 0), (1, 1)), 4)


def test_outputs_without_a_verdict_do_not_change_places() -> None:
    """One that a detector gave none does so for the other detector alone."""
    found = exchanged(
        {"a": {BOTH_PASS: 1, (None, True): 2, (True, None): 1}},
        {"a": {BOTH_HIT: 1, (None, False): 1}},
    )
    assert found.movable == {(0, 0): 1, (0, 1): 1, (1, 0): 3, (1, 1): 2}


def test_a_detector_that_is_no_common_pair_is_left_out() -> None:
    """A pair measured in one scan alone is not tested."""
    first = outcomes({"a": {(True,): 1}}, ("d.B",))
    second = outcomes({"a": {(True, False): 1}})
    found = exchange_of(
        [(graded(first)[0], graded(second)[1])],
        ScanOutcomes(outcomes={"p.P": first}),
        ScanOutcomes(outcomes={"p.P": second}),
    )
    assert found.strata == {
        Stratum(pairs=(0,), passed=((0,), (1,)), times=(1, 1), second=1): 1
    }


WHOLE = outcomes({"a": {BOTH_PASS: 3}, "b": {BOTH_HIT: 3}})


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        pytest.param(
            {"p.P": outcomes({"a": {BOTH_PASS: 3}})},
            "its attempts do not add up to its counts",
            id="thinned",
        ),
        pytest.param(
            {"p.P": outcomes({"a": {BOTH_PASS: 3}, "b": {MIXED: 3}})},
            "its attempts do not add up to its counts",
            id="one detector by another threshold",
        ),
        pytest.param(
            {"p.P": outcomes({"a": {(True,): 3}, "b": {(False,): 3}}, ("d.A",))},
            "its attempts do not add up to its counts",
            id="a detector less",
        ),
        pytest.param(
            {"p.P": Unavailable(reason="lists of other lengths")},
            "lists of other lengths",
            id="not held",
        ),
        pytest.param({}, "the report holds no attempt of it", id="no attempts"),
        pytest.param(NO_ATTEMPTS, "its attempts were not read", id="not read"),
    ],
)
def test_attempts_that_do_not_account_for_counts_are_not_used(
    second: Any, reason: str
) -> None:
    """By prompt only where attempts account for the counts of all detectors."""
    pairs = [(pair, pair) for pair in graded(WHOLE)]
    good = ScanOutcomes(outcomes={"p.P": WHOLE}, seed=1)
    bad = ScanOutcomes(outcomes=second, seed=1)
    for sides, where in (((good, bad), "after"), ((bad, good), "before")):
        found = exchange_of(pairs, *sides)
        assert found.strata == {
            Stratum(pairs=(pair,), passed=((0,), (1,)), times=(6, 6), second=6): 1
            for pair in (0, 1)
        }
        assert found.unmatched == tuple(
            Unmatched(pair=pair.name, reason=f"{where}: {reason}")
            for pair in graded(WHOLE)
        )
        assert found.coupled == ((0, 1),)
    found = exchange_of(pairs, bad, bad)
    assert {entry.reason for entry in found.unmatched} == {f"in both: {reason}"}


def counts_alone(
    before: tuple[int, int],
    after: tuple[int, int],
    sides: tuple[ScanOutcomes, ScanOutcomes],
) -> Exchange:
    one, other = (
        graded_pair(PairFacts(passed=passed, total=total))
        for passed, total in (before, after)
    )
    return exchange_of([(one, other)], *sides)


@pytest.mark.parametrize(
    ("seeds", "alike"), [((1, 1), 1), ((1, 2), 5), ((None, None), 5), ((None, 1), 5)]
)
def test_outputs_of_prompts_that_may_differ_are_taken_to_be_alike(
    seeds: tuple[int | None, int | None], alike: int
) -> None:
    sides = [ScanOutcomes(seed=seed, generations=5) for seed in seeds]
    found = counts_alone((10, 20), (3, 20), (sides[0], sides[1]))
    assert found.alike == alike
    expected = Stratum(pairs=(0,), passed=((0,), (1,)), times=(27, 13), second=20)
    if alike == 5:
        expected = Stratum(
            pairs=(0,), passed=((0,), (3,), (5,)), times=(5, 1, 2), second=4
        )
    assert found.strata == {expected: 1}


def test_outputs_that_fill_no_prompt_stay_in_their_scan() -> None:
    fresh = ScanOutcomes(generations=5)
    found = counts_alone((9, 12), (4, 4), (fresh, fresh))
    assert found.strata == {
        Stratum(pairs=(0,), passed=((9,),), times=(1,), second=0): 1,
        Stratum(pairs=(0,), passed=((4,),), times=(1,), second=1): 1,
    }
    assert found.movable == {}
    found = counts_alone((9, 12), (5, 5), (fresh, fresh))
    assert found.movable == {(0, 0): 10, (0, 1): 5}


@st.composite
def any_counts(draw: DrawFn) -> tuple[int, int]:
    total = draw(st.integers(1, 40))
    return draw(st.integers(0, total)), total


@given(any_counts(), any_counts(), st.integers(1, 7))
def test_strata_of_counts_add_up_to_them(
    before: tuple[int, int], after: tuple[int, int], alike: int
) -> None:
    """Passes of both scans are all there, and no arrangement exceeds a total."""
    fresh = ScanOutcomes(generations=alike)
    strata = counts_alone(before, after, (fresh, fresh)).strata
    add_up(strata, 0, before[0] + after[0])
    most = least = 0
    for stratum in strata:
        units = sorted(
            passed[0]
            for passed, times in zip(stratum.passed, stratum.times, strict=True)
            for _ in range(times)
        )
        least += sum(units[: stratum.second])
        most += sum(units[len(units) - stratum.second :])
    assert max(0, before[0] + after[0] - before[1]) <= least
    assert most <= min(before[0] + after[0], after[1])


def add_up(strata: Mapping[Stratum, int], pair: int, passed: int) -> None:
    assert passed == sum(
        alike * times * kind[stratum.pairs.index(pair)]
        for stratum, alike in strata.items()
        if pair in stratum.pairs
        for kind, times in zip(stratum.passed, stratum.times, strict=True)
    )


VERDICT = st.sampled_from((True, False, None))
PROMPTS = st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(st.tuples(VERDICT, VERDICT), st.integers(1, 3), max_size=4),
    max_size=4,
)


@given(PROMPTS, PROMPTS)
def test_strata_of_outputs_add_up_to_the_counts(
    first: Prompts, second: Prompts
) -> None:
    """Whatever the prompts are, every pass of both scans is in one stratum."""
    # no pair is without an evaluated output
    scans: list[Prompts] = [{**each, "e": {MIXED: 1}} for each in (first, second)]
    found = exchanged(scans[0], scans[1])
    sides = [outcomes(prompts).counts() for prompts in scans]
    for position, name in enumerate(DETECTORS):
        add_up(found.strata, position, sum(side[name][0] for side in sides))


def test_probes_are_told_apart() -> None:
    """Each pair is named once, by what was done with it."""
    known = outcomes({"a": {(True,): 1}}, ("d.A",))
    pair = graded(known)[0]
    other = graded_pair(PairFacts(probe="q.Q", passed=1, total=2))
    side = ScanOutcomes(outcomes={"p.P": known}, seed=3)
    found = exchange_of([(other, other), (pair, pair)], side, side)
    assert found.by_prompt == ("p.P+d.A",)
    assert [entry.pair for entry in found.unmatched] == [other.name]
    assert {stratum.pairs for stratum in found.strata} == {(0,), (1,)}
    assert found.same_seed == 3
