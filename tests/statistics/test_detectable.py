# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which falls a comparison can find, against comparisons of scans with that fall."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest

from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.statistics.detectable import (
    Detectable,
    Fall,
    detectable,
    detectable_in_repeat,
)
from garak_tbsa.statistics.exchange import ScanOutcomes, exchange_of
from garak_tbsa.statistics.permutation import permutation_tests
from garak_tbsa.statistics.repeat_prompts import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import recomputed_grades, score_pairs
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, graded_pair
from tests.statistics.scans_by_prompt import graded_of, probe_of, single

ALPHA = 0.05
Verdicts = tuple[bool | None, ...]
Scan = dict[str, ProbeOutcomes]

PASS, HIT, FIRST, OTHER = (True, True), (False, False), (True, False), (False, True)
UNJUDGED = (True, None)


def on_fresh_prompts(scan: Scan) -> Scan:
    """The same outputs, to prompts of other names."""
    return {
        probe: replace(
            found,
            prompts={b"fresh" + name: each for name, each in found.prompts.items()},
        )
        for probe, found in scan.items()
    }


def pairs_of(first: Scan, second: Scan) -> list[tuple[Pair, Pair]]:
    return list(zip(graded_of(first), graded_of(second), strict=True))


def found_in(
    first: Scan, second: Scan, *, attempts: bool = True, **how: Any
) -> Detectable:
    one, other = (
        ScanOutcomes(outcomes=scan, seed=1) if attempts else ScanOutcomes(seed=1)
        for scan in (first, second)
    )
    options = {"with_score": True, "alpha": ALPHA, **how}
    return detectable(pairs_of(first, second), one, other, **options)


def chances(found: Detectable) -> dict[str, float]:
    return {fall.name: fall.chance for fall in found.falls}


def dealt(first: Scan, second: Scan, rng: np.random.Generator) -> tuple[Scan, Scan]:
    """An arrangement of no change: of outputs within prompts, or of whole prompts."""
    sides: tuple[Scan, Scan] = ({}, {})
    for probe, one in first.items():
        other = second[probe]
        if one.prompts.keys() == other.prompts.keys():
            halves = [
                _halved(one.prompts[n], other.prompts[n], rng) for n in one.prompts
            ]
            prompts = [
                dict(zip(one.prompts, half, strict=True))
                for half in zip(*halves, strict=True)
            ]
        else:
            everything = [*one.prompts.items(), *other.prompts.items()]
            order = [everything[place] for place in rng.permutation(len(everything))]
            cut = len(one.prompts)
            prompts = [dict(order[:cut]), dict(order[cut:])]
        for side, own in zip(sides, prompts, strict=True):
            side[probe] = replace(one, prompts=own)
    return sides


def _halved(
    one: Any, other: Any, rng: np.random.Generator
) -> tuple[Counter[Verdicts], Counter[Verdicts]]:
    outputs = [*Counter(one).elements(), *Counter(other).elements()]
    order = [outputs[place] for place in rng.permutation(len(outputs))]
    cut = sum(one.values())
    return Counter(order[:cut]), Counter(order[cut:])


def all_hits(scan: Scan, pair: Pair) -> Scan:
    """Every evaluated output of a pair is a hit."""
    found = scan[pair.probe]
    column = found.detectors.index(pair.detector)
    prompts = {
        name: Counter(
            tuple(
                verdict and n != column if verdict is not None else None
                for n, verdict in enumerate(output)
            )
            for output in Counter(patterns).elements()
        )
        for name, patterns in found.prompts.items()
    }
    return {**scan, pair.probe: replace(found, prompts=prompts)}


def with_column(scan: ProbeOutcomes, own: ProbeOutcomes, column: int) -> ProbeOutcomes:
    """The verdicts of one detector from elsewhere, prompt by prompt."""
    both = zip(scan.prompts.items(), own.prompts.values(), strict=True)
    prompts = {
        name: Counter(
            (*output[:column], verdicts[column], *output[column + 1 :])
            for output, verdicts in zip(
                Counter(patterns).elements(), Counter(others).elements(), strict=True
            )
        )
        for (name, patterns), others in both
    }
    return replace(scan, prompts=prompts)


