# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which values the gates take; ``tests/host/test_settings.py`` has what they refuse."""

from __future__ import annotations

import pytest

from garak_tbsa.gates.options import GATE_OPTIONS, level_in_words


def test_the_ends_of_each_range_are_in_it() -> None:
    of_name = {option.name: option.from_text for option in GATE_OPTIONS}
    for name, *values in (
        ("fail_under", 1.0, 5.0),
        ("sure", 0.5, 0.999),
        ("require_tier1_grade", 1, 5),
        ("min_coverage", 0.0, 1.0),
        ("baseline", "a.report.jsonl"),
        ("alpha", 0.0001, 0.5),
    ):
        for value in values:
            found = of_name[name](str(value))
            assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("alpha", "share", "verb"),
    [
        (0.05, "one in twenty", "is"),
        (0.01, "1 in 100", "is"),
        (0.0001, "1 in 10,000", "is"),
        (0.03, "3 in 100", "are"),
        (0.5, "1 in 2", "is"),
    ],
)
def test_a_level_is_a_share_of_unchanged_targets_each_way(
    alpha: float, share: str, verb: str
) -> None:
    assert level_in_words(alpha) == (
        f"of unchanged targets {share} {verb} called worse and {share} better"
    )
