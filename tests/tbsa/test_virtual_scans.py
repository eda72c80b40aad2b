# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans drawn from what one scan says of its target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.statistics.observed import LARGEST_CORRELATION
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.virtual_scans import (
    ASSUMED_CORRELATION,
    LEAST_CORRELATION,
    VirtualScan,
    VirtualTarget,
    _turned,
    drawn_scans,
    target_of,
)
from tests.factories import PairFacts, graded_pair

TWO = ("d.A", "d.B")


def probe_of(
    *prompts: list[tuple[bool, bool]],
) -> tuple[list[GradedPair], dict[str, ProbeOutcomes]]:
    """A probe with two detectors; per prompt the verdicts of each output."""
    outcomes = ProbeOutcomes(
        detectors=TWO,
        prompts={
            bytes([number]): {each: outputs.count(each) for each in set(outputs)}
            for number, outputs in enumerate(prompts)
        },
    )
    pairs = [
        graded_pair(PairFacts(probe="p.P", detector=name, passed=k, total=n))
        for name, (k, n) in outcomes.counts().items()
    ]
    return pairs, {"p.P": outcomes}


def drawn(
    target: VirtualTarget, *, turning: float = 0.0, seed: int = 1, **options: object
) -> tuple[VirtualScan, VirtualScan]:
    wanted = {"generations": 2, "prompts": 1.0, "same_prompts": True, **options}
    turns = {pair.name: turning for pair in target.pairs}
    return drawn_scans(target, ({}, turns), rng=np.random.default_rng(seed), **wanted)  # type: ignore[arg-type]


ALIKE = probe_of(*[[(True, True)] * 3, [(False, True)] * 3] * 20)
MIXED = probe_of(*[[(True, True), (False, True)] * 3] * 40)


def test_outputs_of_a_prompt_that_are_all_alike_are_fully_correlated() -> None:
    target = target_of(*ALIKE, generations=1)
    assert (target.correlation, target.is_measured) == (LARGEST_CORRELATION, True)
    assert target.by_attempts == 2
    assert target.probes[0].generations == 3


def test_outputs_that_differ_within_every_prompt_are_not_correlated() -> None:
    assert target_of(*MIXED, generations=1).correlation == LEAST_CORRELATION


def test_a_correlation_that_is_there_is_found() -> None:
    """Beta(2, 2) prompts: two outputs of one have a correlation of 1 / (2 + 2 + 1)."""
    rng = np.random.default_rng(3)
    rates = rng.beta(2, 2, size=250)
    prompts = [[(bool(x), True) for x in rng.random(8) < rate] for rate in rates]
    assert target_of(*probe_of(*prompts), generations=1).correlation == pytest.approx(
        0.2, abs=0.05
    )


@pytest.mark.parametrize(
    "known", [NO_ATTEMPTS, {}, MIXED[1]], ids=["none", "other probes", "not all"]
)
def test_without_all_attempts_counts_are_drawn_from(known: object) -> None:
    pair = graded_pair(PairFacts(probe="p.P", detector="d.A", passed=6, total=10))
    target = target_of([pair], known, generations=5)  # type: ignore[arg-type]
    assert (target.correlation, target.is_measured) == (ASSUMED_CORRELATION, False)
    assert target.by_attempts == 0
    assert target.probes[0].seen.shape[0] == 2
    totals = [counts_of(one.graded[0]).total_evaluated for one in drawn(target)]
    assert totals == [4, 4]


@pytest.mark.parametrize("there", [ALIKE, MIXED])
def test_drawn_scans_pass_as_often_and_after_a_change_less(
    there: tuple[list[GradedPair], dict[str, ProbeOutcomes]],
) -> None:
    target = target_of(*there, generations=1)
    shares = np.zeros((2, 2))
    for seed in range(60):
        for number, scan in enumerate(drawn(target, turning=0.3, seed=seed)):
            shares[number] += [pair.pass_rate for pair in scan.graded]
    assert (shares / 60)[0] == pytest.approx([0.5, 1.0], abs=0.04)
    assert (shares / 60)[1] == pytest.approx([0.35, 0.7], abs=0.04)


def test_all_passes_can_turn_into_hits() -> None:
    """Shares that rounding makes a little more than 1 are drawn from all the same."""
    target = target_of(*MIXED, generations=1)
    for seed in range(30):
        _, after = drawn(target, turning=1.0, seed=seed)
        assert all(pair.passed == 0 for pair in after.graded)


def test_prompts_are_the_same_or_others_as_asked() -> None:
    target = target_of(*MIXED, generations=1)
    for same in (True, False):
        first, second = drawn(target, same_prompts=same, prompts=2.0)
        one, two = (scan.outcomes["p.P"].prompts.keys() for scan in (first, second))
        assert len(one) == len(two) == 80
        assert (one == two) == same
        assert bool(one & two) == same


@pytest.mark.parametrize(
    ("there", "generations"), [(ALIKE, 3), (MIXED, 2)], ids=["alike", "independent"]
)
def test_fresh_prompts_vary_as_prompts_do(
    there: tuple[list[GradedPair], dict[str, ProbeOutcomes]], generations: int
) -> None:
    """A count of n outputs has the variance n r (1 - r) (1 + rho (g - 1))."""
    target = target_of(*there, generations=1)
    changes = [
        second.graded[0].pass_rate - first.graded[0].pass_rate
        for first, second in (
            drawn(target, same_prompts=False, generations=generations, seed=seed)
            for seed in range(400)
        )
    ]
    outputs = 40 * generations
    spread = 0.25 * (1 + target.correlation * (generations - 1)) / outputs
    assert np.var(changes) == pytest.approx(2 * spread, rel=0.2)


def test_a_drawn_scan_is_in_agreement_with_itself() -> None:
    """Its counts are those of its outcomes, its grades those of its counts."""
    for scan in drawn(target_of(*MIXED, generations=1), prompts=0.25):
        counted = scan.outcomes["p.P"].counts()
        for pair in scan.graded:
            assert counted[pair.detector] == (pair.passed, pair.total_evaluated)
            again = PairFacts(passed=pair.passed or 0, total=pair.total_evaluated or 0)
            assert pair.grade == again.grades[0]


def test_the_same_seed_draws_the_same_scans() -> None:
    target = target_of(*MIXED, generations=1)
    assert drawn(target, seed=4) == drawn(target, seed=4)
    assert drawn(target, seed=4) != drawn(target, seed=5)


@given(
    pattern=st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=2),
    turns=st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=2, max_size=2),
)
def test_each_pass_turns_into_a_hit_as_often_as_asked(
    pattern: list[bool | None], turns: list[float]
) -> None:
    """One chance decides for all detectors of an output."""
    patterns, moved = _turned([tuple(pattern)], turns)
    assert moved.sum() == pytest.approx(1)
    for column, (verdict, turn) in enumerate(zip(pattern, turns, strict=True)):
        turned = sum(
            share
            for after, share in zip(patterns, moved[0], strict=True)
            if after[column] is not verdict
        )
        assert turned == pytest.approx(turn if verdict else 0)
