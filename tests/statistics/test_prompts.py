# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sums of beta-binomial counts, against scipy and against drawing each prompt."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from garak_tbsa.statistics import prompts as module
from garak_tbsa.statistics.prompts import passes_of_prompts, prompt_rates
from garak_tbsa.statistics.special import Floats

DRAWS = 40_000
KINDS = {(3, 0, 0): 6, (5, 5, 0): 2, (2, 1, 1): 1}


def one_by_one(rates: Floats, strength: Floats, rng: np.random.Generator) -> Floats:
    """Draw a rate for each prompt, and its outputs from that."""
    total = np.zeros(len(rates))
    for (outputs, passed, failed), prompts in KINDS.items():
        a, b = rates * strength + passed, (1 - rates) * strength + failed
        drawn = prompt_rates(prompts, a, b, rng)
        total += rng.binomial(outputs, drawn).sum(axis=1)
    return total


@pytest.mark.parametrize("few", [module.FEW_OUTPUTS, 0], ids=["few", "many"])
@pytest.mark.parametrize("correlation", [0.3, 0.5, None])
def test_sums_have_the_distribution_of_prompts_that_are_drawn_one_by_one(
    few: int, correlation: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_OUTPUTS", few)
    rng = np.random.default_rng(3)
    rates = rng.beta(3, 2, DRAWS)
    alike = np.full(DRAWS, correlation) if correlation else rng.beta(1, 2, DRAWS)
    strength = 1 / np.clip(alike, 1e-3, 0.98) - 1
    drawn = passes_of_prompts(KINDS, rates, strength, rng)
    expected = one_by_one(rates, strength, rng).astype(int)
    table = [np.bincount(each, minlength=31) for each in (drawn, expected)]
    held = np.array(table)[:, np.sum(table, axis=0) > 0]
    assert stats.chi2_contingency(held).pvalue > 0.001
    assert np.corrcoef(drawn, rates)[0, 1] == pytest.approx(
        np.corrcoef(expected, rates)[0, 1], abs=0.01
    )


def test_one_kind_of_prompts_at_one_rate_is_a_beta_binomial() -> None:
    (distribution,) = module._distributions(
        {(9, 0, 0): 1}, 9, np.array([0.7]), np.array([4.0])
    )
    expected = stats.betabinom.cdf(np.arange(10), 9, 2.8, 1.2)
    assert distribution == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rate", [1e-9, 1 - 1e-9])
def test_what_always_or_never_passes_does_so_in_each_draw(rate: float) -> None:
    drawn = passes_of_prompts(
        {(5, 0, 0): 20},
        np.full(1000, rate),
        np.full(1000, 2.0),
        np.random.default_rng(1),
    )
    assert set(drawn.tolist()) == {100 * round(rate)}
