# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans of what a scan's target may be, and how often their comparison finds a change.

Whether the share is right is held against real comparisons: ``python -m benchmarks
plan_power`` does so for many targets, a test here for one.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.statistics import trials as module
from garak_tbsa.statistics.exchange import ScanOutcomes, exchange_of
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, REPEATS, SAME_PROMPTS
from garak_tbsa.statistics.observed import ObservedScan, observe
from garak_tbsa.statistics.permutation import permutation_tests
from garak_tbsa.statistics.repeat import DrawnTargets
from garak_tbsa.statistics.special import Counts, Floats
from garak_tbsa.statistics.trials import TARGETS, Size, Trials
from garak_tbsa.tbsa.grades import GradedPair
from tests.statistics.observed_scans import graded_of, probe_of, scan_of, single


def trials_of(scan: ObservedScan, repeat: str = FRESH_PROMPTS) -> Trials:
    return Trials(scan, alpha=0.05, repeat=repeat, seed=3)


def known_target(
    trials: Trials, rate: float, correlation: float, tie: float = 0.0
) -> DrawnTargets:
    """A target of which everything is known."""
    return DrawnTargets(
        rates=np.full_like(trials.targets.rates, rate),
        prompt_correlation=np.full(TARGETS, correlation),
        detector_correlation=np.full(TARGETS, tie),
    )


def scans_of(trials: Trials, size: Size) -> Counts:
    """Two scans of each target, many times over."""
    drawn = []
    for seed in range(14):
        rng = np.random.default_rng(seed)
        drawn.append(trials._tied(trials._scanned(size, rng), rng))
    return np.concatenate(drawn, axis=2)


def turned(trials: Trials, odds: float) -> Floats:
    return trials.turns_of_odds(np.full(TARGETS, odds))


@pytest.mark.parametrize("correlation", [0.27, 0.4, 0.83])
@pytest.mark.parametrize("repeat", REPEATS)
@pytest.mark.parametrize("prompts", [20, 4])
def test_the_change_has_the_variance_of_two_scans(
    correlation: float, repeat: str, prompts: int
) -> None:
    """2 n r (1 - r), times 1 + rho (g - 1) on fresh prompts.

    On the same ones of which 3 of 5 outputs passed, their rates are beta-distributed
    with 5 more in the sum of both shapes. Where the second scan loses passes, outputs
    (or fresh prompts) that change places vary as if they were drawn one by one.
    """
    scan = scan_of(p=single(*[(3, 5)] * prompts))
    trials = trials_of(scan, repeat)
    trials.targets = known_target(trials, 0.6, correlation)
    first, second = scans_of(trials, (1.0, 5))
    shapes = 1 / correlation - 1 + 5
    is_same = repeat == SAME_PROMPTS
    factor = shapes / (shapes + 1) if is_same else 1 + 4 * correlation
    expected = 2 * 5 * prompts * 0.6 * 0.4 * factor
    # the standard error of a variance of 20,000 differences is 1 %
    assert (second - first).var() == pytest.approx(expected, rel=0.05)
    assert first.mean() == pytest.approx(5 * prompts * 0.6, rel=0.06)
    rng, strength = np.random.default_rng(3), shapes - 5 * (not is_same)
    rates = rng.beta(0.6 * strength, 0.4 * strength, 40_000)
    both = np.stack([rates, 0.7 * rates])
    share = both.mean(axis=0)
    of_outputs = 10 * prompts * (share * (1 - share)).mean()
    expected = of_outputs if is_same else 2 * prompts * rng.binomial(5, both).var()
    turns = np.zeros((1, 1, 1)), np.full((1, 1, 1), 0.3)
    passed = np.full((TARGETS, 1, 1), 10 * prompts * 0.85 * 0.6)
    found = trials._variance(passed, turns, (1.0, 5)).mean()
    # that easy prompts lose more passes than hard ones is left out
    assert found == pytest.approx(expected, rel=0.05)


def test_the_same_prompts_stay_what_the_scan_showed_of_them() -> None:
    """\"a target keeps its prompts, and what the scan showed of each counts.\"

    Three prompts passed never, five always.
    """
    shown = single(*[(0, 30)] * 3, *[(30, 30)] * 5)
    trials = trials_of(scan_of(p=shown), SAME_PROMPTS)
    trials.targets = known_target(trials, 0.6, 0.9)
    first, second = scans_of(trials, (1.0, 30))
    assert first.mean() == pytest.approx(150, abs=3)
    assert first.std() < 5
    assert second.mean() == pytest.approx(150, abs=3)
    # twice as many prompts: of half of them nothing is known
    more, _ = scans_of(trials, (2.0, 30))
    assert more.mean(axis=(1, 2)).std() > 10


