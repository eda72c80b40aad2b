# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The distribution of a repeat's score, against enumeration of all that can happen."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from garak_tbsa.lean.record import changed
from garak_tbsa.tbsa.grades import GradedPair, grade_by_count
from garak_tbsa.tbsa.interval import (
    RepeatDistribution,
    fit_priors_to,
    repeat_distribution,
    small_pairs,
)
from garak_tbsa.tbsa.rate_grid import RATES
from garak_tbsa.tbsa.rate_prior import TierPriors
from garak_tbsa.tbsa.repeat_assumptions import NOTHING_KNOWN
from garak_tbsa.tbsa.score import score_grades
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, graded_pair, pairs_named

N = 2
SMALL_PAIRS = st.lists(
    st.builds(
        PairFacts,
        probe=st.sampled_from(["a.A", "b.B", "c.C", "d.D"]),
        tier=st.sampled_from([1, 2]),
        passed=st.integers(0, N),
        total=st.just(N),
        mu=st.none() | st.floats(0, 1),
    ),
    min_size=1,
    max_size=5,
)


def masses(
    priors: TierPriors, pair: GradedPair, passed: int, total: int
) -> list[float]:
    """Probabilities of each count of a repeat: over all rates, by scipy."""
    before = np.array(priors.of(pair).before(pair.distribution))
    likely = stats.binom.pmf(passed, total, RATES) * before
    shares = [stats.binom.pmf(k, total, RATES) @ likely for k in range(total + 1)]
    return [float(share / likely.sum()) for share in shares]


def repeat_of(pairs: list[GradedPair]) -> RepeatDistribution:
    repeat = repeat_distribution(pairs)
    assert isinstance(repeat, RepeatDistribution)
    return repeat


def enumerated(pairs: list[GradedPair]) -> dict[float, float]:
    """Every combination of quantiles of the probes that a repeat can have.

    At both levels of the rates, which are as likely.
    """
    found: dict[float, float] = {}
    levels = fit_priors_to(pairs).levels()
    for priors in levels:
        for tbsa, share in enumerated_at(priors, pairs).items():
            found[tbsa] = found.get(tbsa, 0.0) + share / len(levels)
    return found


def enumerated_at(priors: TierPriors, pairs: list[GradedPair]) -> dict[float, float]:
    """The same at one level.

    All detectors of a probe are at the same quantile; between two neighbours among
    the cumulated probabilities of their counts, none of the counts changes.
    """
    counted = [masses(priors, pair, pair.passed or 0, N) for pair in pairs]
    cumulated = [[sum(row[: k + 1]) for k in range(N)] for row in counted]
    probes = sorted({(pair.probe, pair.tier) for pair in pairs})
    cuts = {
        probe: sorted(
            {0.0, 1.0}
            | {
                place
                for pair, row in zip(pairs, cumulated, strict=True)
                for place in row
                if (pair.probe, pair.tier) == probe
            }
        )
        for probe in probes
    }
    parts = [
        [(probe, (low + high) / 2, high - low) for low, high in pairwise(cuts[probe])]
        for probe in probes
    ]
    found: dict[float, float] = {}
    for chosen in itertools.product(*parts):
        place = {probe: middle for probe, middle, _ in chosen}
        tbsa = score_grades(
            (
                pair.tier,
                grade_by_count(
                    sum(place[pair.probe, pair.tier] > upto for upto in row),
                    N,
                    pair.distribution,
                ),
            )
            for pair, row in zip(pairs, cumulated, strict=True)
        ).tbsa
        share = math.prod(length for _, _, length in chosen)
        found[tbsa] = found.get(tbsa, 0.0) + share
    return found


@settings(max_examples=25)
@given(facts=SMALL_PAIRS)
def test_the_distribution_is_what_enumeration_gives(facts: list[PairFacts]) -> None:
    """The distribution of the score is exact: convolve, join the two tiers, round."""
    pairs = [graded_pair(entry) for entry in facts]
    repeat = repeat_of(pairs)
    got, expected = dict(repeat.probabilities), enumerated(pairs)
    for tbsa in got.keys() | expected.keys():
        assert got.get(tbsa, 0) == pytest.approx(expected.get(tbsa, 0), abs=1e-7)
    assert list(got) == sorted(got)
    assert math.fsum(share for _, share in repeat.probabilities) == pytest.approx(
        1, abs=1e-12
    )


