# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a scan shows of its prompts, against numbers worked out by hand."""

from __future__ import annotations

import pytest

from garak_tbsa import Unavailable
from garak_tbsa.report.outcomes import Outcomes
from garak_tbsa.statistics.by_prompt import LARGEST_CORRELATION, observe
from tests.factories import PairFacts, graded_pair
from tests.statistics.scans_by_prompt import (
    NOT_READ,
    by_counts,
    graded_of,
    probe_of,
    scan_of,
    single,
)


def test_prompts_of_which_attempts_tell_or_counts_alone() -> None:
    """Of counts, each has as many outputs as generations; a million are not listed."""
    scan = scan_of(p=single((2, 3), (1, 1)))
    (pair,) = scan.pairs
    assert pair.passed is not None
    assert (pair.evaluated.tolist(), pair.passed.tolist()) == ([3, 1], [2, 1])
    assert (scan.pairs_with_attempts, scan.has_several_outputs) == (1, True)
    assert scan.missing_because is None
    (pair,) = by_counts((7, 11), generations=5).pairs
    assert (pair.evaluated.tolist(), pair.prompts.tolist()) == ([5, 1], [2, 1])
    assert pair.passed is None
    (few,) = by_counts((1, 3), generations=5).pairs
    assert (few.evaluated.tolist(), few.prompts.tolist()) == ([3], [1])
    assert not by_counts((7, 11)).has_several_outputs
    many = graded_pair(PairFacts(passed=10**15, total=3 * 10**15))
    (pair,) = observe([many], NOT_READ, 3).pairs
    assert (pair.evaluated.tolist(), pair.prompts.tolist()) == ([3], [10**15])


@pytest.mark.parametrize(
    ("outcomes", "because"),
    [
        (NOT_READ, "its attempts were not read"),
        ({}, None),
        ({"p": single((2, 3))}, "attempts do not add up to the counts of 2 pairs"),
        ({"p": single((2, 4))}, "attempts do not add up to the counts of 1 pair"),
        (
            {"p": Unavailable(reason="?"), "q": single((1, 1))},
            "attempts do not add up to the counts of 1 pair",
        ),
    ],
)
def test_why_attempts_tell_nothing(
    outcomes: Outcomes | Unavailable, because: str | None
) -> None:
    graded = graded_of({"p": single((2, 4)), "q": single((1, 1))})
    scan = observe(graded, outcomes, 2)
    assert scan.missing_because == because


THREE = [(2, 2), (1, 2), (0, 2)]


@pytest.mark.parametrize(
    ("probes", "correlation"),
    [
        # two outputs differ: of a prompt 1 time of 3, of two prompts 2 times of 3
        ([THREE], 1 - (1 / 3) / (2 / 3)),
        # the second: within (2/3 + 0) / 2, between 2 of 3 hits by 3 passes, of 9
        (
            [THREE, [(1, 3), (3, 3)]],
            1 - (1 / 3 + (2 / 3 + 0) / 2) / (2 / 3 + 6 / 9),
        ),
        # all alike, all unlike
        ([[(3, 3), (0, 3)]], LARGEST_CORRELATION),
        ([[(1, 2), (1, 2)]], 0),
        # no failure, one output of each prompt, one prompt
        ([[(3, 3), (3, 3)]], None),
        ([[(1, 1), (0, 1)]], None),
        ([[(1, 2)]], None),
    ],
)
def test_the_correlation_of_outputs_of_a_prompt(
    probes: list[list[tuple[int, int]]], correlation: float | None
) -> None:
    outcomes = {f"p{n}": single(*counted) for n, counted in enumerate(probes)}
    found = scan_of(**outcomes).prompt_correlation
    assert found == (None if correlation is None else pytest.approx(correlation))


def test_the_correlation_of_detectors() -> None:
    """Pass rates 0, .5, 1 and 0, 1, .5 over three prompts."""
    probe = probe_of(
        [(False, False), (False, False)],
        [(True, True), (False, True)],
        [(True, True), (True, False)],
    )
    assert scan_of(p=probe).detector_correlation == pytest.approx(0.5)
    assert scan_of(p=single((1, 2), (2, 2))).detector_correlation is None
    never = probe_of([(True, True)], [(False, True)])
    assert scan_of(p=never).detector_correlation is None
