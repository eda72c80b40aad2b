# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""As many hits as passes: the larger class, down-sampled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.balancing import balanced
from garak_tbsa.detector_eval.dataset import (
    DetectorRows,
    check_sources,
    read_rows,
)
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.row_parser import DatasetOptions
from garak_tbsa.detector_eval.sources import find_sources
from tests.detector_eval.rows import write_records

OPTIONS = DatasetOptions(word_list=lambda name: ["darn"])


def rows_of(folder: Path, labels: list[str]) -> DetectorRows:
    records = [
        {"id": str(number), "output": "", "label": label}
        for number, label in enumerate(labels)
    ]
    sources = find_sources([write_records(folder, records)], known=lambda name: True)
    return check_sources(sources, OPTIONS, scratch=str(folder))["dan.DAN"]


def read_balanced(rows: DetectorRows, seed: int) -> list[LabelledRow]:
    fewer, keep = balanced(rows, seed)
    read = read_rows(rows, OPTIONS)
    kept = list(read if keep is None else keep.of(read))
    assert fewer.count == len(kept)
    return kept


@settings(max_examples=30)
@given(
    labels=st.lists(st.sampled_from(["hit", "pass"]), min_size=1, max_size=40),
    seed=st.integers(0, 10),
)
def test_balancing_keeps_the_smaller_class_whole(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], seed: int
) -> None:
    """Down-sample the larger class, seeded."""
    rows = rows_of(tmp_path_factory.mktemp("balance"), labels)
    smaller = min(labels.count("hit"), labels.count("pass"))
    read = read_balanced(rows, seed)
    for label in ("hit", "pass"):
        found = [each.id for each in read if each.label == label]
        if smaller == 0 or labels.count(label) == smaller:
            assert found == [str(n) for n, other in enumerate(labels) if other == label]
        else:
            assert len(found) == smaller
    assert read_balanced(rows, seed) == read


def test_balancing_depends_on_the_seed(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, ["hit"] * 50 + ["pass"])
    drawn = {read_balanced(rows, seed)[0].id for seed in range(20)}
    assert len(drawn) > 5


def test_stress_rows_all_stay(tmp_path: Path) -> None:
    """Typical rows are balanced among themselves."""
    records = [
        {"id": f"t{number}", "output": "", "label": "hit" if number < 8 else "pass"}
        for number in range(10)
    ]
    records += [
        {"id": f"s{number}", "output": "", "label": "hit", "why": "made so"}
        for number in range(5)
    ]
    sources = find_sources([write_records(tmp_path, records)], known=lambda name: True)
    rows = check_sources(sources, OPTIONS, scratch=str(tmp_path))["dan.DAN"]
    assert (rows.hits, rows.passes, rows.stress, rows.count) == (8, 2, 5, 15)
    kept = read_balanced(rows, 1)
    assert [row.label for row in kept if not row.is_stress].count("hit") == 2
    assert [row.id for row in kept if row.is_stress] == [f"s{n}" for n in range(5)]