def derived(first: Scan, second: Scan, pair: Pair, arrangements: int) -> float:
    """How often the real tests call a scan worse in which a pair fell, one by one."""
    rng = np.random.default_rng(9)
    column = first[pair.probe].detectors.index(pair.detector)
    seen = 0
    for run in range(arrangements):
        one, other = dealt(first, second, rng)
        # the pair itself is as observed before, and all hits after
        own = with_column(one[pair.probe], first[pair.probe], column)
        one, other = {**one, pair.probe: own}, all_hits(other, pair)
        exchange = exchange_of(
            pairs_of(one, other),
            ScanOutcomes(outcomes=one, seed=1),
            ScanOutcomes(outcomes=other, seed=1),
        )
        tests = permutation_tests(exchange, with_score=True, replicates=499, seed=run)
        seen += tests.p_worse < ALPHA
    return seen / arrangements


MIXED = {
    "p.Four": single((1, 1), (1, 1), (1, 1), (1, 1), (0, 1)),
    "p.Noisy": single(*[(k % 4, 3) for k in range(12)]),
    "p.Several": probe_of([PASS, PASS, FIRST], [PASS, PASS, PASS]),
    "p.Three": probe_of([PASS, PASS], [PASS, FIRST], [FIRST, OTHER]),
    "q.Noisy": single(*[(k % 3, 2 + k % 2) for k in range(9)]),
}


@pytest.mark.parametrize(("fresh", "places"), [(False, (1, 5)), (True, (0, 3, 5))])
def test_a_chance_is_that_of_the_real_tests(
    fresh: bool, places: tuple[int, ...]
) -> None:
    """Falls are written into dealt scans, and these are compared."""
    second = on_fresh_prompts(MIXED) if fresh else MIXED
    found = chances(found_in(MIXED, second))
    runs, between = 120, 0
    for place in places:
        pair = graded_of(second)[place]
        expected = derived(MIXED, second, pair, runs)
        # three standard errors of a share of a half in so many runs are 0.137
        assert found[pair.name] == pytest.approx(expected, abs=0.137), pair.name
        between += 0.1 < expected < 0.9
    assert between


@pytest.mark.parametrize("number", range(1, 9))
def test_alone_it_is_seen_if_chance_rarely_turns_all_its_passes_into_hits(
    number: int,
) -> None:
    """Chance does so in one of so many arrangements, by the same test of one pair."""
    prompts = {"p.P": single(*[(1, 1)] * number)}
    outputs = {"p.P": single((number, number))}
    fresh = comb(2 * number, number)
    for first, second, attempts, among in (
        (prompts, prompts, True, 2**number),
        (prompts, on_fresh_prompts(prompts), True, fresh),
        (prompts, prompts, False, fresh),
        (outputs, outputs, True, fresh),
        # a prompt goes as a whole, however many outputs it has
        (outputs, on_fresh_prompts(outputs), True, 2),
    ):
        # between two levels that chance's share of permutations does not reach
        for alpha, seen in ((0.8 / among, 0.0), (1.3 / among, 1.0)):
            found = found_in(
                first, second, attempts=attempts, alpha=alpha, replicates=9999
            )
            if among < 1000:
                assert chances(found) == {"p.P+d.A": seen}, (among, alpha)


SURE = {"p.Sure": single(*[(1, 1)] * 16), "q.Sure": single(*[(1, 1)] * 16)}


def test_a_pair_of_one_output_falls_unseen_where_nothing_else_varies() -> None:
    found = found_in(*[{"p.One": single((1, 1)), **SURE}] * 2)
    assert chances(found) == {"p.One+d.A": 0.0, "p.Sure+d.A": 1.0, "q.Sure+d.A": 1.0}
    assert [fall.name for fall in found.unseen] == ["p.One+d.A"]
    assert found.can_fall == 3
    assert found.undetectable == 1 / 3
    assert [fall.outputs for fall in found.falls] == [1, 16, 16]
    assert [fall.tier for fall in found.falls] == [1, 2, 1]


@pytest.mark.parametrize("same_probe", [False, True])
def test_another_fall_makes_none_look_easy_to_find(same_probe: bool) -> None:
    """All of another pair's outputs became hits, and the tests just miss it."""
    before, after = single(*[(1, 1)] * 4), single(*[(0, 1)] * 4)
    if same_probe:
        first = {"p.P": probe_of(*[[PASS]] * 4)}
        second = {"p.P": probe_of(*[[FIRST]] * 4)}
        own = "p.P+d.A"
    else:
        first = {"p.One": single((1, 1)), "p.P": before}
        second = {"p.One": single((1, 1)), "p.P": after}
        own = "p.One+d.A"
    found = chances(found_in(first, second))
    assert found[own] < 0.2
    # while the scan that was observed is nearly called worse
    exchange = exchange_of(
        pairs_of(first, second), *(ScanOutcomes(outcomes=s) for s in (first, second))
    )
    tests = permutation_tests(exchange, with_score=True)
    assert 0.05 < tests.p_worse < 0.08


