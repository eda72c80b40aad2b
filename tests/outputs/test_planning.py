# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa.outputs.planning import PlannedComparison, lines
from garak_tbsa.statistics.kinds import FRESH_PROMPTS
from garak_tbsa.statistics.plan import Plan, Row
from garak_tbsa.statistics.trials import Change, Design
from tests.outputs.samples import mixed

if TYPE_CHECKING:
    from pathlib import Path


def design(prompts: float, generations: int, found: int) -> Design:
    return Design(
        prompts=prompts,
        generations=generations,
        outputs=1200,
        found=found,
        runs=80,
        lower=found / 80 - 0.1,
        upper=found / 80 + 0.1,
    )


def test_what_is_enough_and_what_is_not(tmp_path: Path) -> None:
    few, many = design(1.0, 100, 30), design(4.0, 2, 66)
    found = Plan(
        change=Change(score_drop=0.3, odds_factor=1.3946),
        alpha=0.05,
        repeat=FRESH_PROMPTS,
        correlation=0.1,
        is_measured=False,
        pairs=57,
        by_attempts=20,
        now=design(1.0, 1, 8),
        rows=(
            Row(prompts=1.0, enough=None, largest=few),
            Row(prompts=4.0, enough=many, largest=many),
        ),
    )
    assessment = mixed(tmp_path).assessment
    shown = lines(PlannedComparison(assessment=assessment, plan=found))
    assert all(len(line) < 80 for line in shown if assessment.report.source not in line)
    text = " ".join(" ".join(shown).split())
    for said in (
        "the score falls by 0.3 on average (in every pair, the odds of a hit are 1.39",
        "outputs) show it in this share of comparisons: 10 %, range under 1 % to 20 %",
        "For 80 % of comparisons to show it",
        "as many prompts: not with 100 generations (38 %, range 28 % to 48 %)",
        "four times as many prompts: 2 generations, 1,200 outputs (82 %, range 72 % to"
        " 92 %)",
        "different prompts in each scan; a correlation of 0.10 between outputs of one"
        " prompt, assumed, since this scan cannot show it; attempts of 20 of 57 pairs.",
        "Each share is of 80 simulated comparisons. Its range (90 %) allows for what",
    ):
        assert said in text
