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
)
from garak_tbsa.host.settings import (
    KNOWN,
    OUTPUTS,
    AfterScanSettings,
    read_settings,
    removal_lines,
)
from garak_tbsa.removed import REMOVED

VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-1, 6)
    | st.floats(allow_nan=True)
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)


def test_nothing_set_means_text_and_json() -> None:
    for raw in (None, True, {}, dict.fromkeys(GATES)):
        assert read_settings(raw) == AfterScanSettings()
        assert not asks_for_gate(raw)
    assert read_settings(None).outputs == ("json",)
    assert not read_settings(None).rules.asks_something
    assert read_settings(False) == AfterScanSettings(enabled=False)


def test_everything_set() -> None:
    settings = read_settings(
        {
            "json": False,
            "html": True,
            "markdown": True,
            "fail_under": 3,
            "sure": 0.95,
            "baseline": "last.report.jsonl",
            "github": True,
            "repeat": "fresh-prompts",
            "formula": "garak",
            "time_limit": 5,
        }
    )
    assert settings == AfterScanSettings(
        outputs=("html", "markdown"),
        rules=GateRules(
            fail_under=3.0, sure=0.95, baseline="last.report.jsonl", github=True
        ),
        repeat="fresh-prompts",
        formula="garak",
        time_limit=5.0,
    )


def test_a_setting_that_went_is_told_and_stops_nothing() -> None:
    raw = {"badge_svg": True, "code_quality": False, "fail_under": 3}
    assert read_settings(raw) == read_settings({"fail_under": 3})
    assert removal_lines(raw) == [
        "reporting.tbsa.badge_svg is gone since 0.2.0; use badge: shields.io draws a"
        " badge from its file; the scan goes on without it",
        "reporting.tbsa.code_quality is gone since 0.2.0; use junit or sarif; the scan"
        " goes on without it",
    ]
    assert removal_lines({"html": True}) == removal_lines(None) == []


def test_no_gate_key_went() -> None:
    assert (
        not {f"reporting.tbsa.{option.name}" for option in GATE_OPTIONS}
        & REMOVED.keys()
    )


NUMBER = "expected a number from 1 to 5, found"
ERRORS = [
    # settings, and what is told behind reporting.tbsa
    ("x" * 70, f": expected settings such as fail_under: 3.5, found '{'x' * 59}..."),
    ({"fail-under": 3}, ".fail-under: not a setting (did you mean fail_under?)"),
    ({"Min-Coverage": 1}, ".Min-Coverage: not a setting (did you mean min_coverage?)"),
    (
        {"pdf": True},
        ".pdf: not a setting; expected one of enabled, json, html, markdown, junit,"
        " sarif, badge, evidence, fail_under, sure, require_tier1_grade, min_coverage,"
        " baseline, baseline_optional, alpha, github, repeat, formula, time_limit",
    ),
    ({"enabled": "no"}, ".enabled: expected true or false, found 'no'"),
    ({"html": 0}, ".html: expected true or false, found 0"),
    ({"fail_under": True}, f".fail_under: {NUMBER} True"),
    ({"fail_under": float("nan")}, f".fail_under: {NUMBER} nan"),
    ({"fail_under": defaultdict(dict)}, f".fail_under: {NUMBER} a mapping"),
    ({"fail_under": 10**5000}, f".fail_under: {NUMBER} a number of too many digits"),
    (
        {"baseline_optional": True, "fail_under": 3},
        ".baseline_optional has no effect without baseline; give that too",
    ),
    ({"baseline": ""}, ".baseline: expected a report's path, found ''"),
    ({"github": 1}, ".github: expected true or false, found 1"),
    ({"formula": [1]}, ".formula: expected documented or garak, found [1]"),
    ({"repeat": True}, ".repeat: expected same-prompts or fresh-prompts, found True"),
    ({"time_limit": 0}, ".time_limit: expected seconds from 1 to 86400, found 0"),
    ({"time_limit": "5"}, ".time_limit: expected seconds from 1 to 86400, found '5'"),
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


@pytest.mark.parametrize(
    ("raw", "asks"),
    [
        (None, False),
        (True, False),
        ({"html": True}, False),
        ({"fail_under": "nonsense"}, True),
        ({"baseline": "a"}, True),
        ({"enabled": False, "fail_under": 3}, False),
    ],
)
def test_settings_right_or_wrong_tell_whether_a_gate_is_meant(
    raw: object, asks: bool
) -> None:
    assert asks_for_gate(raw) is asks
