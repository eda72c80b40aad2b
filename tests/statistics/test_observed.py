# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a scan shows of its prompts, against numbers worked out by hand."""

from __future__ import annotations

import pytest

from garak_tbsa.garak_files.outcomes import Outcomes
from garak_tbsa.statistics.observed import LARGEST_CORRELATION, observe
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, graded_pair
from tests.statistics.observed_scans import (
    NO_OUTCOMES,
    NOT_READ,
    by_counts,
    graded_of,
    probe_of,
    scan_of,
    single,
)


def test_prompts_of_which_attempts_tell() -> None:
    scan = scan_of(p=single((2, 3), (1, 1)))
    (pair,) = scan.pairs
    assert pair.passed is not None
    assert (pair.evaluated.tolist(), pair.passed.tolist()) == ([3, 1], [2, 1])
    assert (scan.pairs_with_attempts, scan.has_several_outputs) == (1, True)
    assert scan.missing_because is None


def test_prompts_of_counts_have_as_many_outputs_as_generations() -> None:
    (pair,) = by_counts((7, 11), generations=5).pairs
    assert (pair.evaluated.tolist(), pair.prompts.tolist()) == ([5, 1], [2, 1])
    assert pair.passed is None
    (few,) = by_counts((1, 3), generations=5).pairs
    assert (few.evaluated.tolist(), few.prompts.tolist()) == ([3], [1])
    unknown = by_counts((7, 11))
    assert not unknown.has_several_outputs


def test_a_million_outputs_are_counted_and_not_listed() -> None:
    (pair,) = by_counts((1, 2), generations=3).pairs
    many = graded_pair(PairFacts(passed=10**15, total=3 * 10**15))
    (found,) = observe([many], NOT_READ, 3).pairs
    assert found.evaluated.size == pair.evaluated.size == 1
    assert found.prompts.tolist() == [10**15]


@pytest.mark.parametrize(
    ("outcomes", "because"),
    [
        (NOT_READ, "its attempts were not read"),
        (NO_OUTCOMES, None),
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


def test_the_correlation_of_outputs_of_a_prompt() -> None:
    """Two outputs differ: of a prompt 1 time of 3, of two prompts 2 times of 3."""
    scan = scan_of(p=single((2, 2), (1, 2), (0, 2)))
    assert scan.prompt_correlation == pytest.approx(1 - (1 / 3) / (2 / 3))


def test_the_correlation_is_that_of_all_pairs() -> None:
    """The second: within (2/3 + 0) / 2, between 2 of 3 hits by 3 passes, of 9."""
    first, second = single((2, 2), (1, 2), (0, 2)), single((1, 3), (3, 3))
    within = 1 / 3 + (2 / 3 + 0) / 2
    between = 2 / 3 + 6 / 9
    assert scan_of(p=first, q=second).prompt_correlation == pytest.approx(
        1 - within / between
    )


def test_prompts_that_are_all_alike_or_all_unlike() -> None:
    alike = scan_of(p=single((3, 3), (0, 3)))
    assert alike.prompt_correlation == LARGEST_CORRELATION
    unlike = scan_of(p=single((1, 2), (1, 2)))
    assert unlike.prompt_correlation == 0


@pytest.mark.parametrize(
    "counted", [[(3, 3), (3, 3)], [(1, 1), (0, 1)], [(1, 2)]], ids=str
)
def test_a_correlation_that_cannot_be_told(counted: list[tuple[int, int]]) -> None:
    """No failure, one output of each prompt, one prompt."""
    assert scan_of(p=single(*counted)).prompt_correlation is None


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
