# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from tests.values import known
from tools.real_model.populations_page import published_sets
from tools.real_model.scanned import Share, counted_share
from tools.real_model.spread import spread_of


def shares(counts: list[tuple[int, int]], seed: int = 1) -> list[Share]:
    rng = np.random.default_rng(seed)
    return [counted_share(rng, right, wrong) for right, wrong in counts]


def test_two_populations_by_hand() -> None:
    """The squared distances, each in units of its variance, add up to k - 1."""
    found = shares([(90, 10), (50, 50)])
    logits = [logit(share.draws) for share in found]
    (one, other), (v, u) = zip(*((x.mean(), x.var()) for x in logits), strict=True)
    # of two, (one - other)^2 / (v + u + 2 tau^2) = 1
    squared = ((one - other) ** 2 - v - u) / 2
    spread = known(spread_of(found))
    assert spread.tau == pytest.approx(math.sqrt(squared))
    assert (spread.lowest, spread.highest) == (0.5, 0.9)
    assert (spread.lower, spread.upper) == (None, None)
    assert spread_of(found[:1]) is None


def test_equal_populations_have_no_spread() -> None:
    spread = known(spread_of(shares([(80, 20)] * 8)))
    assert spread.tau < 0.05
    assert known(spread.lower) > 0.7
    assert known(spread.upper) < 0.9


def test_a_further_population_is_where_it_is_said_to_be() -> None:
    """Of populations with a known spread, about 95 % of further ones are within."""
    rng = np.random.default_rng(3)
    held, taus = 0, []
    for run in range(200):
        rates = expit(rng.normal(1, 1, 11))
        rights = rng.binomial(200, rates)
        spread = known(
            spread_of(shares([(int(n), int(200 - n)) for n in rights[:10]], run))
        )
        taus.append(spread.tau)
        held += known(spread.lower) <= rates[10] <= known(spread.upper)
    assert 0.9 <= held / 200 <= 0.99
    assert np.mean(taus) == pytest.approx(1, abs=0.15)


def test_published_counts_are_of_sets_that_presets_read() -> None:
    from garak_tbsa.detector_eval.reading import presets

    (sets,) = published_sets().values()
    assert {each.preset for each in sets} <= set(presets())
    assert all(each.source.startswith("https://") for each in sets)
