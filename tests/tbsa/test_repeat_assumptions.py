# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is assumed of a repeat where attempts do not tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.interval import RepeatDistribution, distribution_of
from garak_tbsa.tbsa.output_likeness import assumptions_of
from garak_tbsa.tbsa.outputs.wording import basis_text, repeat_text
from garak_tbsa.tbsa.repeat_assumptions import (
    FRESH_PROMPTS,
    NOTHING_KNOWN,
    REPEATS,
    SAME_PROMPTS,
    assumptions_by_counts,
    unknown_factor,
)
from tests.factories import assessment_of, pairs_named, report_rows, write_report

FACTS = pairs_named(*[(1 + i % 2, 20 + i, 30) for i in range(8)])


def scan(tmp_path: Path, seed: int | None, generations: int | None) -> Assessment:
    setup: dict[str, Any] = {"run.seed": seed, "run.generations": generations}
    rows = report_rows(FACTS, setup=setup)
    return assessment_of(write_report(tmp_path / "x.report.jsonl", rows), FACTS)


def variance_of(repeat: RepeatDistribution) -> float:
    mean = sum(tbsa * share for tbsa, share in repeat.probabilities)
    return sum((tbsa - mean) ** 2 * share for tbsa, share in repeat.probabilities)


@pytest.mark.parametrize(
    ("seed", "generations"), [(None, 1), (None, None), (7, 5), (7, 1)]
)
def test_outputs_are_independent_where_this_is_right_or_safe(
    tmp_path: Path, seed: int | None, generations: int | None
) -> None:
    """With one generation to a prompt, or on the same prompts."""
    assessment = scan(tmp_path, seed, generations)
    assert assumptions_by_counts(assessment.report.settings) == NOTHING_KNOWN


def test_without_a_seed_outputs_of_a_prompt_are_taken_to_be_alike(
    tmp_path: Path,
) -> None:
    """A pair of n outputs counts as n / (1 + 0.2 (g - 1)) independent ones."""
    assessment = scan(tmp_path, None, 5)
    assumed = assumptions_by_counts(assessment.report.settings)
    assert assumed.repeat == FRESH_PROMPTS
    pair = assessment.graded[0]
    assert assumed.outputs_of(pair) == pytest.approx(30 / 1.8)
    assert assumed.seen_of(pair) == pytest.approx((20 / 1.8, 30 / 1.8))
    assert assumed.independent_of(pair) == pytest.approx((20 / 1.8, 30 / 1.8))
    repeat, with_seed = (distribution_of(scan(tmp_path, seed, 5)) for seed in (None, 7))
    assert isinstance(repeat, RepeatDistribution)
    assert isinstance(with_seed, RepeatDistribution)
    assert variance_of(repeat) > 1.1 * variance_of(with_seed)
    assert repeat_text(repeat).startswith(
        "a repeat of this scan on fresh prompts would"
    )
    assert basis_text(repeat) == (
        "from pass counts alone, outputs of a prompt treated as alike (correlation"
        " 0.2); attempts were not read (score --repeat reads them)"
    )
    assert basis_text(with_seed) == (
        "from pass counts alone; attempts were not read (score --repeat reads them)"
    )


def test_a_pair_says_as_much_as_one_output_at_least(tmp_path: Path) -> None:
    """Whatever a report says of its generations."""
    assessment = scan(tmp_path, None, 10**15)
    assumed = assumptions_by_counts(assessment.report.settings)
    pair = assessment.graded[0]
    assert assumed.outputs_of(pair) == 1
    assert assumed.seen_of(pair) == assumed.independent_of(pair)
    assert assumed.seen_of(pair) == pytest.approx((20 / 30, 1))
    repeat = distribution_of(assessment)
    assert isinstance(repeat, RepeatDistribution)
    assert variance_of(repeat) > 0


@pytest.mark.parametrize("repeat", REPEATS)
def test_pairs_without_attempts_are_treated_alike(tmp_path: Path, repeat: str) -> None:
    """The report was read for its attempts, and has none."""
    assumed = assumptions_of(scan(tmp_path, None, 5), repeat)
    factor = {SAME_PROMPTS: 1.0, FRESH_PROMPTS: pytest.approx(1.8)}[repeat]
    assert assumed.other_factor == factor
    outputs = {
        SAME_PROMPTS: "outputs there are treated as independent",
        FRESH_PROMPTS: "outputs of a prompt there are treated as alike (correlation"
        " 0.2)",
    }[repeat]
    assert assumed.text == (
        f"attempts do not add up to the counts of 8 pairs: {outputs}, detectors of one"
        " probe as rising and falling together"
    )


def test_a_factor_needs_fresh_prompts_and_generations() -> None:
    assert unknown_factor(FRESH_PROMPTS, 5) == pytest.approx(1.8)
    assert unknown_factor(FRESH_PROMPTS, 1) == 1
    assert unknown_factor(FRESH_PROMPTS, None) == 1
    assert unknown_factor(SAME_PROMPTS, 5) == 1
    assert unknown_factor(None, 5) == 1