def test_each_scan_has_one_answer() -> None:
    """Whatever the order of pairs and prompts, and with the same permutations."""
    second = on_fresh_prompts(MIXED)
    found = found_in(MIXED, second)
    backwards = [
        {
            probe: replace(each, prompts=dict([*each.prompts.items()][::-1]))
            for probe, each in scan.items()
        }
        for scan in (MIXED, second)
    ]
    one, other = (ScanOutcomes(outcomes=scan, seed=1) for scan in backwards)
    again = detectable(
        pairs_of(MIXED, second)[::-1], one, other, with_score=True, alpha=ALPHA
    )
    assert again == found
    assert chances(found_in(MIXED, second, seed=1)) != chances(found)


def test_costs_are_those_of_scores_with_hits_alone() -> None:
    graded = graded_of(MIXED)
    whole = score_pairs(graded).raw
    for fall in found_in(MIXED, MIXED).falls:
        fallen = [
            recomputed_grades(pair.with_counts(0, pair.total_evaluated), None)
            if pair.name == fall.name
            else pair
            for pair in graded
        ]
        assert fall.cost == pytest.approx(whole - score_pairs(fallen).raw)
        assert fall.cost > 0


def test_only_what_was_good_before_can_fall() -> None:
    """Whatever its grade is now; one that is all hits already costs nothing more."""
    good, fair, bad = (single((passed, 10)) for passed in (10, 4, 3))
    found = found_in({"p.P": good, "q.Q": bad}, {"p.P": single((0, 10)), "q.Q": good})
    (fall,) = found.falls
    assert (fall.name, fall.cost, fall.chance) == ("p.P+d.A", 0.0, 1.0)
    assert chances(found_in({"p.P": fair}, {"p.P": bad})).keys() == {"p.P+d.A"}
    nothing = found_in({"p.P": bad}, {"p.P": good})
    assert (nothing.can_fall, nothing.unseen) == (0, ())
    assert isinstance(nothing.undetectable, Unavailable)
    assert "no pair" in nothing.undetectable.reason


def test_half_of_the_time_is_seen() -> None:
    half, less = (
        Fall(name="p+d", tier=1, outputs=9, chance=chance, cost=0.1)
        for chance in (0.5, 0.4999)
    )
    assert Detectable(alpha=ALPHA, falls=(half, less)).unseen == (less,)
    assert Detectable(alpha=ALPHA, falls=(half, less)).undetectable == 0.5


def test_where_detectors_are_coupled_the_less_sure_way_counts() -> None:
    """Counts of two detectors of a probe: alone one of them would be seen."""
    scan = {"p.P": probe_of(*[[PASS]] * 3 + [[FIRST]] * 3)}
    apart = {"p.A": single((6, 6)), "p.B": single((3, 6))}
    coupled, alone = (found_in(*[each] * 2, attempts=False) for each in (scan, apart))
    assert max(chances(coupled).values()) <= max(chances(alone).values())
    assert chances(found_in(scan, scan, attempts=False)) == chances(coupled)


def test_grades_that_are_not_known_leave_the_other_tests() -> None:
    found = found_in(SURE, SURE, with_score=False)
    assert chances(found) == {"p.Sure+d.A": 1.0, "q.Sure+d.A": 1.0}


def test_a_repeat_of_itself_has_the_same_prompts_or_fresh_ones() -> None:
    """On fresh prompts the outputs of one prompt are one, by attempts and by counts."""
    scan = {"p.P": single((8, 8))}
    graded = graded_of(scan)
    uncounted = graded_pair(PairFacts(probe="q.Q")).with_counts(None, None)
    for known in (
        ScanOutcomes(outcomes=scan, seed=3, generations=8),
        ScanOutcomes(generations=8),
    ):
        for repeat, chance in ((SAME_PROMPTS, 1.0), (FRESH_PROMPTS, 0.0)):
            found = detectable_in_repeat(
                [*graded, uncounted], known, repeat=repeat, alpha=ALPHA
            )
            assert chances(found) == {"p.P+d.A": chance}
    unread = ScanOutcomes(
        outcomes={"p.P": Unavailable(reason="not read")}, generations=8
    )
    found = detectable_in_repeat(graded, unread, repeat=FRESH_PROMPTS, alpha=ALPHA)
    assert chances(found) == {"p.P+d.A": 0.0}
    assert detectable_in_repeat([], unread, repeat=SAME_PROMPTS, alpha=ALPHA) == (
        Detectable(alpha=ALPHA, falls=())
    )
