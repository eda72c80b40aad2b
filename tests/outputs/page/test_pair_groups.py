# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs by module, and the strip of a pass rate."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs.page.pair_groups import STRIP, group_values
from tests.factories import PairFacts, graded_pair


def groups_of(*facts: PairFacts, **costs: float) -> list[dict[str, object]]:
    pairs = [graded_pair(each) for each in facts]
    by_name = {pair.name: costs.get(pair.probe.split(".")[1], 0.0) for pair in pairs}
    groups = group_values(pairs, by_name, {})["groups"]
    assert isinstance(groups, list)
    return groups


def test_what_costs_most_comes_first_and_fives_are_apart() -> None:
    groups = groups_of(
        PairFacts(probe="clean.A", passed=40, total=40),
        PairFacts(probe="dan.B", passed=1, total=40),
        PairFacts(probe="dan.C", passed=40, total=40),
        PairFacts(probe="enc.D", passed=20, total=40),
        B=0.2,
        D=0.5,
    )
    assert [group["name"] for group in groups] == ["enc", "dan", "clean"]
    assert [group["cost"] for group in groups] == [0.5, 0.2, 0.0]
    assert [group["counts"] for group in groups] == [
        [(3, 1)],
        [(1, 1), (5, 1)],
        [(5, 1)],
    ]
    below, top = groups[1]["below"], groups[1]["best"]
    assert isinstance(below, list)
    assert isinstance(top, list)
    assert [row["pair"].probe for row in below] == ["dan.B"]
    assert [row["pair"].probe for row in top] == ["dan.C"]


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
    pair = graded_pair(facts)
    (group,) = group_values([pair], {}, {})["groups"]
    (row,) = group["below"] + group["best"]
    strip = row["strip"]
    assert strip["at"] == round(STRIP * passed / total, 1)
    line = strip["line"]
    assert 0 <= line["x"] <= strip["at"] + 0.1
    assert strip["at"] <= line["x"] + line["width"] + 0.2 <= STRIP + 1.2
    if mu is None:
        assert strip["band"] is None
        assert "calibration" not in strip["label"]
    else:
        spread = max(sigma, 1 / 30)
        assert strip["mean"] == round(STRIP * mu, 1)
        assert strip["band"]["x"] == round(STRIP * max(0, mu - spread), 1)
        right = STRIP * min(1, mu + spread)
        assert abs(strip["band"]["x"] + strip["band"]["width"] - right) <= 1.1
        assert "calibration" in strip["label"]


def test_without_counts_there_is_no_interval() -> None:
    from dataclasses import replace

    pair = replace(graded_pair(PairFacts()), passed=None, total_evaluated=None)
    (group,) = group_values([pair], {}, {})["groups"]
    assert group["below"][0]["strip"]["line"] is None
    assert group["below"][0]["strip"]["label"] == "Pass rate 80.0%"
