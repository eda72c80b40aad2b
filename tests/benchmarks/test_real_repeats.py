# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Dealt scans are real outputs, each used once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from benchmarks.real_repeats import deal, pooled
from benchmarks.simulated_scans import Scan, scan_of
from garak_tbsa.report.outcomes import ProbeOutcomes
from garak_tbsa.unavailable import Unavailable
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
    known = scan[1].outcomes
    assert not isinstance(known, Unavailable)
    found = known[PROBE]
    assert isinstance(found, ProbeOutcomes)
    return found


POOLS = {
    PROBE: outcomes(
        a={BOTH: 2, ONE: 1, NEITHER: 1},
        b={NEITHER: 4},
        c={ONE: 4},
        d={BOTH: 4},
        e={ONE: 2, BOTH: 2},
    )
}


def test_a_scan_is_graded_by_its_verdicts() -> None:
    """Of three outputs one is a hit of both detectors, one of the first alone."""
    graded, known = scan_of(
        {PROBE: outcomes(a={BOTH: 1, ONE: 1}, b={(None, True): 1})},
        seed=3,
        generations=2,
    )
    assert [(pair.name, pair.passed, pair.total_evaluated) for pair in graded] == [
        (f"{PROBE}+{DETECTORS[0]}", 0, 2),
        (f"{PROBE}+{DETECTORS[1]}", 2, 3),
    ]
    assert (known.seed, known.generations) == (3, 2)


def test_scans_that_share_outputs_are_pooled_once() -> None:
    pools = pooled(
        [
            repeated(0, outcomes(a={BOTH: 2})),
            repeated(1, outcomes(a={NEITHER: 2})),
            repeated(2, outcomes(a={ONE: 1, NEITHER: 1})),
            repeated(0, outcomes(b={ONE: 2}), seed=2),
        ]
    )
    assert pools[PROBE] == outcomes(a={BOTH: 2, ONE: 1, NEITHER: 1}, b={ONE: 2})


@pytest.mark.parametrize("seed", range(5))
def test_two_scans_of_the_same_prompts_share_no_output(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = map(of, deal(POOLS, 2, rng, fresh=False))
    assert first.prompts.keys() == second.prompts.keys() == POOLS[PROBE].prompts.keys()
    for prompt, patterns in POOLS[PROBE].prompts.items():
        both = Counter(first.prompts[prompt]) + Counter(second.prompts[prompt])
        assert both == Counter(patterns)
        assert sum(first.prompts[prompt].values()) == 2


def test_more_outputs_than_there_are_cannot_be_dealt() -> None:
    with pytest.raises(ValueError, match="4 outputs of a prompt, expected 6"):
        deal(POOLS, 3, np.random.default_rng(1), fresh=False)


@pytest.mark.parametrize("seed", range(5))
def test_fresh_scans_share_no_prompt(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = map(of, deal(POOLS, 3, rng, fresh=True))
    assert len(first.prompts) == len(second.prompts) == 2
    assert not first.prompts.keys() & second.prompts.keys()
    for found in (first, second):
        for prompt, patterns in found.prompts.items():
            assert sum(patterns.values()) == 3
            assert Counter(patterns) <= Counter(POOLS[PROBE].prompts[prompt])
