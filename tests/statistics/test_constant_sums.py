# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans in which the verdicts of a probe's detectors on an output add up to the same.

Passes of all pairs together cannot move there. Rounding may leave ``-1e-17`` of how
much they vary, which has no root, or ``1e-17``, by which nothing should be divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.statistics import permutation
from garak_tbsa.statistics.compare import compare
from garak_tbsa.statistics.exchange import ScanOutcomes, exchange_of
from garak_tbsa.tbsa.scan import Scan
from tests.factories import assessment_of
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report
from tests.statistics.scans_by_prompt import graded_of, probe_of
from tests.values import known

Prompts = Sequence[Sequence[tuple[bool, ...]]]
"""Which detectors each output passes, by prompt."""


def scanned(folder: Path, name: str, passing: Sequence[int]) -> Scan:
    """Three prompts with an output each, which one of three detectors passes."""
    facts = [
        PairFacts(probe="p.P", detector=f"d.{n}", passed=passing.count(n), total=3)
        for n in range(3)
    ]
    attempts = [
        attempt_row(
            facts[0],
            prompt=f"{name} {number}",
            detector_results={f"d.{n}": [float(n != own)] for n in range(3)},
        )
        for number, own in enumerate(passing)
    ]
    setup = {"run.seed": None, "run.generations": 1}
    rows = report_rows(facts, attempts=attempts, setup=setup)
    return assessment_of(write_report(folder / f"{name}.report.jsonl", rows), facts)


@pytest.mark.parametrize("turned", [False, True])
def test_reports_are_compared(tmp_path: Path, turned: bool) -> None:
    """One detector passes one output less, one as many, and one two more."""
    both = [
        scanned(tmp_path, "first", [1, 0, 0]),
        scanned(tmp_path, "second", [0, 2, 2]),
    ]
    compared = compare(*(both[::-1] if turned else both), alpha=0.05)
    tests = known(compared.tests)
    assert (tests.cmh_z, tests.p_cmh, tests.p_less, tests.p_more) == (0.0, 1, 1, 1)
    # of 20 arrangements 4 have all passes of one detector on one side, 4 on the other
    assert tests.largest_pair == "p.P+d.2"
    assert tests.p_largest_z == pytest.approx(8 / 20, abs=0.03)


def results_of(first: Prompts, second: Prompts, fresh: bool) -> permutation.TestResults:
    scans = [{"p.P": probe_of(*prompts)} for prompts in (first, second)]
    if fresh:
        own = scans[1]["p.P"]
        prompts = {b"fresh" + name: each for name, each in own.prompts.items()}
        scans[1]["p.P"] = replace(own, prompts=prompts)
    pairs = list(zip(*map(graded_of, scans), strict=True))
    exchange = exchange_of(pairs, *(ScanOutcomes(outcomes=scan) for scan in scans))
    return permutation.permutation_tests(exchange, with_score=True, replicates=99)


@st.composite
def constant(draw: st.DrawFn) -> tuple[Prompts, Prompts]:
    """Two scans with outputs that pass so many of a probe's detectors each."""
    detectors = draw(st.integers(2, 5))
    passing = draw(st.integers(1, detectors - 1))
    outputs = [
        tuple(n in chosen for n in range(detectors))
        for chosen in combinations(range(detectors), passing)
    ]
    prompt = st.lists(st.sampled_from(outputs), min_size=1, max_size=6)
    scan = st.lists(prompt, min_size=1, max_size=5)
    return draw(scan), draw(scan)


@settings(max_examples=150)
@given(constant(), st.booleans())
def test_nothing_moves_in_a_direction(
    scans: tuple[Prompts, Prompts], fresh: bool
) -> None:
    """Whichever prompts, and however many outputs each has."""
    found = results_of(*scans, fresh)
    assert (found.cmh_z, found.p_cmh, found.p_less, found.p_more) == (0.0, 1, 1, 1)
    assert 1 / 100 <= found.p_worse <= 1
    assert all(abs(move.z) < 1e3 for move in found.moves)
