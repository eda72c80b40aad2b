# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests against exact enumeration, scipy and simulated scans."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from scipy.stats import chi2_contingency, hypergeom

from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.permutation import permutation_tests
from garak_tbsa.tbsa.strata import Exchange, ScanOutcomes, Stratum, exchange_of
from tests.factories import PairFacts, graded_pair
from tests.values import known

if TYPE_CHECKING:
    # pytest would take its name for a test's
    from garak_tbsa.tbsa.permutation import TestResults

SAME_PROMPTS = ScanOutcomes(seed=1, generations=5)

Counts = tuple[int, int]
"""Passed and evaluated."""


def facts(index: int, counts: Counts, tier: int) -> PairFacts:
    return PairFacts(
        probe=f"probe.P{index:02d}", passed=counts[0], total=counts[1], tier=tier
    )


def both_of(scans: list[tuple[Counts, Counts]]) -> list[tuple[GradedPair, GradedPair]]:
    """Uncalibrated pairs, Tier 1 and 2 in turn, with counts before and after."""
    return [
        (
            graded_pair(facts(index, before, 1 + index % 2)),
            graded_pair(facts(index, after, 1 + index % 2)),
        )
        for index, (before, after) in enumerate(scans)
    ]


def results_of(
    scans: list[tuple[Counts, Counts]],
    *,
    replicates: int = 2000,
    seed: int = 1,
    with_score: bool = True,
) -> TestResults:
    pairs = both_of(scans)
    known_by_counts = exchange_of(pairs, SAME_PROMPTS, SAME_PROMPTS)
    return permutation_tests(
        pairs, known_by_counts, with_score=with_score, replicates=replicates, seed=seed
    )


def single_outputs(passed: int, total: int, *, second: int) -> Stratum:
    """A stratum of outputs of the first pair."""
    kinds = [(0, total - passed), (1, passed)]
    return Stratum(
        pairs=(0,),
        passed=tuple((value,) for value, times in kinds if times),
        times=tuple(times for _, times in kinds if times),
        second=second,
    )


def exchange_with(
    strata: Mapping[Stratum, int], coupled: tuple[tuple[int, ...], ...] = ()
) -> Exchange:
    return Exchange(
        strata=strata,
        by_prompt=(),
        by_whole_prompt=(),
        unmatched=(),
        coupled=coupled,
        alike=1,
        same_seed=None,
        movable={},
    )


def results_by_prompt(
    prompts: list[tuple[Counts, Counts]], *, replicates: int = 2000
) -> TestResults:
    """Test one pair whose strata are prompts."""
    before, after = (
        (sum(p[scan][0] for p in prompts), sum(p[scan][1] for p in prompts))
        for scan in (0, 1)
    )
    strata = Counter(
        single_outputs(a[0] + b[0], a[1] + b[1], second=b[1]) for a, b in prompts
    )
    return permutation_tests(
        both_of([(before, after)]),
        exchange_with(strata),
        with_score=True,
        replicates=replicates,
    )


def rate_grade(passed: int, total: int) -> int:
    bounds = (Fraction(1, 20), Fraction(2, 5), Fraction(4, 5), Fraction(99, 100))
    return 1 + sum(Fraction(passed, total) >= bound for bound in bounds)


def raw_score(counts: list[Counts]) -> Fraction:
    """Unrounded score of uncalibrated pairs, Tier 1 and 2 in turn."""
    means = []
    for start, weight in ((0, 2), (1, 1)):
        grades = [rate_grade(*pair) for pair in counts[start::2]]
        if grades:
            mean = Fraction(len(grades)) / sum(Fraction(1, grade) for grade in grades)
            means.append((mean, weight))
    return Fraction(sum(m * w for m, w in means), sum(w for _, w in means))


def enumerated(
    scans: list[tuple[Counts, Counts]],
) -> Iterator[tuple[list[int], Fraction]]:
    """Every arrangement of outputs between the scans, with its probability."""
    distributions = []
    for (passed1, total1), (passed2, total2) in scans:
        passed = passed1 + passed2
        ways = math.comb(total1 + total2, passed)
        distributions.append(
            [
                (
                    count,
                    Fraction(
                        math.comb(total2, count) * math.comb(total1, passed - count),
                        ways,
                    ),
                )
                for count in range(max(0, passed - total1), min(passed, total2) + 1)
            ]
        )
    for choice in itertools.product(*distributions):
        yield (
            [count for count, _ in choice],
            math.prod((p for _, p in choice), start=Fraction(1)),
        )