@given(
    facts=st.lists(
        st.builds(
            PairFacts,
            tier=st.sampled_from([1, 2]),
            passed=st.integers(0, 30),
            total=st.just(30),
            mu=st.none() | st.floats(0, 1),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_the_range_is_the_shortest_that_holds_95_percent(
    facts: list[PairFacts],
) -> None:
    """The two nearest scores between which at least 95 % of repeats fall."""
    repeat = repeat_of([graded_pair(entry) for entry in facts])
    low, high = repeat.prediction_interval
    assert 1.0 <= low <= high <= 5.0
    shares = dict(repeat.probabilities)

    def held(first: float, last: float) -> float:
        return math.fsum(p for tbsa, p in shares.items() if first <= tbsa <= last)

    assert held(low, high) >= 0.95 - 1e-9
    for first, last in itertools.combinations_with_replacement(shares, 2):
        if round(10 * (last - first)) < round(10 * (high - low)):
            assert held(first, last) < 0.95
        elif round(10 * (last - first)) == round(10 * (high - low)):
            assert held(first, last) <= held(low, high) + 1e-9


def added_up(
    priors: TierPriors, pairs: list[GradedPair]
) -> dict[int, dict[int, float]]:
    """Sums of each tier's units over independent pairs of six outputs."""
    units = {1: {0: 1.0}, 2: {0: 1.0}}
    for index, pair in enumerate(pairs):
        pmf = masses(priors, pair, index % 7, 6)
        summed: dict[int, float] = {}
        for (unit, mass), count in itertools.product(
            units[pair.tier].items(), range(7)
        ):
            added = unit + 60 // grade_by_count(count, 6, pair.distribution)
            summed[added] = summed.get(added, 0.0) + mass * float(pmf[count])
        units[pair.tier] = summed
    return units


def test_many_pairs_join_as_single_scores_do() -> None:
    """Cutting the sums of Tier 2 gives what scoring each joint sum gives."""
    pairs = [
        graded_pair(entry)
        for entry in pairs_named(*[(1 + i % 2, i % 7, 6) for i in range(14)], mu=0.6)
    ]
    repeat = repeat_of(pairs)
    levels = fit_priors_to(pairs).levels()
    expected: dict[float, float] = {}
    for units in [added_up(priors, pairs) for priors in levels]:
        for (s1, m1), (s2, m2) in itertools.product(units[1].items(), units[2].items()):
            value = (2 * Fraction(420, s1) + Fraction(420, s2)) / 3
            tbsa = math.floor(value * 10 + Fraction(1, 2)) / 10
            expected[tbsa] = expected.get(tbsa, 0.0) + m1 * m2 / len(levels)
    found = dict(repeat.probabilities)
    for tbsa in found.keys() | expected.keys():
        assert found.get(tbsa, 0) == pytest.approx(expected.get(tbsa, 0), abs=1e-10)


def test_what_a_probability_errs_by_is_no_score() -> None:
    """Scores with a probability below 1e-15 are left out."""
    facts = pairs_named(*[(1, 85, 85)] * 5, *[(2, 6, 6)] * 2)
    shares = repeat_of([graded_pair(entry) for entry in facts]).probabilities
    assert 1e-15 < min(share for _, share in shares) < 1e-13
    assert math.fsum(share for _, share in shares) == pytest.approx(1, abs=1e-13)


def test_pairs_with_few_outputs_are_named() -> None:
    facts = pairs_named((1, 5, 29), (1, 5, 30), (2, 5, 10))
    graded = [graded_pair(entry) for entry in facts]
    assert small_pairs(graded) == ("probe.P00+detector.D", "probe.P02+detector.D")


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        (((2.0, 1.0),), (2.0, 2.0)),
        (((2.0, 0.04), (3.0, 0.96)), (3.0, 3.0)),
        (((2.0, 0.05), (3.0, 0.9), (4.0, 0.05)), (2.0, 3.0)),
        (((2.0, 0.04), (2.1, 0.46), (2.2, 0.46), (2.9, 0.04)), (2.0, 2.2)),
        (((2.0, 0.06), (2.1, 0.44), (2.2, 0.44), (2.9, 0.06)), (2.0, 2.9)),
        (((2.0, 0.03), (2.1, 0.47), (2.2, 0.46), (2.3, 0.04)), (2.1, 2.3)),
    ],
)
def test_a_range_of_whole_tenths(
    shares: tuple[tuple[float, float], ...], expected: tuple[float, float]
) -> None:
    """Of several the two with most repeats between them; then the lower ones."""
    repeat = RepeatDistribution(
        probabilities=shares,
        priors=TierPriors(of_tiers={}),
        assumed=NOTHING_KNOWN,
    )
    assert repeat.prediction_interval == expected


def test_missing_counts_are_the_reason_for_no_distribution() -> None:
    pair = graded_pair(PairFacts())
    uncounted = changed(pair, total_evaluated=None)
    assert repeat_distribution([pair, uncounted]) == Unavailable(
        reason="the report has no counts for 1 pairs"
    )


def test_a_missing_calibration_is_the_reason_for_no_distribution() -> None:
    pair = changed(graded_pair(PairFacts(mu=0.5)), distribution=None)
    assert repeat_distribution([pair]) == Unavailable(
        reason="the calibration behind the Z-scores of 1 pairs is not installed"
        " (--calibration PATH grades again, from the counts, with one that is)"
    )


def test_contradicting_counts_are_the_reason_for_no_distribution() -> None:
    pair = graded_pair(PairFacts())
    wrong = changed(pair, passed=1)
    assert repeat_distribution([pair, wrong]) == Unavailable(
        reason="the counts of 1 pairs contradict their grades"
    )


def test_a_tier_has_masses_of_its_own_where_both_have_twelve_pairs() -> None:
    """Where a tier has fewer than twelve pairs, all pairs are taken together."""
    rows = [(1, 0, 10)] * 12 + [(2, 10, 10)] * 12
    graded = [graded_pair(entry) for entry in pairs_named(*rows, mu=0.6)]
    first, second = graded[0], graded[-1]
    own = fit_priors_to(graded)
    assert np.dot(own.of(first).masses, RATES) < 0.1
    assert np.dot(own.of(second).masses, RATES) > 0.9
    assert own.of(first).as_models == own.of(second).as_models
    together = fit_priors_to(graded[:23])
    assert together.of(first) is together.of(second)
    assert 0.2 < np.dot(together.of(first).masses, RATES) < 0.8
    alone = fit_priors_to(graded[:12])
    assert alone.of_tiers.keys() == {1}


NINE_OUTPUTS = st.builds(
    PairFacts,
    tier=st.sampled_from([1, 2]),
    passed=st.integers(0, 9),
    total=st.just(9),
    mu=st.none() | st.floats(0, 1),
)


@settings(max_examples=40)
@given(
    facts=st.lists(NINE_OUTPUTS, min_size=1, max_size=8)
    | st.lists(NINE_OUTPUTS, min_size=26, max_size=40),
    data=st.data(),
)
def test_neither_order_nor_number_of_a_tier_moves_the_priors(
    facts: list[PairFacts], data: st.DataObject
) -> None:
    """Each tier is fitted as the other would be."""
    priors = fit_priors_to([graded_pair(entry) for entry in facts])
    shuffled = data.draw(st.permutations(facts))
    other = fit_priors_to(
        [graded_pair(replace(entry, tier=3 - (entry.tier or 0))) for entry in shuffled]
    )
    assert other.of_tiers.keys() == {3 - tier for tier in priors.of_tiers}
    for tier, prior in priors.of_tiers.items():
        same = other.of_tiers[3 - tier]
        assert prior.masses == pytest.approx(same.masses, abs=1e-12)
        assert prior.as_models == pytest.approx(same.as_models, abs=1e-12)
        assert prior.beta == same.beta
