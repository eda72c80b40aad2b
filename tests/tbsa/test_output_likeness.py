# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How alike outputs are, against all pairs of outputs and repeats that are drawn."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.tbsa.interval import RepeatDistribution, repeat_distribution
from garak_tbsa.tbsa.output_likeness import (
    Clusters,
    assumptions_from,
    assumptions_of,
    pooled_correlation,
    verdict_correlation,
)
from garak_tbsa.tbsa.repeat_assumptions import (
    FRESH_PROMPTS,
    NOTHING_KNOWN,
    SAME_PROMPTS,
)
from garak_tbsa.unavailable import Unavailable
from tests.factories import (
    PairFacts,
    assessment_of,
    graded_pair,
    report_rows,
    write_report,
)

PROMPTS = st.lists(
    st.integers(0, 6).flatmap(
        lambda total: st.tuples(st.integers(0, total), st.just(total))
    ),
    min_size=1,
    max_size=8,
)


def outcomes_of(verdicts: np.ndarray) -> ProbeOutcomes:
    """Verdicts by prompt, output and detector."""
    prompts = {}
    for number, outputs in enumerate(verdicts.tolist()):
        patterns: dict[tuple[bool | None, ...], int] = {}
        for verdict in outputs:
            patterns[tuple(verdict)] = patterns.get(tuple(verdict), 0) + 1
        prompts[number.to_bytes(16, "big")] = patterns
    names = tuple(f"d.D{number}" for number in range(verdicts.shape[2]))
    return ProbeOutcomes(detectors=names, prompts=prompts)


@given(counted=PROMPTS)
def test_shares_that_differ_are_those_of_all_two_outputs(
    counted: list[tuple[int, int]],
) -> None:
    outputs = [
        (prompt, output < passed)
        for prompt, (passed, total) in enumerate(counted)
        for output in range(total)
    ]
    within: dict[int, list[bool]] = {}
    between = []
    for (prompt, one), (second, other) in itertools.combinations(outputs, 2):
        if prompt == second:
            within.setdefault(prompt, []).append(one != other)
        else:
            between.append(one != other)
    found = Clusters.of(counted)
    assert found.prompts == len(within)
    shares = [sum(each) / len(each) for each in within.values()]
    assert found.within == pytest.approx(sum(shares) / len(shares) if shares else 0)
    assert found.between == pytest.approx(sum(between) / len(between) if between else 0)
    others = [total - 1 for _, total in counted for _ in range(total)]
    assert found.others == pytest.approx(sum(others) / len(others) if others else 0)


@pytest.mark.parametrize(("rho", "generations"), [(0.05, 5), (0.4, 5), (0.2, 3)])
def test_the_factor_is_that_of_drawn_repeats(rho: float, generations: int) -> None:
    """1 - rho on the same prompts, 1 + rho (g - 1) on fresh ones."""
    rng = np.random.default_rng(3)
    prompts, rate = 300, 0.6
    shape = (1 - rho) / rho
    rates = rng.beta(rate * shape, (1 - rate) * shape, prompts)
    found = Clusters.of((int(k), generations) for k in rng.binomial(generations, rates))
    shared = pooled_correlation([found])
    assert shared is not None
    plain = prompts * generations * rate * (1 - rate)
    same = rng.binomial(generations, rates, (20_000, prompts)).sum(axis=1).var() / plain
    drawn = rng.beta(rate * shape, (1 - rate) * shape, (20_000, prompts))
    fresh = rng.binomial(generations, drawn).sum(axis=1).var() / plain
    assert found.variance_factor(SAME_PROMPTS, shared) == pytest.approx(same, abs=0.08)
    assert found.variance_factor(FRESH_PROMPTS, shared) == pytest.approx(
        fresh, rel=0.12
    )


@given(counted=PROMPTS, shared=st.floats(0, 0.9))
def test_a_factor_is_on_its_own_side_of_one(
    counted: list[tuple[int, int]], shared: float
) -> None:
    """Same prompts vary less than independent outputs, fresh ones more."""
    found = Clusters.of(counted)
    assert 0 < found.variance_factor(SAME_PROMPTS, shared) <= 1
    assert found.variance_factor(FRESH_PROMPTS, shared) >= 1


def test_one_output_to_a_prompt_says_nothing_of_prompts() -> None:
    found = Clusters.of([(1, 1), (0, 1), (1, 1)])
    assert found.variance_factor(SAME_PROMPTS, 0.5) == 1
    assert found.variance_factor(FRESH_PROMPTS, 0.5) == 1


