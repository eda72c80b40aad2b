# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans that are drawn for what a comparison can find have the size they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.detectable import Target, passed, real_scans


@pytest.fixture(scope="module")
def scans() -> list[Any]:
    return list(real_scans())


def test_scans_have_the_pairs_of_real_ones(scans: list[Any]) -> None:
    """Of as many outputs as are asked for, or about as many as there were."""
    assert [len(scan.pairs) for scan in scans] == [57, 25, 22]
    rng = np.random.default_rng(1)
    for scan in scans:
        target = Target(scan, (3, 2), rng)
        pairs, known = target.scan(target.verdicts(target.prompts()), "p", 1)
        assert {pair.name for pair in pairs} == {each.pair.name for each in scan.pairs}
        assert {pair.total_evaluated for pair in pairs} == {6}
        assert (known.seed, known.generations) == (1, 2)
    real = Target(scans[1], None, rng)
    assert {outputs for _, (_, outputs), _ in real.probes} == {5}
    assert max(prompts for _, (prompts, _), _ in real.probes) == 12


def test_an_unchanged_scan_passes_and_a_large_one_is_judged(
    scans: list[Any],
) -> None:
    for repeat in ("same-prompts", "fresh-prompts"):
        tiny, large = (
            passed(np.random.default_rng(3), 0, scan=scans[2], size=size, repeat=repeat)
            for size in ((1, 1), (16, 1))
        )
        assert (tiny[0], large[0]) == ((True, False), (True, True)), repeat
        assert large[-1] == (False, False), repeat
    several = passed(
        np.random.default_rng(3), 0, scan=scans[2], size=(1, 5), repeat="same-prompts"
    )
    assert (several[0], several[-1]) == ((True, True), (False, False))
