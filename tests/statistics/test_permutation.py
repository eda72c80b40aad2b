# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests against enumeration of every arrangement, and textbooks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import hypergeom

from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.statistics import permutation
from garak_tbsa.statistics.exchange import ScanOutcomes, exchange_of
from garak_tbsa.tbsa.pairs import Pair
from tests.factories import PairFacts, graded_pair

Verdicts = tuple[bool | None, ...]
Prompts = dict[str, list[Verdicts]]
"""The verdicts of both detectors on each output, by prompt."""
Counts = tuple[int, int]
"""Passed and evaluated."""
Statistic = NDArray[np.float64]

DETECTORS = ("d.A", "d.B")
PASS: Verdicts = (True, True)
HIT: Verdicts = (False, False)
FIRST: Verdicts = (True, False)
OTHER: Verdicts = (False, True)
NAMES = ("p_score", "p_cmh", "p_less", "p_more", "p_largest_z", "p_worse", "p_better")


def side_of(prompts: Prompts) -> tuple[list[Pair], ScanOutcomes]:
    """Graded pairs of Tier 1 and 2 on the same outputs, and these outputs."""
    counted = {
        name.encode(): {verdicts: outputs.count(verdicts) for verdicts in outputs}
        for name, outputs in prompts.items()
    }
    outcomes = ProbeOutcomes(detectors=DETECTORS, prompts=counted)
    pairs = [
        graded_pair(
            PairFacts(probe="p.P", detector=name, passed=passed, total=total, tier=tier)
        )
        for tier, (name, (passed, total)) in enumerate(outcomes.counts().items(), 1)
    ]
    return pairs, ScanOutcomes(outcomes={"p.P": outcomes}, seed=1)


def results_of(
    first: Prompts, second: Prompts, *, attempts: bool = True, **options: int
) -> permutation.TestResults:
    (before, one), (after, other) = side_of(first), side_of(second)
    if not attempts:
        one = other = ScanOutcomes(seed=1)
    pairs = list(zip(before, after, strict=True))
    exchange = exchange_of(pairs, one, other)
    return permutation.permutation_tests(exchange, with_score=True, **options)


def by_counts(*scans: tuple[Counts, Counts], **options: int) -> permutation.TestResults:
    """Test pairs of which no more than counts are known, Tier 1 and 2 in turn."""
    pairs = []
    for index, two in enumerate(scans):
        one, other = (
            PairFacts(probe=f"p.P{index}", passed=k, total=n, tier=1 + index % 2)
            for k, n in two
        )
        pairs.append((graded_pair(one), graded_pair(other)))
    side = ScanOutcomes(seed=1)
    exchange = exchange_of(pairs, side, side)
    return permutation.permutation_tests(exchange, with_score=True, **options)


def arranged(first: Prompts, second: Prompts) -> Iterator[tuple[Prompts, Prompts]]:
    """Every way to deal the outputs of each prompt, and the prompts of one scan."""
    common = sorted(first.keys() & second.keys())
    alone = sorted(first.keys() ^ second.keys())
    everything = {**first, **second}
    dealt = []
    for name in common:
        outputs = first[name] + second[name]
        dealt.append(
            [
                (
                    [outputs[i] for i in range(len(outputs)) if i not in chosen],
                    [outputs[i] for i in chosen],
                )
                for chosen in itertools.combinations(
                    range(len(outputs)), len(second[name])
                )
            ]
        )
    many = len(second.keys() - first.keys())
    for chosen in itertools.combinations(alone, many):
        for deal in itertools.product(*dealt):
            one = {name: everything[name] for name in alone if name not in chosen}
            other = {name: everything[name] for name in chosen}
            for name, (before, after) in zip(common, deal, strict=True):
                one[name], other[name] = before, after
            yield one, other


def counts_of(prompts: Prompts, column: int) -> Counts:
    verdicts = [each[column] for outputs in prompts.values() for each in outputs]
    return verdicts.count(True), len(verdicts) - verdicts.count(None)


def rate_grade(passed: int, total: int) -> int:
    return 1 + sum(passed >= bound * total for bound in (0.05, 0.4, 0.8, 0.99))


def scaled_grade(counts: Counts, own: Counts) -> int:
    """By the edges of the scan's own total, as many times as fit the other total."""
    lowest = [
        next(k for k in range(own[1] + 1) if rate_grade(k, own[1]) >= grade)
        for grade in (2, 3, 4, 5)
    ]
    return 1 + sum(counts[0] * own[1] >= edge * counts[1] for edge in lowest)


def sizes_of(prompts: Prompts, column: int) -> list[int]:
    return [counts_of({"": outputs}, column)[1] for outputs in prompts.values()]


