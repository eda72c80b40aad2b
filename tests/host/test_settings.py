# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import UsageError
from garak_tbsa.gates.options import (
    GATE_OPTIONS,
    GATES,
    GateRules,
    asks_for_gate,
    level_in_words,
)
from garak_tbsa.host.settings import (
    KNOWN,
    OUTPUTS,
    AfterScanSettings,
    read_settings,
)

VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-1, 6)
    | st.floats(allow_nan=True)
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)


def test_what_is_set_counts_and_nothing_set_means_text_and_json() -> None:
    for raw in (None, True, {}, dict.fromkeys(GATES)):
        assert read_settings(raw) == AfterScanSettings(outputs=("json",))
        assert not asks_for_gate(raw)
    assert not read_settings(None).rules.asks_something
    assert read_settings(False) == AfterScanSettings(enabled=False)
    rules = {"sure": 0.95, "baseline": "last.report.jsonl", "github": True}
    forms = {"json": False, "html": True, "markdown": True}
    others = {"repeat": "fresh-prompts", "fail_under": 3, "time_limit": 86_400}
    given = {**rules, **forms, **others}
    assert read_settings(given) == AfterScanSettings(
        outputs=("html", "markdown"),
        rules=GateRules(
            fail_under=3.0, sure=0.95, baseline="last.report.jsonl", github=True
        ),
        repeat="fresh-prompts",
        time_limit=86_400.0,
    )


NUMBER = "expected a number from 1 to 5, found"
WHOLE = "expected a whole number from 1 to 5, found"
ERRORS = [
    # settings, and what is told behind reporting.tbsa
    ("x" * 58, f": expected settings such as fail_under: 3.5, found '{'x' * 58}'"),
    ("x" * 70, f": expected settings such as fail_under: 3.5, found '{'x' * 59}..."),
    ({"fail-under": 3}, ".fail-under: not a setting (did you mean fail_under?)"),
    ({"Min-Coverage": 1}, ".Min-Coverage: not a setting (did you mean min_coverage?)"),
    (
        {"pdf": True},
        ".pdf: not a setting; expected one of enabled, json, html, markdown, junit,"
        " sarif, evidence, repeat, time_limit, fail_under, sure, require_tier1_grade,"
        " min_coverage, baseline, baseline_optional, alpha, max_undetectable,"
        " constant_target, github",
    ),
    ({"enabled": "no"}, ".enabled: expected true or false, found 'no'"),
    ({"html": 0}, ".html: expected true or false, found 0"),
    ({"fail_under": 0.9}, f".fail_under: {NUMBER} 0.9"),
    ({"fail_under": 5.1}, f".fail_under: {NUMBER} 5.1"),
    ({"fail_under": "3"}, f".fail_under: {NUMBER} '3'"),
    ({"fail_under": True}, f".fail_under: {NUMBER} True"),
    ({"fail_under": float("nan")}, f".fail_under: {NUMBER} nan"),
    ({"fail_under": defaultdict(dict)}, f".fail_under: {NUMBER} a mapping"),
    ({"fail_under": 10**5000}, f".fail_under: {NUMBER} a number of too many digits"),
    (
        {"baseline_optional": True, "fail_under": 3},
        ".baseline_optional has no effect without baseline; give that too",
    ),
    (
        {"sure": 0.9, "baseline": "last.report.jsonl"},
        ".sure has no effect without fail_under or require_tier1_grade; give that too",
    ),
    (
        {"alpha": 0.01, "fail_under": 3},
        ".alpha has no effect without baseline; give that too",
    ),
    ({"sure": 1}, ".sure: expected a number from 0.5 to 0.999, found 1"),
    ({"require_tier1_grade": 2.5}, f".require_tier1_grade: {WHOLE} 2.5"),
    ({"require_tier1_grade": 0}, f".require_tier1_grade: {WHOLE} 0"),
    (
        {"min_coverage": -0.1},
        ".min_coverage: expected a number from 0 to 1, found -0.1",
    ),
    ({"alpha": 2}, ".alpha: expected a number from 0.0001 to 0.5, found 2"),
    ({"baseline": ""}, ".baseline: expected a report's path, found ''"),
    ({"baseline": 3}, ".baseline: expected a report's path, found 3"),
    ({"github": 1}, ".github: expected true or false, found 1"),
    (
        {"repeat": True},
        ".repeat: expected 'same-prompts' or 'fresh-prompts', found True",
    ),
    ({"time_limit": 0}, ".time_limit: expected a number from 1 to 86400, found 0"),
    ({"time_limit": "5"}, ".time_limit: expected a number from 1 to 86400, found '5'"),
]


@pytest.mark.parametrize(("raw", "message"), ERRORS)
def test_a_wrong_setting_is_named(raw: object, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_settings(raw)
    assert str(error.value) == f"reporting.tbsa{message}"


@given(st.dictionaries(st.sampled_from([*KNOWN, "fail-under", ""]), VALUES))
def test_settings_are_read_or_refused_by_name(raw: dict[str, object]) -> None:
    """An unknown setting or a value of the wrong type; names it."""
    settings, refused = None, ""
    try:
        settings = read_settings(raw)
    except UsageError as error:
        refused = str(error)
    if settings is None:
        assert any(refused.startswith(f"reporting.tbsa.{name}:") for name in raw)
        return
    assert set(settings.outputs) <= set(OUTPUTS)
    if settings.enabled:
        assert settings.rules.asks_something == asks_for_gate(raw)


def test_settings_right_or_wrong_tell_whether_a_gate_is_meant() -> None:
    for raw, asks in (
        (None, False),
        (True, False),
        ({"html": True}, False),
        ({"alpha": 0.1, "github": True, "baseline_optional": True}, False),
        ({"fail_under": "nonsense"}, True),
        ({"baseline": "a"}, True),
        ({"enabled": False, "fail_under": 3}, False),
    ):
        assert asks_for_gate(raw) is asks
    assert all(asks_for_gate({name: 1}) for name in GATES)


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


def test_a_level_is_a_share_of_unchanged_targets_each_way() -> None:
    for alpha, share in (
        (0.05, "one in twenty is"),
        (0.01, "1 in 100 is"),
        (0.0001, "1 in 10,000 is"),
        (0.03, "3 in 100 are"),
        (0.5, "1 in 2 is"),
    ):
        each, _ = share.rsplit(" ", 1)
        assert level_in_words(alpha) == (
            f"of unchanged targets {share} called worse and {each} better"
        )