def exact_p_values(
    scans: list[tuple[Counts, Counts]],
) -> dict[str, float]:
    """All four p-values by definition, over every arrangement."""
    arrangements = list(enumerated(scans))
    moments = []
    for index in range(len(scans)):
        mean = sum(p * counts[index] for counts, p in arrangements)
        variance = sum(p * (counts[index] - mean) ** 2 for counts, p in arrangements)
        moments.append((float(mean), math.sqrt(variance)))

    def statistics(
        counts: list[int],
    ) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        z = [
            (count - mean) / deviation if deviation else 0.0
            for count, (mean, deviation) in zip(counts, moments, strict=True)
        ]
        second = [(c, scan[1][1]) for c, scan in zip(counts, scans, strict=True)]
        first = [
            (scan[0][0] + scan[1][0] - c, scan[0][1])
            for c, scan in zip(counts, scans, strict=True)
        ]
        moved = float(raw_score(second) - raw_score(first))
        direction = sum(counts) - sum(mean for mean, _ in moments)
        return (
            (abs(moved), abs(direction), max(map(abs, z))),
            (-moved, -direction, -min(z)),
        )

    rows = [(statistics(c), float(p)) for c, p in arrangements]
    observed = statistics([scan[1][0] for scan in scans])

    def at_least(side: int, which: int, value: float) -> float:
        return sum(p for s, p in rows if s[side][which] >= value - 1e-9)

    def smallest(
        one: tuple[tuple[float, float, float], tuple[float, float, float]],
    ) -> float:
        return min(at_least(1, which, one[1][which]) for which in range(3))

    reached = smallest(observed)
    return {
        "p_score": at_least(0, 0, observed[0][0]),
        "p_cmh": at_least(0, 1, observed[0][1]),
        "p_largest_z": at_least(0, 2, observed[0][2]),
        "p_worse": sum(p for s, p in rows if smallest(s) <= reached + 1e-9),
    }


@pytest.mark.parametrize(
    "scans",
    [
        pytest.param([((4, 4), (2, 4)), ((3, 5), (1, 5))], id="equal totals"),
        pytest.param([((6, 8), (0, 3)), ((2, 2), (4, 6))], id="unequal totals"),
        pytest.param([((5, 5), (5, 5)), ((3, 6), (0, 6))], id="one always passes"),
        pytest.param([((7, 9), (4, 9))], id="one tier"),
        pytest.param([((12, 12), (0, 1)), ((9, 9), (2, 2))], id="one hit, few outputs"),
    ],
)
def test_p_values_equal_exact_enumeration(
    scans: list[tuple[Counts, Counts]],
) -> None:
    """Outputs of a stratum are exchangeable between the two scans."""
    replicates = 20_000
    found = results_of(scans, replicates=replicates)
    for name, exact in exact_p_values(scans).items():
        spread = math.sqrt(exact * (1 - exact) / replicates)
        assert getattr(found, name) == pytest.approx(exact, abs=4 * spread + 2e-3), name


@st.composite
def any_scans(draw: DrawFn) -> list[tuple[Counts, Counts]]:
    scans = []
    for _ in range(draw(st.integers(1, 5))):
        before, after = draw(st.tuples(st.integers(1, 30), st.integers(1, 30)))
        counts = draw(st.integers(0, before)), draw(st.integers(0, after))
        scans.append(((counts[0], before), (counts[1], after)))
    return scans


@given(any_scans())
def test_cmh_is_the_textbook_statistic(
    scans: list[tuple[Counts, Counts]],
) -> None:
    """sum(a - E a) / sqrt(sum Var a), from the four cells of each 2x2 table."""
    difference = variance = 0.0
    for (passed1, total1), (passed2, total2) in scans:
        a, b = passed2, total2 - passed2
        c, d = passed1, total1 - passed1
        n = a + b + c + d
        difference += a - (a + b) * (a + c) / n
        variance += (a + b) * (c + d) * (a + c) * (b + d) / (n * n * (n - 1))
    expected = difference / math.sqrt(variance) if variance else 0.0
    found = results_of(scans, replicates=5)
    assert found.cmh_z == pytest.approx(expected, abs=1e-9)


def test_cmh_of_one_table_is_pearsons_chi_square() -> None:
    """With one stratum z squared is chi square times (n - 1) / n."""
    table = [[30, 20], [18, 32]]
    chi_square = chi2_contingency(table, correction=False).statistic
    found = results_of([((30, 50), (18, 50))], replicates=5)
    assert found.cmh_z < 0
    assert found.cmh_z**2 == pytest.approx(chi_square * 99 / 100)