def test_detectors_of_a_probe_change_together() -> None:
    both = probe_of(*[[(True, True), (False, False)] * 3] * 20)
    trials = trials_of(scan_of(p=both))
    moved = []
    for tie in (0.0, 0.9):
        trials.targets = known_target(trials, 0.5, 0.1, tie)
        first, second = scans_of(trials, (1.0, 6))
        moved.append(np.corrcoef((second - first).reshape(-1, 2).T)[0, 1])
    # ranks of 30 draws are tied a little less than those of many
    assert moved == pytest.approx([0, 0.85], abs=0.07)


@pytest.mark.parametrize("repeat", REPEATS)
def test_more_of_a_change_is_found_more_often(repeat: str) -> None:
    """Where there is none, one comparison in twenty finds one."""
    scan = scan_of(**{f"p{i}": single(*[(4, 5), (2, 5)] * 8) for i in range(6)})
    trials = trials_of(scan, repeat)
    shares = [
        trials.design(turned(trials, factor), (1.0, 5)).share
        for factor in (1.0, 1.6, 5.0)
    ]
    assert shares[0] == pytest.approx(0.05, abs=0.02)
    assert shares == sorted(shares)
    assert shares[-1] > 0.9


def test_the_score_of_each_target_falls_as_far_as_asked() -> None:
    trials = trials_of(scan_of(**{f"p{i}": single(*[(4, 5)] * 20) for i in range(6)}))
    size = 1.0, 5
    odds, most = trials.turned_by_odds(0.5, size)
    assert (most > 0.5).all()
    before, _ = scans_of(trials, size)
    turns = trials.turns_of_odds(odds)[:, None]
    after = np.random.default_rng(2).binomial(before, 1 - turns)
    fell = (trials._scores(before, size) - trials._scores(after, size)).mean(axis=1)
    assert fell == pytest.approx(np.full(TARGETS, 0.5), abs=0.2)
    assert fell.mean() == pytest.approx(0.5, abs=0.05)


Scanned = tuple[list[GradedPair], ScanOutcomes]


def scanned(rate: float, name: str, rng: np.random.Generator) -> Scanned:
    """Three pairs of 80 prompts with 5 outputs each, at a correlation of .25."""
    probes = {}
    for probe in ("p.A", "p.B", "p.C"):
        passed = rng.binomial(5, rng.beta(3 * rate, 3 * (1 - rate), 80)).tolist()
        probes[probe] = ProbeOutcomes(
            detectors=("d.A",),
            prompts={
                f"{name} {number}".encode(): Counter({(True,): k, (False,): 5 - k})
                for number, k in enumerate(passed)
            },
        )
    return graded_of(probes), ScanOutcomes(outcomes=probes, generations=5)


def test_the_share_is_that_of_real_comparisons() -> None:
    """Of a target that its scan leaves little doubt about, within 15 points."""
    rng = np.random.default_rng(5)
    before, after = 0.8, 0.74
    found = []
    for run in range(80):
        (one, first), (two, second) = (
            scanned(before, "first", rng),
            scanned(after, "second", rng),
        )
        pairs = list(zip(one, two, strict=True))
        exchange = exchange_of(pairs, first, second)
        tests = permutation_tests(exchange, with_score=True, replicates=199, seed=run)
        found.append(tests.p_worse < 0.05)
    graded, known = scanned(before, "first", rng)
    trials = trials_of(observe(graded, known.outcomes, 5))
    odds = (1 - after) / after / ((1 - before) / before)
    share = trials.design(turned(trials, odds), (1.0, 5)).share
    assert 0.2 < share < 0.9
    assert share == pytest.approx(np.mean(found), abs=0.15)


def test_what_is_not_known_widens_the_interval() -> None:
    """It is not empty where all comparisons agree."""
    rng = np.random.default_rng(1)
    same = rng.random((TARGETS, 30)) < 0.5
    own = np.repeat(np.arange(TARGETS)[:, None] < TARGETS / 2, 30, axis=1)
    narrow, wide = module._interval(same, rng), module._interval(own, rng)
    assert narrow[0] < 0.5 < narrow[1]
    assert narrow[1] - narrow[0] < 0.1
    assert sum(narrow) / 2 == pytest.approx(same.mean(), abs=0.01)
    assert wide[1] - wide[0] > 0.8
    for agreed in (False, True):
        lower, upper = module._interval(np.full((TARGETS, 30), agreed), rng)
        assert 0 <= lower < upper <= 1


def test_rates_of_a_probe_are_as_uncertain_together() -> None:
    """Its detectors judged the same outputs, so what is not known of them is tied."""
    both = probe_of(*[[(True, True), (True, True), (False, False)]] * 8)
    trials = trials_of(scan_of(p=both, q=both))
    rates = trials.targets.rates
    together = np.asarray(np.corrcoef(rates))
    assert together[0, 1] > 0.3
    assert together[2, 3] > 0.3
    assert abs(together[0, 2]) < 0.2
