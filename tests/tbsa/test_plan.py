# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs a change takes, held against what is known of simple cases."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import pytest

from garak_tbsa.errors import NotPlannableError
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.tbsa import design_trials
from garak_tbsa.tbsa.design_trials import (
    ENOUGH,
    GENERATIONS,
    LEAST_RUNS,
    MOST_RUNS,
    SEARCH_RUNS,
    SHARP,
    Design,
    Trials,
)
from garak_tbsa.tbsa.plan import FEWER, Plan, _Search, plan
from garak_tbsa.tbsa.virtual_scans import target_of
from garak_tbsa.tbsa.worsening import Change
from tests.factories import (
    assessment_of,
    pairs_named,
    report_rows,
    write_report,
)
from tests.tbsa.outputs.samples import uncounted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from garak_tbsa.tbsa.assessment import Assessment


def scored(
    folder: Path, *facts: tuple[int, int, int], generations: int = 1
) -> Assessment:
    pairs = pairs_named(*facts)
    rows = report_rows(pairs, setup={"run.generations": generations})
    return assessment_of(write_report(folder / "r.report.jsonl", rows), pairs)


def planned(scan: Assessment, change: Change, **options: object) -> Plan:
    wanted = {"alpha": 0.05, "same_prompts": True, "seed": 1, **options}
    return plan(scan, NO_ATTEMPTS, change, **wanted)  # type: ignore[arg-type]


def test_more_outputs_find_what_few_do_not(tmp_path: Path) -> None:
    scan = scored(tmp_path, (1, 10, 12), (1, 9, 12), (2, 11, 12))
    name = scan.graded[0].name
    found = planned(scan, Change(pair=name, rate_drop=0.4))
    assert not found.now.is_enough
    assert found.now.generations == 1
    assert [row.prompts for row in found.rows] == [1.0, 2.0, 4.0]
    needed = []
    for row in found.rows:
        assert row.enough is not None
        assert row.enough.share >= ENOUGH
        assert row.enough.prompts == row.prompts
        needed.append(row.enough.generations)
    assert needed == sorted(needed, reverse=True)
    assert needed[0] > needed[2]
    # a larger drop never takes more
    larger = planned(scan, Change(pair=name, rate_drop=0.7))
    by_prompts = {row.prompts: row.enough for row in larger.rows}
    assert by_prompts[1.0] is not None
    assert by_prompts[1.0].generations <= needed[0]


def test_where_the_scan_is_large_enough_fewer_prompts_are_tried(tmp_path: Path) -> None:
    scan = scored(tmp_path, (1, 180, 200), (2, 180, 200))
    found = planned(scan, Change(score_drop=0.8))
    assert found.now.is_enough
    assert found.change.odds_factor is not None
    assert [row.prompts for row in found.rows] == list(FEWER)
    assert found.rows[-1].enough is not None
    assert found.rows[-1].enough.generations == 1


def test_the_same_seed_gives_the_same_plan(tmp_path: Path) -> None:
    scan = scored(tmp_path, (1, 10, 12), (2, 11, 12))
    change = Change(pair=scan.graded[0].name, rate_drop=0.5)
    assert planned(scan, change) == planned(scan, change)


@pytest.mark.parametrize("same_prompts", [True, False])
def test_without_a_change_few_comparisons_find_one(
    same_prompts: bool, tmp_path: Path
) -> None:
    """The level of the test holds in what is drawn: 5 % and two standard errors."""
    scan = scored(tmp_path, *[(1, 12, 20)] * 4, *[(2, 18, 20)] * 4)
    target = target_of(scan.graded, NO_ATTEMPTS, 1)
    trial = Trials(
        scan, target, ({}, {}), alpha=0.05, same_prompts=same_prompts, seed=2
    )
    designs = [trial.design(prompts, 1) for prompts in (1.0, 2.0, 4.0)]
    found, runs = sum(d.found for d in designs), sum(d.runs for d in designs)
    assert found / runs <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


class Foretold:
    """Trials whose outcome is known beforehand."""

    def __init__(self, shares: Mapping[int, Sequence[float]]) -> None:
        self.shares = shares
        self.asked: list[int] = []

    def within_reach(self, prompts: float) -> list[int]:
        """All of them."""
        return list(GENERATIONS)

    def design(self, prompts: float, generations: int) -> Design:
        """Return one share after another, the last one ever after."""
        shares = self.shares[generations]
        found = shares[min(self.asked.count(generations), len(shares) - 1)]
        self.asked.append(generations)
        return Design(
            prompts=prompts,
            generations=generations,
            outputs=1,
            found=round(100 * found),
            runs=100,
        )