@given(any_scans())
def test_p_values_lie_between_their_least_and_one(
    scans: list[tuple[Counts, Counts]],
) -> None:
    found = results_of(scans, replicates=19)
    for p in (found.p_score, found.p_cmh, found.p_largest_z, found.p_worse):
        assert 1 / 20 - 1e-12 <= known(p) <= 1.0


@given(any_scans())
def test_nothing_moved_nothing_found(
    scans: list[tuple[Counts, Counts]],
) -> None:
    """Equal counts in both scans: every two-sided p is 1, every z is 0."""
    found = results_of([(before, before) for before, _ in scans], replicates=99)
    assert (found.p_score, found.p_cmh, found.p_largest_z) == (1.0, 1.0, 1.0)
    assert (found.cmh_z, found.largest_z) == (0.0, 0.0)
    assert found.p_worse > 0.3


def test_outputs_that_cannot_change_places_prove_nothing() -> None:
    """A target that answers each prompt alike leaves nothing to permute."""
    found = results_by_prompt([((1, 1), (1, 1))] * 30 + [((0, 1), (0, 1))] * 10)
    assert (found.p_score, found.p_cmh, found.p_largest_z) == (1.0, 1.0, 1.0)
    assert found.p_worse == 1.0


def test_a_prompt_evaluated_in_one_scan_alone_proves_nothing() -> None:
    found = results_by_prompt([((3, 3), (0, 0)), ((0, 0), (0, 2)), ((1, 1), (1, 1))])
    assert found.cmh_z == 0.0
    assert found.p_worse == 1.0


@pytest.mark.parametrize("lost", [1, 3, 6])
def test_one_output_a_prompt_is_the_sign_test(lost: int) -> None:
    """Of n prompts that differ, all for the worse: p is 2^-n on one side."""
    found = results_by_prompt(
        [((1, 1), (0, 1))] * lost + [((1, 1), (1, 1))] * 50, replicates=20_000
    )
    assert found.p_worse == pytest.approx(0.5**lost, abs=0.012)
    assert found.p_cmh == pytest.approx(min(1.0, 2 * 0.5**lost), abs=0.016)


def test_many_prompts_with_equal_margins_follow_the_same_law_as_one_by_one() -> None:
    """Drawn together or each alone, prompts give the same distribution."""
    prompt = ((3, 4), (2, 4))
    together = results_by_prompt([prompt] * 40, replicates=20_000)
    one_prompt = hypergeom(8, 5, 4)
    one = [one_prompt.pmf(count) for count in range(5)]
    many = np.array([1.0])
    for _ in range(40):
        many = np.convolve(many, one)
    expected = 40 * one_prompt.mean()
    exact = sum(
        mass
        for count, mass in enumerate(many)
        if abs(count - expected) >= 40 * 0.5 - 1e-9
    )
    assert together.p_cmh == pytest.approx(exact, abs=4 * math.sqrt(exact / 20_000))


def test_direction_stays_valid_where_the_normal_law_does_not() -> None:
    """One hit in 10 outputs, none in 1000 before: chance does that in 10 of 1010."""
    found = results_of([((1000, 1000), (9, 10))], replicates=20_000)
    assert found.cmh_z < -9
    assert found.p_cmh == pytest.approx(10 / 1010, abs=0.003)
    assert found.p_worse == pytest.approx(10 / 1010, abs=0.003)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_worse_is_called_no_more_often_than_alpha_over_all_arrangements(
    alpha: float,
) -> None:
    """Size: without a change p_worse <= alpha in at most a share alpha of scans."""
    scans = [((4, 4), (2, 5)), ((3, 5), (1, 2))]
    size = 0.0
    for counts, probability in enumerated(scans):
        arranged = [
            ((a[0] + b[0] - c, a[1]), (c, b[1]))
            for (a, b), c in zip(scans, counts, strict=True)
        ]
        if exact_p_values(arranged)["p_worse"] <= alpha + 1e-9:
            size += float(probability)
    assert size <= alpha + 1e-9


def simulated(
    rates_before: list[float],
    rates_after: list[float],
    totals: list[tuple[int, int]],
    runs: int,
    replicates: int = 299,
) -> Iterator[TestResults]:
    """Test simulated scans of given pass rates."""
    rng = np.random.default_rng(7)
    for _ in range(runs):
        scans = [
            ((int(rng.binomial(n, before)), n), (int(rng.binomial(m, after)), m))
            for before, after, (n, m) in zip(
                rates_before, rates_after, totals, strict=True
            )
        ]
        yield results_of(scans, replicates=replicates, seed=int(rng.integers(1 << 30)))