def residuals(prompts: Prompts, column: int, rate: float) -> list[float]:
    """Passes of each prompt less what the rate makes of its evaluated outputs."""
    counts = [counts_of({"": outputs}, column) for outputs in prompts.values()]
    return [passed - rate * evaluated for passed, evaluated in counts]


def likeness_of(everything: Prompts) -> float:
    """Correlation of two outputs of a prompt, by moments over both detectors."""
    excess = most = 0.0
    for column in (0, 1):
        passed, evaluated = counts_of(everything, column)
        chance = passed / evaluated * (1 - passed / evaluated)
        squares = [r**2 for r in residuals(everything, column, passed / evaluated)]
        excess += sum(squares) - chance * evaluated
        most += chance * sum(n * (n - 1) for n in sizes_of(everything, column))
    return min(max(excess / most, 0), 1)


def signed_root(one: Prompts, other: Prompts, column: int, likeness: float) -> float:
    """Of the likelihood ratio of two rates, each of as many outputs as it is worth."""
    weights, rates = [], []
    for scan in (one, other):
        passed, evaluated = counts_of(scan, column)
        spread = sum(n * (1 + (n - 1) * likeness) for n in sizes_of(scan, column))
        weights.append(evaluated**2 / spread)
        rates.append(passed / evaluated)
    both = np.average(rates, weights=weights)
    ratio = sum(
        weight * x * math.log(x / y)
        for weight, rate in zip(weights, rates, strict=True)
        for x, y in ((rate, both), (1 - rate, 1 - both))
        if x
    )
    return math.copysign(math.sqrt(max(2 * ratio, 0)), rates[1] - rates[0])


def moved_in(both: list[tuple[Prompts, Prompts]]) -> tuple[Statistic, Statistic]:
    """How far each detector's passes moved in each arrangement, and residual sums."""
    one, other = both[0]
    passes = np.array([[counts_of(b, c)[0] for c in (0, 1)] for _, b in both], float)
    sums = passes - passes.mean(axis=0)
    everything = {
        f"{name} {scan}": each[name]
        for scan, each in enumerate(both[0])
        for name in each
    }
    if one.keys() & other.keys() or len(set(sizes_of(everything, 0))) == 1:
        return sums, sums
    likeness = likeness_of(everything)
    moved = np.zeros_like(sums)
    for column in (0, 1):
        passed, evaluated = counts_of(everything, column)
        sums[:, column] = [
            sum(residuals(b, column, passed / evaluated)) for _, b in both
        ]
        roots = [signed_root(a, b, column, likeness) for a, b in both]
        moved[:, column] = sums[:, column].std() * np.array(roots)
    return moved, sums


def exact(first: Prompts, second: Prompts) -> dict[str, float]:
    """All p-values by definition, over every arrangement."""
    both = list(arranged(first, second))
    observed = next(i for i, scans in enumerate(both) if scans == (first, second))
    moved, sums = moved_in(both)
    z = moved / np.where(sums.std(axis=0) > 0, sums.std(axis=0), 1)
    direction = moved.sum(axis=1)
    spread = sums.sum(axis=1).std()
    own = [[counts_of(scan, column) for column in (0, 1)] for scan in (first, second)]
    scores = np.array(
        [
            [
                np.average(
                    [scaled_grade(counts_of(each, c), counts[c]) for c in (0, 1)],
                    weights=[2, 1],
                )
                for each, counts in zip(scans, own, strict=True)
            ]
            for scans in both
        ]
    )
    score = scores[:, 1] - scores[:, 0]

    def share(statistic: Statistic) -> float:
        return float((statistic >= statistic[observed] - 1e-9).mean())

    def joined(statistics: list[Statistic]) -> float:
        """The smallest of these p-values, and how often it is as small."""
        smallest = np.min(
            [[(each >= v - 1e-9).mean() for v in each] for each in statistics], axis=0
        )
        return share(-smallest)

    return {
        "p_score": share(abs(score)),
        "p_cmh": share(abs(direction)),
        "p_less": share(-direction),
        "p_more": share(direction),
        "p_largest_z": share(abs(z).max(axis=1)),
        "p_worse": joined([-score, -direction, -z.min(axis=1)]),
        "p_better": joined([score, direction, z.max(axis=1)]),
        "cmh_z": direction[observed] / spread if spread > 1e-9 else 0.0,
        "largest_z": abs(z[observed]).max(),
    }


