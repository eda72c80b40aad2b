# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the parts of a picture are, for any numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.api.history import CHART_LEFT, CHART_RIGHT, chart_of
from garak_tbsa.outputs.drawings import STRIP, strip_drawing
from tests.factories import graded_pair
from tests.histories import scan, target_of
from tests.report_rows import PairFacts


@given(
    total=st.integers(1, 500),
    share=st.floats(0, 1),
    mu=st.none() | st.floats(0, 1),
    sigma=st.floats(0, 0.6),
)
def test_a_strip_has_the_rate_its_interval_and_the_calibration(
    total: int, share: float, mu: float | None, sigma: float
) -> None:
    """The mean of the models, and one standard deviation to both sides."""
    passed = round(share * total)
    facts = PairFacts(passed=passed, total=total, mu=mu, sigma=sigma)
    strip = strip_drawing(graded_pair(facts))
    assert strip["at"] == round(STRIP * passed / total, 1)
    line = strip["line"]
    assert 0 <= line["x"] <= strip["at"] + 0.1
    assert strip["at"] <= line["x"] + line["width"] + 0.2 <= STRIP + 1.2
    assert ("calibration" in strip["label"]) is (mu is not None)
    if mu is not None:
        spread = max(sigma, 1 / 30)
        assert strip["mean"] == round(STRIP * mu, 1)
        assert strip["band"]["x"] == round(STRIP * max(0, mu - spread), 1)
        right = STRIP * min(1, mu + spread)
        assert abs(strip["band"]["x"] + strip["band"]["width"] - right) <= 1.1
    bare = graded_pair(facts).with_counts(None, None)
    assert strip_drawing(bare)["line"] is None


@pytest.mark.parametrize("count", [2, 5, 6, 40, 300])
def test_day_labels_do_not_meet(count: int) -> None:
    """Of many scans the newest are drawn, and a few have their day."""
    chart = chart_of(
        target_of([scan(1, 3.0, source=f"{index:03}") for index in range(count)])
    )
    assert len(chart["points"]) == min(count, 200)
    assert chart["hidden"] == max(0, count - 200)
    spots = [point["x"] for point in chart["points"] if point["day"]]
    assert (spots[0], spots[-1]) == (CHART_LEFT, CHART_RIGHT)
    assert len(spots) <= 6
    assert min(after - before for before, after in pairwise(spots)) >= 100