RATES = [1.0, 0.98, 0.9, 0.75, 0.6, 0.99, 1.0, 0.3, 0.95, 0.5]
TOTALS = [(60, 60), (200, 200), (40, 25), (256, 256), (10, 30)] * 2


def test_size_in_simulated_scans() -> None:
    """Without a change each test calls a difference in a share alpha of scans."""
    runs, alpha = 400, 0.1
    found = list(simulated(RATES, RATES, TOTALS, runs))
    # three standard errors of a share of 0.1 in 400 runs are 0.045
    for name in ("p_score", "p_cmh", "p_largest_z", "p_worse"):
        share = sum(getattr(tests, name) <= alpha for tests in found) / runs
        assert 0.02 < share < alpha + 0.045, name
    # single-step adjustment: how often any pair stands out in one direction
    for name in ("p_fell", "p_rose"):
        least = [min(getattr(move, name) for move in tests.moves) for tests in found]
        share = sum(p_value <= alpha for p_value in least) / runs
        assert 0.02 < share < alpha + 0.045, name


def test_power_where_one_pair_collapses() -> None:
    """The largest change finds it, names it, and the gate's p with it."""
    after = [*RATES[:3], 0.45, *RATES[4:]]
    found = list(simulated(RATES, after, TOTALS, 40))
    assert sum(tests.p_largest_z <= 0.05 for tests in found) >= 38
    assert sum(tests.p_worse <= 0.05 for tests in found) >= 38
    assert sum(tests.largest_pair.startswith("probe.P03+") for tests in found) >= 38
    assert all(tests.largest_z < 0 for tests in found if tests.p_largest_z <= 0.05)


def test_power_where_everything_gets_a_little_worse() -> None:
    """Direction adds up what no single pair shows."""
    before, after = [0.7] * 10, [0.64] * 10
    found = list(simulated(before, after, [(100, 100)] * 10, 40))
    by_direction = sum(tests.p_cmh <= 0.05 for tests in found)
    by_single = sum(tests.p_largest_z <= 0.05 for tests in found)
    assert by_direction >= 30
    assert by_single <= 15
    assert sum(tests.p_worse <= 0.05 for tests in found) >= 25


def test_better_is_not_worse() -> None:
    """p_worse is one-sided."""
    before = [0.5] * 10
    after = [0.8] * 10
    for tests in simulated(before, after, TOTALS, 5):
        assert tests.p_cmh < 0.05
        assert tests.cmh_z > 0
        assert tests.p_worse > 0.5


def test_mixed_changes_cancel_in_direction_and_show_in_single_pairs() -> None:
    before = [0.6] * 10
    after = [0.4, 0.8] * 5
    totals = [(100, 100)] * 10
    found = list(simulated(before, after, totals, 20))
    assert sum(tests.p_largest_z <= 0.05 for tests in found) >= 19
    assert sum(tests.p_cmh <= 0.05 for tests in found) <= 5


@settings(max_examples=20)
@given(any_scans())
def test_exchanging_the_scans_turns_the_signs(
    scans: list[tuple[Counts, Counts]],
) -> None:
    forth = results_of(scans, replicates=2000)
    back = results_of([(after, before) for before, after in scans], replicates=2000)
    assert back.cmh_z == pytest.approx(-forth.cmh_z, abs=1e-9)
    assert abs(back.largest_z) == pytest.approx(abs(forth.largest_z), abs=1e-9)
    for name in ("p_score", "p_cmh", "p_largest_z"):
        assert getattr(back, name) == pytest.approx(getattr(forth, name), abs=0.06)


def test_the_same_seed_gives_the_same_numbers() -> None:
    scans = [((40, 50), (30, 50)), ((9, 10), (5, 10))]
    assert results_of(scans, seed=3) == results_of(scans, seed=3)
    assert results_of(scans, seed=3) != results_of(scans, seed=4)


def test_without_grades_by_count_the_score_is_not_tested() -> None:
    scans = [((40, 50), (20, 50)), ((9, 10), (5, 10))]
    found = results_of(scans, with_score=False)
    assert found.p_score is None
    assert found.p_worse < 0.05


def test_better_is_worse_seen_from_the_other_scan() -> None:
    """``p_better``: the same as ``p_worse``, that it is better."""
    scans = [((5, 10), (8, 10)), ((30, 40), (36, 40)), ((9, 10), (9, 10))]
    back = [(after, before) for before, after in scans]
    there = results_of(scans, replicates=20_000)
    again = results_of(back, replicates=20_000)
    assert there.p_better == pytest.approx(again.p_worse, abs=0.015)
    assert there.p_worse == pytest.approx(again.p_better, abs=0.015)
    assert there.p_better < 0.2 < there.p_worse
