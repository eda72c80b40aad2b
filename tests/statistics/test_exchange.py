# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What may change places between two scans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa import Unavailable
from garak_tbsa.report.outcomes import Outcomes, Pattern, ProbeOutcomes
from garak_tbsa.statistics.exchange import (
    NO_ATTEMPT_OF_PROBE,
    NOT_ADDING_UP,
    Block,
    Exchange,
    ScanOutcomes,
    exchange_of,
)
from garak_tbsa.tbsa.pairs import Pair
from tests.factories import PairFacts, graded_pair
from tests.statistics.scans_by_prompt import graded_of

Prompts = dict[str, dict[Pattern, int]]
DETECTORS = ("d.A", "d.B")
BOTH_PASS, BOTH_HIT, MIXED = (True, True), (False, False), (True, False)
JUDGED = (1, 1)


def outcomes(prompts: Prompts) -> ProbeOutcomes:
    named = {name.encode(): patterns for name, patterns in prompts.items()}
    return ProbeOutcomes(detectors=DETECTORS, prompts=named)


def graded(prompts: Prompts) -> list[Pair]:
    return graded_of({"p.P": outcomes(prompts)})


def exchanged(first: Prompts, second: Prompts) -> Exchange:
    """Exchange of one probe, all of whose outputs are known."""
    pairs = list(zip(graded(first), graded(second), strict=True))
    sides = (ScanOutcomes(outcomes={"p.P": outcomes(each)}) for each in (first, second))
    return exchange_of(pairs, *sides)


NAMES = ["p.P+d.A", "p.P+d.B"]
ONE_EACH = dict.fromkeys(((0, 0), (0, 1), (1, 0), (1, 1)), 1)


def single(*passed: tuple[int, int], times: tuple[int, ...]) -> Block:
    """Outputs by what they passed, half of them in the second scan."""
    units = tuple((JUDGED, each) for each in passed)
    return Block(pairs=(0, 1), units=units, times=times, second=sum(times) // 2)


def test_an_output_goes_with_the_verdicts_of_all_detectors() -> None:
    """Within its prompt, and among those that the same detectors judged."""
    found = exchanged({"a": {BOTH_PASS: 2, MIXED: 1}}, {"a": {MIXED: 1, BOTH_HIT: 2}})
    block = single((0, 0), (1, 0), (1, 1), times=(2, 2, 2))
    assert found.blocks == {block: (2, 1, 0)}
    assert (found.by_prompt, found.by_whole_prompt) == (NAMES, [])
    assert (found.unmatched, found.coupled) == ({}, [])
    # prompts that are alike are counted together
    one: Prompts = {"a": {BOTH_PASS: 1}, "b": {BOTH_HIT: 1}}
    found = exchanged(one, {"b": one["a"], "a": one["b"]})
    assert found.blocks == {single((0, 0), (1, 1), times=(1, 1)): (1, 1)}
    found = exchanged(
        {"a": {(True, None): 1, BOTH_PASS: 1}}, {"a": {(None, None): 1, MIXED: 1}}
    )
    assert found.blocks == {single((1, 0), (1, 1), times=(1, 1)): (1, 0)}
    assert found.outputs == ONE_EACH


def test_prompts_of_one_scan_alone_change_places_whole_whatever_their_size() -> None:
    """Those that one scan alone has more of stay where they are."""
    found = exchanged(
        {"a": {BOTH_PASS: 1, BOTH_HIT: 1}, "both": {BOTH_PASS: 2}},
        {"b": {(False, None): 2}, "both": {MIXED: 2}, "c": {BOTH_HIT: 3}, "d": {}},
    )
    whole = (((2, 0), (0, 0)), ((2, 2), (1, 1)), ((3, 3), (0, 0)))
    assert found.blocks == {
        single((1, 0), (1, 1), times=(2, 2)): (2, 0),
        Block(pairs=(0, 1), units=whole, times=(1, 1, 1), second=2): (1, 0, 1),
    }
    assert (found.by_whole_prompt, found.by_prompt) == (NAMES, [])
    assert found.units == {(0, 0): 3, (0, 1): 4, (1, 0): 3, (1, 1): 3}
    assert found.outputs == {(0, 0): 4, (0, 1): 7, (1, 0): 4, (1, 1): 5}
    found = exchanged({"a": {BOTH_PASS: 1}}, {"a": {MIXED: 1}, "b": {BOTH_HIT: 4}})
    assert [block.times for block in found.blocks] == [(1, 1)]
    assert found.outputs == ONE_EACH


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (Unavailable(reason="no"), "no"),
        ({}, NO_ATTEMPT_OF_PROBE.reason),
        ({"p.P": Unavailable(reason="odd")}, "odd"),
        ({"p.P": outcomes({"a": {BOTH_HIT: 3}})}, NOT_ADDING_UP.reason),
    ],
)
def test_a_pair_without_its_outputs_is_known_by_counts(
    known: Outcomes | Unavailable, reason: str
) -> None:
    whole: Prompts = {"a": {BOTH_PASS: 2}}
    pairs = [(pair, pair) for pair in graded(whole)]
    good, bad = (
        ScanOutcomes(outcomes={"p.P": outcomes(whole)}),
        ScanOutcomes(outcomes=known),
    )
    for where, sides in (
        ("before", (bad, good)),
        ("after", (good, bad)),
        ("in both", (bad, bad)),
    ):
        found = exchange_of(pairs, *sides)
        assert found.unmatched == dict.fromkeys((0, 1), f"{where}: {reason}")
        assert found.coupled == [(0, 1)]
        assert {block.pairs for block in found.blocks} == {(0,), (1,)}


