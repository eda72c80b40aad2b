# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of whole outputs and whole prompts against enumeration of every arrangement."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.permutation import permutation_tests
from garak_tbsa.tbsa.strata import ScanOutcomes, exchange_of
from tests.factories import PairFacts, graded_pair

if TYPE_CHECKING:
    # pytest would take its name for a test's
    from garak_tbsa.tbsa.permutation import TestResults

Statistic = NDArray[np.float64]
DETECTORS = ("d.A", "d.B")
Verdicts = tuple[bool | None, ...]
Prompts = dict[str, list[Verdicts]]
"""The verdicts of both detectors on each output, by prompt."""

PASS, HIT, FIRST, OTHER = (True, True), (False, False), (True, False), (False, True)
NAMES = ("p_score", "p_cmh", "p_largest_z", "p_worse", "p_better")


def side_of(prompts: Prompts) -> tuple[list[GradedPair], ScanOutcomes]:
    """Graded pairs of Tier 1 and 2 on the same outputs, and these outputs."""
    counted = {
        name.encode(): {verdicts: outputs.count(verdicts) for verdicts in outputs}
        for name, outputs in prompts.items()
    }
    outcomes = ProbeOutcomes(detectors=DETECTORS, prompts=counted)
    pairs = [
        graded_pair(
            PairFacts(probe="p.P", detector=name, passed=passed, total=total, tier=tier)
        )
        for tier, (name, (passed, total)) in enumerate(outcomes.counts().items(), 1)
    ]
    return pairs, ScanOutcomes(outcomes={"p.P": outcomes}, seed=1)


def results_of(first: Prompts, second: Prompts, **options: int) -> TestResults:
    (before, one), (after, other) = side_of(first), side_of(second)
    pairs = list(zip(before, after, strict=True))
    return permutation_tests(
        pairs, exchange_of(pairs, one, other), with_score=True, **options
    )


def arranged(first: Prompts, second: Prompts) -> Iterator[tuple[Prompts, Prompts]]:
    """Every way to deal the outputs of each prompt, and the prompts of one scan."""
    common = sorted(first.keys() & second.keys())
    alone = sorted(first.keys() ^ second.keys())
    everything = {**first, **second}
    dealt = []
    for name in common:
        outputs = first[name] + second[name]
        dealt.append(
            [
                (
                    [outputs[i] for i in range(len(outputs)) if i not in chosen],
                    [outputs[i] for i in chosen],
                )
                for chosen in itertools.combinations(
                    range(len(outputs)), len(second[name])
                )
            ]
        )
    many = len(second.keys() - first.keys())
    for chosen in itertools.combinations(alone, many):
        for deal in itertools.product(*dealt):
            one = {name: everything[name] for name in alone if name not in chosen}
            other = {name: everything[name] for name in chosen}
            for name, (before, after) in zip(common, deal, strict=True):
                one[name], other[name] = before, after
            yield one, other


def passes(prompts: Prompts) -> list[int]:
    outputs = [verdicts for each in prompts.values() for verdicts in each]
    return [sum(verdicts[column] is True for verdicts in outputs) for column in (0, 1)]


def rate_grade(passed: int, total: int) -> int:
    return 1 + sum(passed >= bound * total for bound in (0.05, 0.4, 0.8, 0.99))