NONE_OF_FIRST, NONE_OF_OTHER = (None, True), (True, None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            {"a": [PASS] * 4, "b": [PASS, PASS, FIRST]},
            {"a": [HIT, PASS, HIT], "b": [HIT, OTHER, HIT]},
            id="same prompts, several outputs",
        ),
        pytest.param(
            {name: [PASS] for name in "abcdefgh"},
            {**{name: [HIT] for name in "abcd"}, **{n: [FIRST] for n in "efgh"}},
            id="same prompts, one output",
        ),
        pytest.param(
            {"a": [PASS, PASS], "b": [PASS, FIRST], "c": [OTHER, PASS]},
            {"d": [HIT, HIT], "e": [PASS, HIT], "f": [HIT, FIRST], "g": [HIT, OTHER]},
            id="other prompts, several outputs",
        ),
        pytest.param(
            {"a": [PASS, PASS], "b": [PASS, PASS], "c": [FIRST, PASS]},
            {"a": [HIT, PASS], "d": [HIT, HIT], "e": [OTHER, HIT]},
            id="some of the same prompts",
        ),
        pytest.param(
            {"a": [PASS] * 4, "b": [PASS, HIT, PASS], "c": [OTHER, PASS]},
            {"d": [HIT], "e": [PASS, HIT], "f": [HIT, FIRST, HIT], "g": [HIT, OTHER]},
            id="other prompts, other numbers of outputs",
        ),
        pytest.param(
            {name: [PASS, PASS, FIRST] for name in "abcd"},
            {name: [HIT, PASS, HIT, NONE_OF_FIRST, HIT] for name in "efgh"},
            id="a detector that lacks verdicts",
        ),
        pytest.param(
            {"a": [FIRST] * 3, "b": [FIRST, FIRST, OTHER]},
            {"a": [OTHER, FIRST, OTHER], "b": [OTHER, OTHER, FIRST]},
            id="verdicts that add up to the same",
        ),
        pytest.param(
            {"a": [FIRST] * 3, "b": [OTHER], "c": [FIRST, FIRST], "d": [FIRST]},
            {"e": [OTHER], "f": [OTHER, FIRST], "g": [OTHER] * 3, "h": [OTHER, OTHER]},
            id="the same, with other prompts and numbers of outputs",
        ),
    ],
)
def test_p_values_equal_exact_enumeration(first: Prompts, second: Prompts) -> None:
    """Outputs change places within their prompt, prompts of one scan as a whole."""
    replicates = 20_000
    expected = exact(first, second)
    found = results_of(first, second, replicates=replicates)
    for name in NAMES:
        spread = math.sqrt(expected[name] * (1 - expected[name]) / replicates)
        assert getattr(found, name) == pytest.approx(
            expected[name], abs=4 * spread + 1e-3
        ), name
    assert found.cmh_z == pytest.approx(expected["cmh_z"])
    assert abs(found.largest_z) == pytest.approx(expected["largest_z"])


VERDICTS = st.lists(st.sampled_from([PASS, HIT, FIRST, OTHER]), min_size=1, max_size=4)
SCANS = st.dictionaries(st.sampled_from("abcdef"), VERDICTS, min_size=1)


@settings(max_examples=30)
@given(SCANS, SCANS, st.booleans())
def test_the_order_of_pairs_and_prompts_changes_no_digit(
    first: Prompts, second: Prompts, attempts: bool
) -> None:
    """And no p-value is less than the number of permutations allows."""
    (before, one), (after, other) = side_of(first), side_of(second)
    (_, back), (_, forth) = (
        side_of(dict(reversed(each.items()))) for each in (first, second)
    )
    pairs = list(zip(before, after, strict=True))
    if not attempts:
        one = other = back = forth = ScanOutcomes()
    found, again = (
        permutation.permutation_tests(exchange, with_score=True, replicates=99)
        for exchange in (
            exchange_of(pairs, one, other),
            exchange_of(pairs[::-1], back, forth),
        )
    )
    assert again == found
    for name in NAMES:
        assert 1 / 100 - 1e-12 <= getattr(found, name) <= 1.0


@settings(max_examples=30)
@given(SCANS, SCANS)
def test_worse_is_better_seen_from_the_other_scan(
    first: Prompts, second: Prompts
) -> None:
    """And a scan beside itself has not moved.

    ``p_worse`` and ``p_better`` are enumerated above: where they are the smallest of
    several that are equal but for what was drawn, they are no mirror of each other.
    """
    there, back = (
        results_of(*scans, replicates=2000)
        for scans in ((first, second), (second, first))
    )
    assert back.cmh_z == pytest.approx(-there.cmh_z, abs=1e-6)
    for one, other in zip(there.moves, back.moves, strict=True):
        assert other.z == pytest.approx(-one.z, abs=1e-6)
        assert other.p_rose == pytest.approx(one.p_fell, abs=0.06)
    assert back.p_more == pytest.approx(there.p_less, abs=0.06)
    assert back.p_less == pytest.approx(there.p_more, abs=0.06)
    for attempts in (True, False):
        found = results_of(first, first, attempts=attempts, replicates=99)
        assert (found.p_score, found.p_cmh, found.p_largest_z) == (1.0, 1.0, 1.0)
        assert (found.cmh_z, found.largest_z) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # neither prompts of one scan alone, nor those with a verdict in one alone
        ({"b": [PASS]}, {"a": [HIT, HIT], "b": [(None, None)]}),
        # where all of them are drawn for one scan, the other has no rate to compare
        (
            {"a": [PASS], "b": [NONE_OF_OTHER]},
            {"c": [NONE_OF_OTHER, NONE_OF_OTHER], "d": [PASS, PASS]},
        ),
    ],
)
def test_outputs_that_cannot_change_places_prove_nothing(
    first: Prompts, second: Prompts
) -> None:
    found = results_of(first, second, replicates=99)
    assert (found.p_score, found.p_cmh, found.p_worse) == (1.0, 1.0, 1.0)
    assert (found.p_largest_z, found.largest_z, found.cmh_z) == (1.0, 0.0, 0.0)


