# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from scipy.stats import hypergeom

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.strata import NO_ATTEMPTS, Stratum, make_strata
from tests.factories import PairFacts, graded_pair

ONE = PairFacts(probe="probe.One", passed=3, total=6)
OTHER = PairFacts(probe="probe.Other", passed=2, total=2)


def both(before: PairFacts, after: PairFacts) -> tuple[GradedPair, GradedPair]:
    return graded_pair(before), graded_pair(after)


def outcomes(facts: PairFacts, **prompts: tuple[int, int]) -> dict[str, Any]:
    return {
        facts.probe: ProbeOutcomes(
            detectors=(facts.detector,),
            prompts={
                prompt.encode(): {(True,): passed, (False,): total - passed}
                for prompt, (passed, total) in prompts.items()
            },
        )
    }


@st.composite
def any_stratum(draw: DrawFn) -> Stratum:
    total = draw(st.tuples(st.integers(0, 12), st.integers(0, 12)))
    before, after = (draw(st.integers(0, each)) for each in total)
    return Stratum(pair=0, passed=(before, after), total=total)


@given(any_stratum())
def test_moments_are_those_of_the_hypergeometric_law(stratum: Stratum) -> None:
    """Given the margins the second scan's pass count is hypergeometric."""
    everything, passed = sum(stratum.total), sum(stratum.passed)
    # scipy's own moments divide by zero where a margin is empty
    assume(0 < passed < everything and all(stratum.total) and everything > 3)
    expected = hypergeom(everything, passed, stratum.total[1])
    assert stratum.moments() == pytest.approx((expected.mean(), expected.var()))


@given(any_stratum())
def test_moments_equal_enumeration_of_all_arrangements(stratum: Stratum) -> None:
    """Every choice of which outputs belong to the second scan is equally likely."""
    passed, (total1, total2) = sum(stratum.passed), stratum.total
    ways = {
        count: math.comb(total2, count) * math.comb(total1, passed - count)
        for count in range(max(0, passed - total1), min(passed, total2) + 1)
    }
    everything = math.comb(total1 + total2, passed)
    assert sum(ways.values()) == everything
    mean = sum(k * w for k, w in ways.items()) / everything
    variance = sum((k - mean) ** 2 * w for k, w in ways.items()) / everything
    assert stratum.moments() == pytest.approx((mean, variance), abs=1e-12)


def test_a_pair_is_one_stratum_without_attempts() -> None:
    pairs = [both(ONE, ONE), both(OTHER, OTHER)]
    strata, by_prompt = make_strata(pairs, (NO_ATTEMPTS, NO_ATTEMPTS))
    assert by_prompt == 0
    assert strata == [
        Stratum(pair=0, passed=(3, 3), total=(6, 6)),
        Stratum(pair=1, passed=(2, 2), total=(2, 2)),
    ]


def test_a_pair_is_divided_by_prompt_where_prompts_are_the_same() -> None:
    changed = PairFacts(probe="probe.One", passed=4, total=5)
    strata, by_prompt = make_strata(
        [both(ONE, changed)],
        (
            outcomes(ONE, a=(3, 3), b=(0, 3)),
            # another order, and one output of a prompt was not evaluated
            outcomes(changed, b=(1, 2), a=(3, 3)),
        ),
    )
    assert by_prompt == 1
    assert strata == [
        Stratum(pair=0, passed=(3, 3), total=(3, 3)),
        Stratum(pair=0, passed=(0, 1), total=(3, 2)),
    ]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(outcomes(ONE, a=(3, 3), c=(0, 3)), id="another prompt"),
        pytest.param(outcomes(ONE, a=(3, 6)), id="a prompt less"),
        pytest.param(outcomes(ONE, a=(3, 3), b=(0, 2)), id="thinned attempts"),
        pytest.param(outcomes(ONE, a=(3, 3), b=(1, 3)), id="another threshold"),
        pytest.param(outcomes(OTHER, a=(3, 3), b=(0, 3)), id="another pair"),
        pytest.param({}, id="no attempts"),
        pytest.param(NO_ATTEMPTS, id="not readable"),
    ],
)
def test_attempts_that_do_not_match_fall_back_to_the_pair(
    second: Any,
) -> None:
    """By prompt only where prompts are equal and account for all counts."""
    first = outcomes(ONE, a=(3, 3), b=(0, 3))
    whole = Stratum(pair=0, passed=(3, 3), total=(6, 6))
    assert make_strata([both(ONE, ONE)], (first, second)) == ([whole], 0)
    assert make_strata([both(ONE, ONE)], (second, first)) == ([whole], 0)


def test_pairs_by_prompt_and_by_count_stand_side_by_side() -> None:
    first = outcomes(ONE, a=(3, 3), b=(0, 3))
    pairs = [both(OTHER, OTHER), both(ONE, ONE)]
    strata, by_prompt = make_strata(pairs, (first, first))
    assert by_prompt == 1
    assert [stratum.pair for stratum in strata] == [0, 1, 1]
