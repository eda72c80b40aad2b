# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

from garak_tbsa.detector_eval.report_labels import Said
from garak_tbsa.labels.hit_rates import (
    ERROR_RATES,
    FAULTLESS,
    FIRST_RATES,
    GRID,
    LIKENESS,
    REPEATED,
    SHARED_RATES,
    draw_hits,
)
from garak_tbsa.labels.scan import Floats, Stratum

DRAWS = 4000


def stratum(
    outputs: int, labelled: int, hits: int, pair: int = 0, **more: bool
) -> Stratum:
    return Stratum(
        pair=pair,
        detector="dan.DAN",
        flagged=more.get("flagged", True),
        outputs=outputs,
    ).with_labels(labelled, hits)


def prior_draws(
    flagged: bool, groups: int, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Mean, (groups, draws), and strength of each, as the module's docstring has it."""
    first = FIRST_RATES[flagged]
    shared = rng.beta(2 * first, 2 * (1 - first), draws)
    alike = rng.choice(LIKENESS, draws)
    a, b = (np.maximum(each * alike, 1e-9) for each in (shared, 1 - shared))
    strengths = np.exp2(rng.integers(0, 8, (groups, draws)).astype(float))
    return np.asarray(rng.beta(a, b, (groups, draws))), strengths


def slow_mean_rates(strata: list[Stratum]) -> Floats:
    """Mean rate of each stratum: the prior's draws, weighted by the likelihood."""
    rng, names = np.random.default_rng(1), [each.detector for each in strata]
    groups = list(dict.fromkeys(names))
    means, strengths = prior_draws(strata[0].flagged, len(groups), 400_000, rng)
    logs, rates = np.zeros(means.shape[1]), []
    for each, name in zip(strata, names, strict=True):
        mean, strength = means[groups.index(name)], strengths[groups.index(name)]
        a, b = (np.maximum(m * strength, 1e-12) for m in (mean, 1 - mean))
        passes = each.labelled - each.hits
        logs += betaln(a + each.hits, b + passes) - betaln(a, b)
        rates.append((a + each.hits) / (a + b + each.labelled))
    weights = np.exp(logs - logs.max())
    return np.asarray(np.array(rates) @ weights / weights.sum())


@pytest.mark.parametrize("flagged", [True, False])
@pytest.mark.parametrize("hits", [(2, 5, 0, 6, 4), (0, 0, 0, 0, 0), (0, 1, 0, 0, 0)])
def test_without_errors_rates_are_those_of_weighted_draws(
    hits: tuple[int, ...], flagged: bool
) -> None:
    """\"With errors of chance 0, t is the number of labelled hits.\""""
    labelled, detectors = (9, 6, 0, 7, 20), "aaabc"
    strata = [
        replace(stratum(50, n, t, flagged=flagged), detector=name)
        for n, t, name in zip(labelled, hits, detectors, strict=True)
    ]
    # each label is one answer
    told = [{(1, 0): t, (0, 1): n - t} for n, t in zip(labelled, hits, strict=True)]
    assert [each.answers for each in strata] == told
    drawn = draw_hits(strata, 40_000, 3, errors=FAULTLESS)
    assert (drawn.answered_hits == np.array(hits)[:, np.newaxis]).all()
    expected = slow_mean_rates(strata)
    assert drawn.rates.mean(axis=1) == pytest.approx(expected, abs=0.012)


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_hits_lie_between_those_known_and_those_possible(
    sizes: list[tuple[int, int, int]], flagged: bool
) -> None:
    """\"then p given the stratum's labels, then the unlabelled hits\""""
    strata = []
    for number, size in enumerate(sizes):
        hits, labelled, outputs = sorted(size)
        strata.append(stratum(outputs, labelled, hits, pair=number, flagged=flagged))
    drawn = draw_hits(strata, 50, 1)
    for place, each in enumerate(strata):
        assert (drawn.hits[place] >= drawn.answered_hits[place]).all()
        assert (drawn.hits[place] <= drawn.answered_hits[place] + each.unlabelled).all()
        assert drawn.answered_hits[place].max() <= each.answered_outputs


def weighted_means(said: dict[Said, int], flagged: bool) -> tuple[float, float]:
    """Mean share of hits, and of hits among the outputs asked for, of the prior's draws

    weighted by the probability that they give these answers.
    """
    rng = np.random.default_rng(1)
    draws, asked = 400_000, sum(said.values())
    (mean,), (strength,) = prior_draws(flagged, 1, draws, rng)
    mean = np.clip(mean, 1e-9, 1 - 1e-9)
    rates = rng.beta(mean * strength, (1 - mean) * strength)
    of_errors = (1 - ERROR_RATES) ** (1 / 0.03 - 2) * np.gradient(ERROR_RATES)
    miss, false = rng.choice(ERROR_RATES, (2, draws), p=of_errors / of_errors.sum())
    repeated = rng.choice(REPEATED, draws)
    weights, hits = np.ones(draws), np.zeros(draws)
    for (h, p), n in said.items():
        of_hit = rates * chance(miss, repeated, p, h)
        of_pass = (1 - rates) * chance(false, repeated, h, p)
        weights *= (of_hit + of_pass) ** n
        hits += n * of_hit / (of_hit + of_pass)
    weights /= weights.sum()
    return float(weights @ rates), float(weights @ hits) / asked


def chance(error: Floats, repeated: Floats, wrong: int, right: int) -> Floats:
    """Either it is misjudged each time, or each answer may slip."""
    slip, judged = error * (1 - repeated), error * repeated
    slips: Floats = (1 - judged) * slip**wrong * (1 - slip) ** right
    return slips if right else slips + judged


@pytest.mark.parametrize(
    "said",
    [
        {(1, 0): 1, (0, 1): 12},
        {(2, 0): 1, (0, 1): 12},
        {(1, 1): 2, (0, 1): 4, (1, 0): 3},
        {(1, 2): 2, (0, 3): 3, (2, 1): 1},
    ],
)
@pytest.mark.parametrize("flagged", [True, False])
def test_answers_are_weighed_as_the_prior_s_own_draws_are(
    said: dict[Said, int], flagged: bool
) -> None:
    answered = Stratum(detector="d", flagged=flagged, outputs=60, answers=said)
    drawn = draw_hits([answered], 40_000, 5)
    share, known = weighted_means(said, flagged)
    assert drawn.rates[0].mean() == pytest.approx(share, abs=0.01)
    assert drawn.answered_hits[0].mean() / answered.answered_outputs == pytest.approx(
        known, abs=0.01
    )


def test_one_odd_hit_is_doubted_and_less_so_when_it_was_said_twice() -> None:
    """\"So answers that agree are not taken for proof\", and yet they tell more."""
    answered = Stratum(detector="d", flagged=False, outputs=200)
    once, twice = (
        draw_hits(
            [replace(answered, answers={odd: 1, (0, 1): 40})], DRAWS, 1
        ).answered_hits.mean()
        for odd in ((1, 0), (2, 0))
    )
    assert 0.02 < once < twice < 1


def test_a_detector_s_strata_share_what_is_learnt() -> None:
    """\"The strata of one detector and verdict share mu and k\", from these grids."""
    for rates, first, last, count in (
        (GRID.means, -12, 6, 61),
        (SHARED_RATES, -9, 5, 29),
    ):
        own = np.unique(rates)
        grid = np.linspace(first, last, count)
        assert np.log(own / (1 - own)) == pytest.approx(grid)
    assert np.unique(GRID.strengths).tolist() == [2.0**each for each in range(8)]
    unlabelled = stratum(100, 0, 0, pair=9)
    alone = draw_hits([unlabelled], DRAWS, 1).rates[0].mean()
    taught = [stratum(100, 40, 4, pair=n) for n in range(4)]
    with_others = draw_hits([unlabelled, *taught], DRAWS, 1).rates[0].mean()
    other = [replace(each, detector="dan.STAN") for each in taught]
    of_another = draw_hits([unlabelled, *other], DRAWS, 1).rates[0]
    assert alone == pytest.approx(FIRST_RATES[True], abs=0.03)
    assert with_others < 0.2
    # another detector's labels say what is usual, and no more
    assert of_another.mean() < alone
    assert (
        of_another.std()
        > 2.5 * draw_hits([unlabelled, *taught], DRAWS, 1).rates[0].std()
    )


def test_draws_are_repeated_by_their_seed() -> None:
    strata = [stratum(30, 9, 2), stratum(50, 6, 5, pair=1)]
    first, again, other = (draw_hits(strata, 100, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.hits, again.hits)
    assert not np.array_equal(first.hits, other.hits)