def exact(first: Prompts, second: Prompts) -> dict[str, float]:
    """All p-values by definition, over every arrangement."""
    totals = [sum(map(len, scan.values())) for scan in (first, second)]
    both = list(arranged(first, second))
    counts = np.array([passes(other) for _, other in both], dtype=float)
    centred = counts - counts.mean(axis=0)
    deviations = np.where(counts.std(axis=0) > 0, counts.std(axis=0), 1.0)
    z = centred / deviations
    moved = []
    for scans in both:
        scores = []
        for scan, total in zip(scans, totals, strict=True):
            grades = [rate_grade(passed, total) for passed in passes(scan)]
            scores.append((2 * grades[0] + grades[1]) / 3)
        moved.append(scores[1] - scores[0])
    observed = next(i for i, scans in enumerate(both) if scans == (first, second))
    lower = [-np.array(moved), -centred.sum(axis=1), -z.min(axis=1)]
    upper = [np.array(moved), centred.sum(axis=1), z.max(axis=1)]

    def share(statistic: Statistic) -> float:
        return float((statistic >= statistic[observed] - 1e-9).mean())

    def joined(statistics: list[Statistic]) -> float:
        """The smallest of these p-values, and how often it is as small."""
        smallest = np.min(
            [[(each >= v - 1e-9).mean() for v in each] for each in statistics], axis=0
        )
        return share(-smallest)

    return {
        "p_score": share(abs(np.array(moved))),
        "p_cmh": share(abs(centred.sum(axis=1))),
        "p_largest_z": share(abs(z).max(axis=1)),
        "p_worse": joined(lower),
        "p_better": joined(upper),
        "cmh_z": centred.sum(axis=1)[observed] / centred.sum(axis=1).std(),
        "largest_z": z[observed][abs(z[observed]).argmax()],
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            {"a": [PASS] * 4, "b": [PASS, PASS, FIRST]},
            {"a": [HIT, PASS, HIT], "b": [HIT, OTHER, HIT]},
            id="same prompts, several outputs",
        ),
        pytest.param(
            {name: [PASS] for name in "abcdefgh"},
            {**{name: [HIT] for name in "abcd"}, **{n: [FIRST] for n in "efgh"}},
            id="same prompts, one output",
        ),
        pytest.param(
            {"a": [PASS, PASS], "b": [PASS, FIRST], "c": [OTHER, PASS]},
            {"d": [HIT, HIT], "e": [PASS, HIT], "f": [HIT, FIRST], "g": [HIT, OTHER]},
            id="other prompts, several outputs",
        ),
        pytest.param(
            {name: [PASS] for name in "abcde"},
            {"f": [HIT], "g": [FIRST], "h": [HIT], "i": [PASS]},
            id="other prompts, one output",
        ),
        pytest.param(
            {"a": [PASS, PASS], "b": [PASS, PASS], "c": [FIRST, PASS]},
            {"a": [HIT, PASS], "d": [HIT, HIT], "e": [OTHER, HIT]},
            id="some of the same prompts",
        ),
    ],
)
def test_p_values_equal_exact_enumeration(first: Prompts, second: Prompts) -> None:
    """Outputs change places within their prompt, prompts of one scan as a whole."""
    replicates = 20_000
    expected = exact(first, second)
    found = results_of(first, second, replicates=replicates)
    for name in NAMES:
        spread = math.sqrt(expected[name] * (1 - expected[name]) / replicates)
        assert getattr(found, name) == pytest.approx(
            expected[name], abs=4 * spread + 1e-3
        ), name
    assert found.cmh_z == pytest.approx(expected["cmh_z"])
    assert abs(found.largest_z) == pytest.approx(abs(expected["largest_z"]))


def test_no_test_calls_more_than_alpha_different_over_all_arrangements() -> None:
    """Size: without a change p <= alpha in at most a share alpha of arrangements."""
    first: Prompts = {"a": [PASS, PASS], "b": [PASS, HIT], "c": [FIRST, PASS]}
    second: Prompts = {"d": [HIT, HIT], "e": [FIRST, HIT], "c": [OTHER, PASS]}
    found = [exact(*scans) for scans in arranged(first, second)]
    for name in NAMES:
        for alpha in (0.05, 0.2, 0.5):
            called = sum(each[name] <= alpha + 1e-9 for each in found)
            assert called <= alpha * len(found) + 1e-9, name


@pytest.mark.parametrize("with_attempts", [True, False])
def test_detectors_that_agree_do_not_call_unchanged_scans_different(
    with_attempts: bool,
) -> None:
    """Size where two detectors judge the same outputs alike nine times in ten."""
    rng = np.random.default_rng(5)
    runs, alpha = 300, 0.1
    called = dict.fromkeys(NAMES, 0)
    for run in range(runs):
        sides = []
        for _ in range(2):
            prompts: Prompts = {}
            for number in range(40):
                verdict = bool(rng.random() < 0.6)
                prompts[str(number)] = [(verdict, verdict ^ bool(rng.random() < 0.1))]
            sides.append(side_of(prompts))
        pairs = list(zip(sides[0][0], sides[1][0], strict=True))
        known = [
            side if with_attempts else ScanOutcomes(seed=side.seed) for _, side in sides
        ]
        found = permutation_tests(
            pairs,
            exchange_of(pairs, known[0], known[1]),
            with_score=True,
            replicates=199,
            seed=run,
        )
        for name in NAMES:
            called[name] += getattr(found, name) <= alpha
    # three standard errors of a share of 0.1 in 300 runs are 0.052
    assert max(called.values()) / runs < alpha + 0.052, called


def test_outputs_of_a_prompt_that_go_together_do_not_call_scans_different() -> None:
    """Size on fresh prompts, each of which passes with all its outputs or none."""
    rng = np.random.default_rng(6)
    runs, alpha = 300, 0.1
    for with_attempts in (True, False):
        called = dict.fromkeys(NAMES, 0)
        for run in range(runs):
            sides = []
            for scan in range(2):
                prompts: Prompts = {}
                for number in range(10):
                    verdict = bool(rng.random() < 0.5)
                    prompts[f"{scan} {number}"] = [(verdict, True)] * 5
                sides.append(side_of(prompts))
            pairs = list(zip(sides[0][0], sides[1][0], strict=True))
            known = [
                ScanOutcomes(
                    outcomes=side.outcomes if with_attempts else {}, generations=5
                )
                for _, side in sides
            ]
            found = permutation_tests(
                pairs,
                exchange_of(pairs, known[0], known[1]),
                with_score=True,
                replicates=199,
                seed=run,
            )
            for name in NAMES:
                called[name] += getattr(found, name) <= alpha
        assert max(called.values()) / runs < alpha + 0.052, called