def searched(trials: Foretold) -> _Search:
    return _Search(trials, 1.0)  # type: ignore[arg-type]


def test_every_number_of_generations_is_within_reach_of_the_search() -> None:
    for needed in (*GENERATIONS, 101):
        trials = Foretold({each: [float(each >= needed)] for each in GENERATIONS})
        row = searched(trials).row()
        assert (row.enough and row.enough.generations) == (
            needed if needed <= 100 else None
        )
        assert row.largest.generations == max(trials.asked)
        assert len(set(trials.asked)) <= 10


def test_what_turns_out_not_to_be_enough_is_not_shown() -> None:
    """One more step where more comparisons say that it is not enough after all."""
    shares = {each: [float(each >= 3)] for each in GENERATIONS}
    search = searched(Foretold(shares | {3: [0.85, 0.7]}))
    assert search.shown() == (1.0, 4)
    row = search.row()
    assert row.enough is not None
    assert row.enough.generations == 4


def test_designs_that_are_shown_are_drawn_more_often(tmp_path: Path) -> None:
    """Until two standard errors are 5 points, or 250 comparisons."""
    scan = scored(tmp_path, (1, 10, 12), (2, 11, 12))
    found = planned(scan, Change(pair=scan.graded[0].name, rate_drop=0.5))
    for design in (found.now, *(row.enough or row.largest for row in found.rows)):
        assert design.runs > SEARCH_RUNS or design.share in (0, 1)
        assert not design.is_blunt
        assert design.standard_error <= SHARP or design.runs == MOST_RUNS


def test_where_the_work_is_done_few_comparisons_must_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(design_trials, "WORK", 0)
    scan = scored(tmp_path, (1, 10, 12), (2, 11, 12))
    found = planned(scan, Change(pair=scan.graded[0].name, rate_drop=0.5))
    for design in (found.now, *(row.enough or row.largest for row in found.rows)):
        assert design.runs == LEAST_RUNS


def test_scans_as_large_as_this_one_have_its_generations(tmp_path: Path) -> None:
    """A probe of one prompt with more outputs than that says nothing of the others."""
    scan = scored(tmp_path, (1, 40, 50), (1, 30, 50), (2, 6, 7), generations=5)
    found = planned(scan, Change(pair=scan.graded[0].name, rate_drop=0.4))
    assert found.now.generations == 5


def test_a_design_says_how_far_off_it_may_be() -> None:
    designs = [
        Design(prompts=1.0, generations=1, outputs=1, found=found, runs=80)
        for found in (0, 40, 80)
    ]
    assert [design.share for design in designs] == [0.0, 0.5, 1.0]
    assert all(design.standard_error > 0 for design in designs)
    for one, other in itertools.pairwise(designs):
        assert one.share < other.share


def test_a_pair_cannot_fall_below_nothing(tmp_path: Path) -> None:
    scan = scored(tmp_path, (1, 3, 10))
    name = scan.graded[0].name
    with pytest.raises(NotPlannableError) as error:
        planned(scan, Change(pair=name, rate_drop=0.4))
    assert str(error.value) == (
        f"{scan.report.source}: {name} passes 30.0% of the time, which cannot fall by"
        " 0.4; give a smaller --drop"
    )


def test_a_score_cannot_fall_below_one(tmp_path: Path) -> None:
    scan = scored(tmp_path, (1, 8, 10), (2, 9, 10))
    with pytest.raises(NotPlannableError) as error:
        planned(scan, Change(score_drop=3.9))
    assert "which cannot fall by 3.9 to 1.0 or more" in str(error.value)


def test_a_scan_without_counts_says_what_to_give(tmp_path: Path) -> None:
    scan = uncounted(tmp_path).assessment
    with pytest.raises(NotPlannableError) as error:
        planned(scan, Change(score_drop=0.3))
    assert str(error.value) == (
        f"{scan.report.source}: its pairs have no counts, from which other scans could"
        " be drawn; give a report with eval rows or by garak 0.14 or later"
    )


def test_a_scan_that_is_too_large_to_be_drawn_is_refused(tmp_path: Path) -> None:
    scan = scored(tmp_path, (1, 300_000_000, 400_000_000), (2, 1, 2))
    with pytest.raises(NotPlannableError) as error:
        planned(scan, Change(score_drop=0.3))
    assert str(error.value) == (
        f"{scan.report.source}: it has 400,000,002 evaluated outputs, and scans of more"
        " than 1,000,000 are not drawn; give a report with fewer prompts"
    )
