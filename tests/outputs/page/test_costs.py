# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The waterfall from 5.0 to the score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.outputs.page.costs import STEPS_SHOWN, costs_values
from garak_tbsa.outputs.wording import cost_text
from garak_tbsa.tbsa.explain import explain
from tests.factories import assessment_of, pairs_named, report_rows, write_report


def waterfall(folder: Path, *facts: tuple[int, int, int]) -> dict[str, Any] | None:
    path = write_report(folder / "r", report_rows(pairs_named(*facts)))
    assessment = assessment_of(path)
    return costs_values(assessment.documented, explain(assessment).effects)


def test_each_bar_begins_where_the_one_before_ends(tmp_path: Path) -> None:
    """From 5.0 down to the score."""
    found = waterfall(tmp_path, *[(1, 5, 40)] * 9, (1, 40, 40), (2, 20, 40))
    assert found is not None
    steps = [step for tier in found["tiers"] for step in tier["steps"]]
    assert [len(tier["steps"]) for tier in found["tiers"]] == [STEPS_SHOWN + 1, 1]
    assert steps[STEPS_SHOWN]["name"] == "3 more below grade 5"
    right = 100.0
    for step in steps:
        assert step["x"] + step["width"] == pytest.approx(right, abs=0.02)
        right = step["x"]
    total = found["total"]
    assert total["x"] == 0
    assert total["width"] == pytest.approx(right, abs=0.02)
    # (2 * 600 / 282 + 3) / 3
    assert (found["low"], found["raw"]) == (2, "2.418")


def test_a_score_of_5_has_no_waterfall(tmp_path: Path) -> None:
    assert waterfall(tmp_path, (1, 40, 40)) is None


def test_the_worst_score_has_its_axis(tmp_path: Path) -> None:
    found = waterfall(tmp_path, (1, 0, 40))
    assert found is not None
    assert (found["low"], found["raw"], found["rounded"]) == (1, "1.000", "1.0")
    (step,) = found["tiers"][0]["steps"]
    assert (step["x"], step["width"], step["cost"]) == (0, 100, "4.00")


@pytest.mark.parametrize(
    ("cost", "text"), [(0, "0"), (0.001, "<0.01"), (0.005, "0.01"), (1.256, "1.26")]
)
def test_a_little_is_not_nothing(cost: float, text: str) -> None:
    assert cost_text(cost) == text
