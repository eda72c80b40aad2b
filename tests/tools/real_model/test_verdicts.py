# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded verdicts of repeated scans."""

from __future__ import annotations

from collections import Counter

import pytest

from tools.real_model.verdicts import RealRepeats, read_repeats


@pytest.fixture(scope="module")
def repeats() -> RealRepeats:
    return read_repeats()


def test_no_answer_comes_twice_in_a_series(repeats: RealRepeats) -> None:
    """Within a series no answer is used twice."""
    used = Counter((scan.series, slot) for scan in repeats.scans for slot in scan.slots)
    assert set(used.values()) == {1}
    assert [len(repeats.of(name)) for name in ("one", "three", "fresh")] == [24, 8, 7]


def test_each_prompt_has_as_many_outputs_as_the_scan_generations(
    repeats: RealRepeats,
) -> None:
    for scan in repeats.scans:
        for outcomes in scan.outcomes.values():
            for patterns in outcomes.prompts.values():
                assert sum(patterns.values()) % scan.generations == 0
                assert {len(pattern) for pattern in patterns} == {
                    len(outcomes.detectors)
                }


def test_scans_with_one_seed_share_the_answers_of_a_slot(repeats: RealRepeats) -> None:
    three, *_ = repeats.of("three")
    ones = [scan for scan in repeats.of("one") if scan.slots <= three.slots]
    assert len(ones) == 3
    together: Counter[object] = Counter()
    for scan in ones:
        for probe, outcomes in scan.outcomes.items():
            for prompt, patterns in outcomes.prompts.items():
                for pattern, times in patterns.items():
                    together[probe, prompt, pattern] += times
    assert together == {
        (probe, prompt, pattern): times
        for probe, outcomes in three.outcomes.items()
        for prompt, patterns in outcomes.prompts.items()
        for pattern, times in patterns.items()
    }
