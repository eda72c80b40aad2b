# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""As many hits as passes: the larger class, down-sampled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.balancing import balanced
from garak_tbsa.detector_eval.dataset import DetectorRows
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from tests.detector_eval.rows import labelled


def kept(rows: list[LabelledRow], seed: int) -> list[LabelledRow]:
    given = DetectorRows(detector="dan.DAN", count=len(rows), read=lambda: iter(rows))
    found = balanced(given, seed)
    assert len(found) == len(list(found))
    return list(found)


@given(
    labels=st.lists(st.sampled_from(["hit", "pass"]), min_size=1, max_size=40),
    seed=st.integers(0, 10),
)
def test_balancing_keeps_the_smaller_class_whole(
    labels: list[Label], seed: int
) -> None:
    """Down-sample the larger class, seeded."""
    rows = [labelled(label, id=str(number)) for number, label in enumerate(labels)]
    smaller = min(labels.count("hit"), labels.count("pass"))
    found = kept(rows, seed)
    for label in ("hit", "pass"):
        of_label = [row for row in rows if row.label == label]
        stays = [row for row in found if row.label == label]
        if smaller in (0, len(of_label)):
            assert stays == of_label
        else:
            assert len(stays) == smaller
    assert kept(rows, seed) == found


def test_balancing_depends_on_the_seed() -> None:
    rows = [labelled("hit", id=str(number)) for number in range(50)]
    drawn = {kept([*rows, labelled("pass")], seed)[0].id for seed in range(20)}
    assert len(drawn) > 5


def test_stress_rows_all_stay() -> None:
    """Typical rows are balanced among themselves."""
    rows = [labelled("hit" if number < 8 else "pass") for number in range(10)]
    stress = [labelled("hit", id=f"s{number}", why="so") for number in range(5)]
    found = kept([*rows, *stress], 1)
    assert [row.label for row in found if not row.is_stress].count("hit") == 2
    assert [row for row in found if row.is_stress] == stress