def counts_alone(
    before: tuple[int, int], after: tuple[int, int], *sides: ScanOutcomes
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
    found = counts_alone((10, 20), (3, 12), *sides)
    assert found.alike == alike
    (block,) = found.blocks
    if alike == 1:
        assert block.units == (((1,), (0,)), ((1,), (1,)))
        assert (block.times, block.second) == ((19, 13), 12)
    else:
        # the second scan: three of five, none of five, none of two
        sizes = ((2, 0), (5, 0), (5, 3), (5, 5))
        assert block.units == tuple(((size,), (passed,)) for size, passed in sizes)
        assert (block.times, block.second) == ((1, 3, 1, 2), 3)


COUNTS = st.integers(1, 40).flatmap(
    lambda total: st.tuples(st.integers(0, total), st.just(total))
)


@given(COUNTS, COUNTS, st.integers(1, 7))
def test_units_of_counts_add_up_to_them(
    before: tuple[int, int], after: tuple[int, int], alike: int
) -> None:
    fresh = ScanOutcomes(generations=alike)
    found = counts_alone(before, after, fresh, fresh)
    add_up(found, 0, before, after)
    assert all(
        max(evaluated) <= alike
        for block in found.blocks
        for evaluated, _ in block.units
    )


def add_up(
    found: Exchange, pair: int, before: tuple[int, int], after: tuple[int, int]
) -> None:
    """All outputs that can change places, of the second scan and of both."""
    both, second = [0, 0], [0, 0]
    for block, seconds in found.blocks.items():
        column = block.pairs.index(pair)
        copies = sum(seconds) // block.second
        for unit, times, theirs in zip(block.units, block.times, seconds, strict=True):
            for part in (0, 1):
                both[part] += copies * times * unit[part][column]
                second[part] += theirs * unit[part][column]
    assert found.outputs[pair, 1] == second[0] <= after[1]
    assert found.outputs[pair, 0] == both[0] - second[0] <= before[1]
    assert second[1] <= after[0]
    assert both[1] - second[1] <= before[0]


VERDICT = st.sampled_from((True, False, None))
PROMPTS = st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(st.tuples(VERDICT, VERDICT), st.integers(1, 3), max_size=4),
    max_size=4,
)


@given(PROMPTS, PROMPTS)
def test_units_of_outputs_add_up_to_the_counts(first: Prompts, second: Prompts) -> None:
    # no pair is without an evaluated output
    scans: list[Prompts] = [{**each, "e": {MIXED: 1}} for each in (first, second)]
    found = exchanged(scans[0], scans[1])
    sides = [outcomes(prompts).counts() for prompts in scans]
    for position, name in enumerate(DETECTORS):
        add_up(found, position, *(side[name] for side in sides))


def test_probes_are_told_apart() -> None:
    """Each pair is named once, by what was done with it."""
    whole: Prompts = {"a": {BOTH_PASS: 1}}
    pair = graded(whole)[0]
    other = graded_pair(PairFacts(probe="q.Q", passed=1, total=2))
    side = ScanOutcomes(outcomes={"p.P": outcomes(whole)}, seed=3)
    found = exchange_of([(other, other), (pair, pair)], side, side)
    assert found.by_prompt == ["p.P+d.A"]
    assert list(found.unmatched) == [1]
    assert {block.pairs for block in found.blocks} == {(0,), (1,)}
    assert found.same_seed == 3
