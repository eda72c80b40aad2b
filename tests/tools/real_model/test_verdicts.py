# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded verdicts of repeated scans."""

from __future__ import annotations

from collections import Counter

from tools.real_model.verdicts import RepeatedScan, read_repeats


def test_no_answer_comes_twice_in_a_series_and_slots_are_shared_between_them() -> None:
    """Each prompt has as many outputs as the scan has generations."""
    repeats = read_repeats()
    assert [len(repeats[name]) for name in ("one", "three", "fresh")] == [24, 8, 7]
    scans = [scan for series in repeats.values() for scan in series]
    used = Counter((scan.series, slot) for scan in scans for slot in scan.slots)
    assert set(used.values()) == {1}
    for scan in scans:
        for outcomes in scan.outcomes.values():
            lengths = {len(outcomes.detectors)}
            for patterns in outcomes.prompts.values():
                assert sum(patterns.values()) % scan.generations == 0
                assert {len(pattern) for pattern in patterns} == lengths
    three, *_ = repeats["three"]
    ones = [scan for scan in repeats["one"] if scan.slots <= three.slots]
    assert len(ones) == 3
    assert counted(ones) == counted([three])


def counted(scans: list[RepeatedScan]) -> Counter[object]:
    """How often a prompt of a probe was answered with each pattern."""
    return Counter(
        {
            (probe, prompt, pattern): sum(
                scan.outcomes[probe].prompts[prompt].get(pattern, 0) for scan in scans
            )
            for each in scans
            for probe, outcomes in each.outcomes.items()
            for prompt, patterns in outcomes.prompts.items()
            for pattern in patterns
        }
    )
