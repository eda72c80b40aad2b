# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which values the gates take, from the command line and from garak's settings."""

from __future__ import annotations

import pytest

from garak_tbsa.errors import UsageError
from garak_tbsa.gates.options import GATE_OPTIONS, GATES, level_in_words, rules_of

BY_NAME = {option.name: option for option in GATE_OPTIONS}


def test_the_level_of_significance_asks_for_no_judgement() -> None:
    assert GATES == (
        "fail_under",
        "sure",
        "require_tier1_grade",
        "min_coverage",
        "baseline",
    )


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("fail_under", "1", 1.0),
        ("fail_under", "5.0", 5.0),
        ("sure", "0.5", 0.5),
        ("sure", "0.999", 0.999),
        ("require_tier1_grade", "1", 1),
        ("require_tier1_grade", "5", 5),
        ("min_coverage", "0", 0.0),
        ("min_coverage", "1", 1.0),
        ("baseline", "a.report.jsonl", "a.report.jsonl"),
        ("alpha", "0.01", 0.01),
    ],
)
def test_the_ends_of_each_range_are_in_it(
    name: str, text: str, value: float | str
) -> None:
    found = BY_NAME[name].from_text(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("fail_under", 0.9, "expected a number from 1 to 5, found 0.9"),
        ("fail_under", 5.1, "expected a number from 1 to 5, found 5.1"),
        ("fail_under", True, "expected a number from 1 to 5, found True"),
        ("fail_under", "3", "expected a number from 1 to 5, found '3'"),
        ("fail_under", float("nan"), "expected a number from 1 to 5, found nan"),
        ("sure", 1, "expected a number from 0.5 to 0.999, found 1"),
        ("require_tier1_grade", 2.5, "expected a whole number from 1 to 5, found 2.5"),
        ("require_tier1_grade", 0, "expected a whole number from 1 to 5, found 0"),
        ("min_coverage", -0.1, "expected a number from 0 to 1, found -0.1"),
        ("baseline", "", "expected a report's path, found ''"),
        ("baseline", 3, "expected a report's path, found 3"),
    ],
)
def test_what_a_setting_may_not_be(name: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        rules_of({name: value})
    assert str(caught.value) == f"{name}: {expected}"


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
