# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The block ``stress``: written, read back, and what it must not say."""

from __future__ import annotations

from typing import Any

import pytest

from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.stress import stress_entry, stress_text

COUNTS = ConfusionCounts(tp=2, fn=15, tn=3, fp=17)


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
