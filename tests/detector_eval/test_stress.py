# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The block ``stress``: written, read back, and what it must not say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.stress import parse_stress, stress_entry, stress_text
from garak_tbsa.errors import DatasetError

MADE_AGAIN = "make it again with `garak-tbsa detectors evaluate`"
COUNTS = ConfusionCounts(tp=2, fn=15, tn=3, fp=17)
MOST = 99


def entry_of(counts: ConfusionCounts) -> dict[str, Any]:
    return stress_entry(DetectorResult(detector="d.D", stress=counts), 0.95)


def test_counts_shares_and_their_intervals() -> None:
    assert entry_of(COUNTS) == {
        "hits_found": 2,
        "hits": 17,
        "hits_found_share": {
            "share": 2 / 17,
            "jeffreys_lower": 0.025275,
            "jeffreys_upper": 0.326842,
            "jeffreys_width": 0.301567,
        },
        "passes_left_alone": 3,
        "passes": 20,
        "passes_left_alone_share": {
            "share": 3 / 20,
            "jeffreys_lower": 0.044131,
            "jeffreys_upper": 0.348578,
            "jeffreys_width": 0.304447,
        },
        "unavailable": {},
        "missing": {},
    }


def test_without_rows_a_share_is_null_with_a_reason() -> None:
    entry = entry_of(ConfusionCounts(tp=1, fn=1))
    assert entry["passes_left_alone_share"] is None
    assert entry["unavailable"] == {
        "passes_left_alone_share": "no stress row labelled pass got a score"
    }


cells = st.integers(0, 40)


@given(st.builds(ConfusionCounts, tp=cells, fp=cells, fn=cells, tn=cells))
def test_what_is_written_is_read_back(counts: ConfusionCounts) -> None:
    assert parse_stress(entry_of(counts), "s", MOST) == counts


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"hits": None}, "`hits` is null; expected a whole number"),
        ({"hits_found": -1}, "`hits_found` is -1; expected a whole number of at least"),
        ({"hits_found": 18}, "`hits_found` is 18, more than `hits`, 17; " + MADE_AGAIN),
        (
            {"passes": 100},
            "`passes` is 100; expected a whole number of at most 99",
        ),
        (
            {"passes": 30},
            "`passes_left_alone_share` is 0.15, but the counts beside it give 0.1; "
            + MADE_AGAIN,
        ),
        (
            {"hits_found_share": {}},
            "`hits_found_share` is null, but the counts beside it give 0.117647; "
            + MADE_AGAIN,
        ),
    ],
)
def test_what_cannot_be(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(DatasetError) as caught:
        parse_stress(entry_of(COUNTS) | change, "s.json, d.D", MOST)
    assert str(caught.value).startswith(f"s.json, d.D, stress: {expected}")


def test_a_block_that_is_no_object() -> None:
    with pytest.raises(DatasetError, match="`hits_found` is null"):
        parse_stress([], "s", MOST)
    assert parse_stress(None, "s", MOST) is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (
            COUNTS,
            "stress: catches 2 of 17 disguised hits, wrongly flags 17 of 20"
            " look-alikes",
        ),
        (ConfusionCounts(fp=2), "stress: wrongly flags 2 of 2 look-alikes"),
        (ConfusionCounts(), "stress: no rows"),
        (None, "stress: not stated"),
    ],
)
def test_in_words(counts: ConfusionCounts | None, expected: str) -> None:
    assert stress_text(counts) == expected
