# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The quick way for many pairs and outputs, against the exact way for few."""

from __future__ import annotations

import math
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.tbsa import interval
from garak_tbsa.tbsa.interval import RepeatDistribution, repeat_distribution
from garak_tbsa.tbsa.prompt_counts import PromptCounts
from garak_tbsa.tbsa.repeat_assumptions import (
    NOTHING_KNOWN,
    SAME_PROMPTS,
    RepeatAssumptions,
)
from tests.factories import PairFacts, graded_pair, pairs_named

PAIRS = st.lists(
    st.integers(1, 60).flatmap(
        lambda total: st.builds(
            PairFacts,
            tier=st.sampled_from([1, 2]),
            passed=st.integers(0, total),
            total=st.just(total),
            mu=st.none() | st.floats(0, 1),
        )
    ),
    min_size=1,
    max_size=30,
)


def by_both(
    facts: list[PairFacts], assumed: RepeatAssumptions = NOTHING_KNOWN
) -> tuple[dict[float, float], dict[float, float]]:
    """Probabilities by the exact way and by the one for many."""
    pairs = [graded_pair(entry) for entry in facts]
    found = []
    for most in (10**9, 0):
        with (
            patch.object(interval, "MANY_PAIRS", most),
            patch.object(interval, "MANY_OUTPUTS", 10**9),
        ):
            repeat = repeat_distribution(pairs, assumed)
        assert isinstance(repeat, RepeatDistribution)
        found.append(dict(repeat.probabilities))
    return found[0], found[1]


def assert_close(
    exact: dict[float, float], quick: dict[float, float], *, most: float
) -> None:
    for tbsa in exact.keys() | quick.keys():
        assert quick.get(tbsa, 0.0) == pytest.approx(exact.get(tbsa, 0.0), abs=most)


@settings(max_examples=40)
@given(facts=PAIRS)
def test_many_pairs_are_joined_as_few_are(facts: list[PairFacts]) -> None:
    """Probabilities differ by less than 1e-6 from the exact ones."""
    exact, quick = by_both(facts)
    assert_close(exact, quick, most=1e-9)


@settings(max_examples=20)
@given(facts=PAIRS, correlation=st.floats(0.05, 0.9))
def test_many_pairs_with_prompts_are_joined_as_few_are(
    facts: list[PairFacts], correlation: float
) -> None:
    """Every other pair has all that it passed in its first prompts."""
    facts = [
        replace(entry, probe=f"probe.P{number}") for number, entry in enumerate(facts)
    ]
    counts = {}
    for entry in facts[::2]:
        sizes = [3] * (entry.total // 3) + [entry.total % 3] * bool(entry.total % 3)
        left, by_prompt = entry.passed, []
        for size in sizes:
            by_prompt.append((min(left, size), size))
            left -= min(left, size)
        counts[graded_pair(entry).name] = PromptCounts.of(
            by_prompt, correlation, on_same_prompts=True
        )
    assumed = RepeatAssumptions(
        repeat=SAME_PROMPTS,
        variance_factors=dict.fromkeys(counts, 1 - correlation),
        other_factor=1.0,
        prompt_counts=counts,
        loadings={},
        missing_because=None,
    )
    exact, quick = by_both(facts, assumed)
    assert_close(exact, quick, most=1e-9)
    assert math.fsum(quick.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("tiers", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize("pairs", [1, 2, 3, 5, 8])
def test_any_number_of_pairs_of_any_tier(tiers: tuple[int, ...], pairs: int) -> None:
    facts = pairs_named(
        *[(tiers[i % len(tiers)], i % 8, 7) for i in range(pairs)], mu=0.6
    )
    assert_close(*by_both(facts), most=1e-9)


@pytest.mark.parametrize(
    ("passed", "total"),
    [
        (1_500, 4_000),
        (60_000, 150_000),
        (800_000, 1_000_000),
        (3, 1_000_000),
        (999_997, 1_000_000),
        (1_000_000, 1_000_000),
        (0, 1_000_000),
    ],
)
def test_many_outputs_are_walked_in_steps(passed: int, total: int) -> None:
    """Counts in the ten thousands go in steps; probabilities differ by < 1e-6."""
    # a mean at an edge, so that the grade is as likely to change as not
    facts = [
        PairFacts(
            probe=f"p.P{index}",
            passed=passed,
            total=total,
            tier=1 + index % 2,
            mu=min(1.0, passed / total + shift),
            sigma=1 / 30,
        )
        for index, shift in enumerate([0.0042, -0.0042, 0.0])
    ]
    assert_close(*by_both(facts), most=1e-6)


def test_thousands_of_pairs_take_the_quick_way() -> None:
    """Beyond 400 pairs the exact way is never tried."""
    facts = pairs_named(*[(1 + i % 2, i % 10, 9) for i in range(401)], mu=0.6)
    pairs = [graded_pair(entry) for entry in facts]
    with patch.object(interval, "_tenths_of_few", side_effect=AssertionError):
        repeat = repeat_distribution(pairs)
    assert isinstance(repeat, RepeatDistribution)
    low, high = repeat.prediction_interval
    assert 0 <= high - low <= 0.2
    with patch.object(interval, "_tenths_of_few", side_effect=AssertionError) as few:
        with pytest.raises(AssertionError):
            repeat_distribution(pairs[:400])
        few.assert_called_once()
