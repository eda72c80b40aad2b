# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Dealt scans are real outputs, each used once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from benchmarks.dealt_scans import (
    Pool,
    Scan,
    deal,
    deal_fresh,
    pooled,
    scan_of,
)
from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from tools.real_model.verdicts import RepeatedScan

PROBE = "encoding.InjectHex"
DETECTORS = ("encoding.DecodeApprox", "encoding.DecodeMatch")
BOTH, ONE, NEITHER = (False, False), (False, True), (True, True)


def outcomes(**prompts: Mapping[tuple[bool | None, ...], int]) -> ProbeOutcomes:
    return ProbeOutcomes(
        detectors=DETECTORS,
        prompts={name.encode(): patterns for name, patterns in prompts.items()},
    )


def repeated(first_slot: int, found: ProbeOutcomes, seed: int = 1) -> RepeatedScan:
    return RepeatedScan(
        series="x",
        seed=seed,
        generations=2,
        first_slot=first_slot,
        outcomes={PROBE: found},
    )


def of(scan: Scan) -> ProbeOutcomes:
    return scan.outcomes[PROBE]


POOLS = {
    PROBE: Pool(
        detectors=DETECTORS,
        prompts={
            b"a": [BOTH, BOTH, ONE, NEITHER],
            b"b": [NEITHER] * 4,
            b"c": [ONE] * 4,
            b"d": [BOTH] * 4,
            b"e": [ONE, BOTH, ONE, BOTH],
        },
    )
}


def test_a_scan_is_graded_by_its_verdicts() -> None:
    """Of three outputs one is a hit of both detectors, one of the first alone."""
    scan = scan_of(
        {PROBE: outcomes(a={BOTH: 1, ONE: 1}, b={(None, True): 1})},
        seed=3,
        generations=2,
    )
    assert [pair.name for pair in scan.graded] == [
        f"{PROBE}+{detector}" for detector in DETECTORS
    ]
    assert [pair.passed for pair in scan.graded] == [0, 2]
    assert [pair.total_evaluated for pair in scan.graded] == [2, 3]
    assert 10 <= scan.tenths <= 50


def test_scans_that_share_outputs_are_pooled_once() -> None:
    pools = pooled(
        [
            repeated(0, outcomes(a={BOTH: 2})),
            repeated(1, outcomes(a={NEITHER: 2})),
            repeated(2, outcomes(a={ONE: 1, NEITHER: 1})),
            repeated(0, outcomes(b={ONE: 2}), seed=2),
        ]
    )
    assert {
        prompt: Counter(patterns) for prompt, patterns in pools[PROBE].prompts.items()
    } == {b"a": Counter({BOTH: 2, ONE: 1, NEITHER: 1}), b"b": Counter({ONE: 2})}


@pytest.mark.parametrize("seed", range(5))
def test_two_scans_of_the_same_prompts_share_no_output(seed: int) -> None:
    first, second = map(of, deal(POOLS, 2, np.random.default_rng(seed)))
    assert first.prompts.keys() == second.prompts.keys() == POOLS[PROBE].prompts.keys()
    for prompt, patterns in POOLS[PROBE].prompts.items():
        both = Counter(first.prompts[prompt]) + Counter(second.prompts[prompt])
        assert both == Counter(patterns)
        assert sum(first.prompts[prompt].values()) == 2


def test_more_outputs_than_there_are_cannot_be_dealt() -> None:
    with pytest.raises(ValueError, match="4 outputs of a prompt, expected 6"):
        deal(POOLS, 3, np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(5))
def test_fresh_scans_share_no_prompt(seed: int) -> None:
    first, second = map(of, deal_fresh(POOLS, 3, np.random.default_rng(seed)))
    assert len(first.prompts) == len(second.prompts) == 2
    assert not first.prompts.keys() & second.prompts.keys()
    for found in (first, second):
        for prompt, patterns in found.prompts.items():
            assert sum(patterns.values()) == 3
            assert Counter(patterns) <= Counter(POOLS[PROBE].prompts[prompt])


def test_fresh_scans_have_a_limit() -> None:
    first, second = deal_fresh(POOLS, 1, np.random.default_rng(1), most=1)
    assert len(of(first).prompts) == len(of(second).prompts) == 1


def test_probes_that_always_ask_the_same_share_their_prompts() -> None:
    rng = np.random.default_rng(1)
    first, second = map(of, deal_fresh(POOLS, 2, rng, same=frozenset({PROBE})))
    assert first.prompts.keys() == second.prompts.keys() == POOLS[PROBE].prompts.keys()


def test_one_prompt_cannot_be_halved() -> None:
    pools = {PROBE: Pool(detectors=DETECTORS, prompts={b"a": [ONE, ONE]})}
    with pytest.raises(ValueError, match="one prompt, expected two or more"):
        deal_fresh(pools, 1, np.random.default_rng(1))