@given(
    verdicts=st.lists(
        st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False])),
        min_size=1,
        max_size=30,
    )
)
def test_the_correlation_of_verdicts(verdicts: list[tuple[bool | None, bool]]) -> None:
    """Of two detectors on the outputs that both judged."""
    found, outputs = verdict_correlation(
        outcomes_of(np.array([verdicts])).patterns(), 0, 1
    )
    both = [(a, b) for a, b in verdicts if a is not None]
    assert outputs == len(both)
    columns = list(zip(*both, strict=True))
    if len(both) < 2 or any(len(set(column)) == 1 for column in columns):
        assert found is None
    else:
        expected = np.corrcoef(np.array(columns, dtype=float))[0, 1]
        assert found == pytest.approx(float(expected))


def scan_of(
    rng: np.random.Generator, together: float
) -> tuple[list[PairFacts], dict[str, ProbeOutcomes | Unavailable]]:
    """Six probes of two detectors, the second of which repeats the first as often."""
    facts: list[PairFacts] = []
    outcomes: dict[str, ProbeOutcomes | Unavailable] = {}
    for number in range(6):
        first = rng.random((40, 3)) < 0.3 + 0.1 * number
        again = rng.random((40, 3)) < 0.3 + 0.1 * number
        second = np.where(rng.random((40, 3)) < together, first, again)
        verdicts = np.stack([first, second], axis=-1)
        probe = f"p.P{number}"
        outcomes[probe] = outcomes_of(verdicts)
        facts += [
            PairFacts(
                probe=probe,
                detector=f"d.D{column}",
                passed=int(verdicts[..., column].sum()),
                total=120,
                tier=1 + number % 2,
            )
            for column in (0, 1)
        ]
    return facts, outcomes


@pytest.mark.parametrize("together", [0.0, 0.5, 0.9])
def test_a_loading_is_the_root_of_the_correlation(together: float) -> None:
    facts, outcomes = scan_of(np.random.default_rng(1), together)
    graded = [graded_pair(entry) for entry in facts]
    assumed = assumptions_from(graded, outcomes, SAME_PROMPTS)
    loadings = [assumed.loading_of(pair) for pair in graded]
    # a standard error of 140 outputs is added
    for loading in loadings:
        assert loading**2 == pytest.approx(
            together + 0.08 * (1 - together**2), abs=0.17
        )
    assert assumed.missing_because is None


def variance_of(repeat: object) -> float:
    assert isinstance(repeat, RepeatDistribution)
    mean = sum(tbsa * share for tbsa, share in repeat.probabilities)
    return sum((tbsa - mean) ** 2 * share for tbsa, share in repeat.probabilities)


def test_the_range_widens_with_what_goes_together() -> None:
    """Nothing known is the widest on the same prompts, fresh prompts are wider."""
    rng = np.random.default_rng(1)
    facts, outcomes = scan_of(rng, 0.1)
    graded = [graded_pair(entry) for entry in facts]
    same = repeat_distribution(graded, assumptions_from(graded, outcomes, SAME_PROMPTS))
    unknown = repeat_distribution(graded, NOTHING_KNOWN)
    assert variance_of(same) < variance_of(unknown)
    per_prompt = np.repeat(rng.random((40, 1, 2)) < 0.6, 3, axis=1)
    alike = {f"p.P{number}": outcomes_of(per_prompt) for number in range(6)}
    graded = [
        graded_pair(
            PairFacts(
                probe=probe,
                detector=f"d.D{column}",
                passed=each.counts()[f"d.D{column}"][0],
                total=120,
                tier=1,
            )
        )
        for probe, each in alike.items()
        for column in (0, 1)
    ]
    variances = [
        variance_of(
            repeat_distribution(graded, assumptions_from(graded, alike, repeat))
        )
        for repeat in (SAME_PROMPTS, FRESH_PROMPTS)
    ]
    assert variances[0] < variances[1] / 3


def test_pairs_that_attempts_do_not_account_for_are_counted() -> None:
    facts, outcomes = scan_of(np.random.default_rng(1), 0.5)
    outcomes["p.P0"] = Unavailable(reason="its detectors judged different numbers")
    graded = [graded_pair(entry) for entry in facts]
    assumed = assumptions_from(graded, outcomes, SAME_PROMPTS)
    assert assumed.missing_because == (
        "attempts do not add up to the counts of 2 pairs"
    )
    assert assumed.loading_of(graded[0]) == 1
    assert assumed.outputs_of(graded[0]) == 120
    assert math.isfinite(variance_of(repeat_distribution(graded, assumed)))


def test_a_report_without_attempts_has_nothing_assumed(tmp_path: Path) -> None:
    facts = [PairFacts()]
    report = write_report(tmp_path / "x.report.jsonl", report_rows(facts))
    assessment = assessment_of(report, facts)
    assumed = assumptions_of(assessment, None)
    assert assumed.repeat == SAME_PROMPTS
    assert assumed.missing_because == "attempts do not add up to the counts of 1 pair"
    assert assumptions_of(assessment, FRESH_PROMPTS).repeat == FRESH_PROMPTS