def test_prompts_that_are_alike_follow_the_same_law_as_one_by_one() -> None:
    """Drawn together or each alone, prompts give the same distribution."""
    names = [str(number) for number in range(40)]
    found = results_of(
        {name: [PASS] * 3 + [HIT] for name in names},
        {name: [PASS] * 2 + [HIT] * 2 for name in names},
        replicates=20_000,
    )
    one = hypergeom(8, 5, 4).pmf(range(5))
    many = np.array([1.0])
    for _ in names:
        many = np.convolve(many, one)
    away = np.abs(np.arange(len(many)) - 40 * 2.5)
    assert found.p_cmh == pytest.approx(many[away >= 20 - 1e-9].sum(), abs=0.003)


COUNTS = st.integers(1, 30).flatmap(
    lambda total: st.tuples(st.integers(0, total), st.just(total))
)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=5))
def test_cmh_of_counts_is_the_textbook_statistic(
    scans: list[tuple[Counts, Counts]],
) -> None:
    """sum(a - E a) / sqrt(sum Var a), from the four cells of each 2x2 table."""
    difference = variance = 0.0
    for (passed1, total1), (passed2, total2) in scans:
        passed, n = passed1 + passed2, total1 + total2
        difference += passed2 - total2 * passed / n
        variance += total1 * total2 * passed * (n - passed) / (n * n * (n - 1))
    expected = difference / math.sqrt(variance) if variance else 0.0
    found = by_counts(*scans, replicates=5)
    assert found.cmh_z == pytest.approx(expected, abs=1e-9)


def test_direction_stays_valid_where_the_normal_law_does_not() -> None:
    """One hit in 10 outputs, none in 1000 before: chance does that in 10 of 1010."""
    found = by_counts(((1000, 1000), (9, 10)), replicates=20_000)
    assert found.cmh_z < -9
    assert found.p_cmh == pytest.approx(10 / 1010, abs=0.003)
    assert found.p_worse == pytest.approx(10 / 1010, abs=0.003)


def drawn(
    rng: np.random.Generator, rates: NDArray[np.float64], outputs: int, scan: str
) -> Prompts:
    """Prompts whose detectors agree nine times in ten."""
    prompts: Prompts = {}
    for number, rate in enumerate(rates):
        verdicts = rng.random(outputs) < rate
        others = verdicts ^ (rng.random(outputs) < 0.1)
        prompts[f"{scan} {number}"] = list(
            zip(verdicts.tolist(), others.tolist(), strict=True)
        )
    return prompts


@pytest.mark.parametrize(
    ("sizes", "fresh", "attempts"),
    [
        ((1, 1), False, True),
        ((1, 1), False, False),
        ((5, 3), True, True),
    ],
)
def test_size_and_power_in_simulated_scans(
    sizes: tuple[int, int], fresh: bool, attempts: bool
) -> None:
    """Each test calls a share alpha of unchanged scans different, and finds a fall."""
    rng = np.random.default_rng(5)
    runs, alpha = 250, 0.1
    called, found = dict.fromkeys(NAMES, 0), 0
    for run in range(runs):
        rates = rng.beta(1.4, 0.6, (3, 20))
        names = ("first", "second") if fresh else ("", "")
        first = drawn(rng, rates[0], sizes[0], names[0])
        other = rates[1] if fresh else rates[0]
        options = {"replicates": 199, "seed": run}
        second = drawn(rng, other, sizes[1], names[1])
        tests = results_of(first, second, attempts=attempts, **options)
        for name in NAMES:
            called[name] += getattr(tests, name) <= alpha
        if run % 5 == 0:
            fallen = drawn(rng, 0.3 * other, sizes[1], names[1])
            tests = results_of(first, fallen, attempts=attempts, **options)
            found += tests.p_worse <= alpha
    # three standard errors of a share of 0.1 in 250 runs are 0.057
    assert max(called.values()) / runs < alpha + 0.057, called
    assert found > 0.9 * runs / 5
