# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Each output is as likely as another; ``tests/cli`` has the sheets."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.labels.label_sheet import even_shares, evenly_drawn
from garak_tbsa.labels.scan import ScanOutputs
from tests.labels.scans import attempt, outputs_of_attempts


def outputs(**flagged: int) -> ScanOutputs:
    """100 outputs of each probe, by dan.DAN; as many flagged as are given."""
    return outputs_of_attempts(
        *(
            attempt(
                f"{probe}-{number}",
                {"dan.DAN": [float(number < hits)], "a.B": [None]},
                probe=f"dan.{probe}",
                outputs=1,
            )
            for probe, hits in flagged.items()
            for number in range(100)
        )
    )


def test_for_detectors_every_output_of_a_verdict_is_as_likely() -> None:
    """The draw within a verdict is random, of whichever pair."""
    scan = outputs(A=20, B=20)
    drawn: Counter[str] = Counter()
    for seed in range(200):
        for question in evenly_drawn(scan, 20, seed=seed):
            if int(question.place.attempt.split("-")[1]) < 20:
                drawn[question.place.attempt] += 1
    # 200 draws of 10 from 40: 50 each, standard deviation 6.1
    assert len(drawn) == 40
    assert all(abs(count - 50) < 4 * 6.1 for count in drawn.values())


@settings(max_examples=60)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=9), st.integers(0, 200))
def test_no_group_lacks_what_another_has_too_much_of(
    sizes: list[int], count: int
) -> None:
    """As many as asked for or all; shares differ by more than one only for want."""
    shares = even_shares(sizes, count)
    assert sum(shares) == min(count, sum(sizes))
    for share, size in zip(shares, sizes, strict=True):
        assert 0 <= share <= size
        assert share == size or share >= max(shares) - 1
