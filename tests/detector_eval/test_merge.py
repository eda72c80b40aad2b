# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary merged into one that garak keeps, and what may be replaced there."""

from __future__ import annotations

import pytest
from garak_tbsa.detector_eval.merge import merged_summary, refusal

from tests.behaviour.labelled import summary_of

NEW = summary_of({"a.New": (27, 3, 3, 27)})


@pytest.mark.parametrize(
    ("hits", "passes", "is_enough"),
    [
        *((20, 20, True), (20, 30, True), (30, 20, True)),
        *((19, 30, False), (30, 19, False), (0, 0, False)),
    ],
)
def test_twenty_rows_of_each_label_are_needed(
    hits: int, passes: int, is_enough: bool
) -> None:
    assert (refusal(hits, passes) is None) == is_enough


def test_into_a_file_without_metrics_ours_go_alone() -> None:
    merged = merged_summary(NEW, {"results": {}, "metadata": {}}, ["a.New"])
    assert merged.document["results"] == NEW["results"]
    assert merged.document["metadata"] == NEW["metadata"] | {"kept": []}
    assert list(merged.lines()) == ["  new: a.New"]


def test_which_rows_made_the_metrics_is_said_only_where_it_holds_of_all() -> None:
    old = summary_of({"a.Kept": (1, 1, 1, 1), "a.New": (1, 1, 1, 1)})
    merged = merged_summary(NEW, old, ["a.New"]).document
    assert merged["metadata"]["metrics_rows"] == "typical"
    del old["metadata"]["metrics_rows"]
    merged = merged_summary(NEW, old, ["a.New"]).document
    assert "metrics_rows" not in merged["metadata"]
    assert merged["metadata"]["kept"] == ["a.Kept"]
    del old["results"]["a.Kept"]
    merged = merged_summary(NEW, old, ["a.New"]).document
    assert merged["metadata"]["metrics_rows"] == "typical"
