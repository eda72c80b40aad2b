# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How many outputs a change takes, held against what is known of simple cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from garak_tbsa import GarakTbsaError
from garak_tbsa.statistics.exchange import NO_ATTEMPTS
from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.plan import FEWER, GENERATIONS, Plan, _row, plan
from garak_tbsa.statistics.trials import ENOUGH, Change, Design, Size
from garak_tbsa.tbsa.assessment import Assessment
from tests.factories import assessment_of, pairs_named, report_rows, write_report
from tests.outputs.samples import uncounted_rows


def scored(
    folder: Path, *facts: tuple[int, int, int], generations: int = 1
) -> Assessment:
    pairs = pairs_named(*facts)
    rows = report_rows(pairs, setup={"run.generations": generations})
    return assessment_of(write_report(folder / "r.report.jsonl", rows), pairs)


def planned(scan: Assessment, change: Change) -> Plan:
    return plan(scan, NO_ATTEMPTS, change, alpha=0.05, repeat=SAME_PROMPTS, seed=1)


def test_more_outputs_find_what_few_do_not(tmp_path: Path) -> None:
    """The same seed gives the same plan, and a larger drop never takes more."""
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
    assert planned(scan, Change(pair=name, rate_drop=0.4)) == found
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


def foretold(is_enough: Callable[[int], bool]) -> Callable[[Size], Design]:
    """Designs whose outcome is known beforehand."""

    def design(size: Size) -> Design:
        prompts, generations = size
        return Design(
            prompts=prompts,
            generations=generations,
            outputs=1,
            found=100 * is_enough(generations),
            runs=100,
            lower=0.0,
            upper=1.0,
        )

    return design


@pytest.mark.parametrize("needed", [*GENERATIONS, 101])
def test_every_number_of_generations_is_within_reach_of_the_search(
    needed: int,
) -> None:
    asked = []

    def is_enough(generations: int) -> bool:
        asked.append(generations)
        return generations >= needed

    row = _row(1.0, foretold(is_enough))
    assert (row.enough and row.enough.generations) == (
        needed if needed <= 100 else None
    )
    assert row.largest.generations == max(asked)
    assert len(asked) <= len(GENERATIONS).bit_length()


def test_scans_as_large_as_this_one_have_its_generations(tmp_path: Path) -> None:
    """A probe of one prompt with more outputs than that says nothing of the others."""
    scan = scored(tmp_path, (1, 40, 50), (1, 30, 50), (2, 6, 7), generations=5)
    found = planned(scan, Change(pair=scan.graded[0].name, rate_drop=0.4))
    assert found.now.generations == 5
    # the largest scan takes no longer
    scan = scored(tmp_path, (1, 300_000_000, 400_000_000), (2, 1, 2))
    found = planned(scan, Change(pair=scan.graded[0].name, rate_drop=0.4))
    assert found.now.share == 1.0


def test_what_cannot_be_planned_says_why(tmp_path: Path) -> None:
    """A score cannot fall below 1, and without counts no scan can be drawn."""
    scan = scored(tmp_path, (1, 8, 10), (2, 9, 10))
    with pytest.raises(
        GarakTbsaError,
        match=r"like this one score [34]\.\d on average,"
        r" which cannot fall by 3\.9 to 1\.0 or more",
    ):
        planned(scan, Change(score_drop=3.9))
    scan = assessment_of(write_report(tmp_path / "r", uncounted_rows()))
    with pytest.raises(GarakTbsaError) as error:
        planned(scan, Change(score_drop=0.3))
    assert str(error.value) == (
        f"{scan.report.source}: its pairs have no counts, from which other scans could"
        " be drawn; give a report with eval rows or by garak 0.14 or later"
    )
