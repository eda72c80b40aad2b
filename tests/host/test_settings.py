# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import UsageError
from garak_tbsa.host.gates import GATES, asks_for_gate
from garak_tbsa.host.settings import (
    KNOWN,
    OUTPUTS,
    AfterScanSettings,
    read_settings,
    removal_lines,
)
from garak_tbsa.removed import REMOVED
from garak_tbsa.tbsa.gate_options import GATE_NAMES, GateRules

VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-1, 6)
    | st.floats(allow_nan=True)
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)


def test_nothing_set_means_text_and_json() -> None:
    assert read_settings(None) == AfterScanSettings()
    assert read_settings(None).outputs == ("json",)
    assert not read_settings(None).rules.asks_something


@pytest.mark.parametrize("enabled", [True, False])
def test_a_bare_switch_stands_for_enabled(enabled: bool) -> None:
    assert read_settings(enabled) == AfterScanSettings(enabled=enabled)


def test_everything_set() -> None:
    settings = read_settings(
        {
            "enabled": True,
            "json": False,
            "html": True,
            "markdown": True,
            "junit": True,
            "sarif": True,
            "fail_under": 3,
            "sure": 0.95,
            "require_tier1_grade": 2.0,
            "min_coverage": 0,
            "baseline": "last.report.jsonl",
            "baseline_optional": True,
            "github": True,
            "alpha": 0.01,
            "repeat": "fresh-prompts",
            "formula": "garak",
            "time_limit": 5,
        }
    )
    assert settings == AfterScanSettings(
        enabled=True,
        outputs=("html", "markdown", "junit", "sarif"),
        rules=GateRules(
            fail_under=3.0,
            sure=0.95,
            require_tier1_grade=2,
            min_coverage=0.0,
            baseline="last.report.jsonl",
            baseline_optional=True,
            alpha=0.01,
            github=True,
        ),
        repeat="fresh-prompts",
        formula="garak",
        time_limit=5.0,
    )


def test_a_setting_that_is_null_asks_nothing() -> None:
    assert read_settings(dict.fromkeys(GATES)) == AfterScanSettings()
    assert not asks_for_gate(dict.fromkeys(GATES))


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
    assert not {f"reporting.tbsa.{name}" for name in GATE_NAMES} & REMOVED.keys()


ERRORS = [
    # settings, and what is told behind reporting.tbsa
    ([], ": expected settings such as fail_under: 3.5, found []"),
    ("x" * 70, f": expected settings such as fail_under: 3.5, found '{'x' * 59}..."),
    ({"fail-under": 3}, ".fail-under: not a setting (did you mean fail_under?)"),
    ({"fail_udner": 3}, ".fail_udner: not a setting (did you mean fail_under?)"),
    ({"Min-Coverage": 1}, ".Min-Coverage: not a setting (did you mean min_coverage?)"),
    (
        {"pdf": True},
        ".pdf: not a setting; expected one of enabled, json, html, markdown, junit,"
        " sarif, badge, evidence, fail_under, sure, require_tier1_grade, min_coverage,"
        " baseline, baseline_optional, alpha, github, repeat, formula, time_limit",
    ),
    ({"enabled": "no"}, ".enabled: expected true or false, found 'no'"),
    ({"html": 0}, ".html: expected true or false, found 0"),
    ({"fail_under": "3"}, ".fail_under: expected a number from 1 to 5, found '3'"),
    ({"fail_under": True}, ".fail_under: expected a number from 1 to 5, found True"),
    (
        {"sure": 0.95},
        ".sure has no effect without fail_under or require_tier1_grade; give that too",
    ),
    (
        {"baseline_optional": True, "fail_under": 3},
        ".baseline_optional has no effect without baseline; give that too",
    ),
    (
        {"baseline": "a", "baseline_optional": "yes"},
        ".baseline_optional: expected true or false, found 'yes'",
    ),
    ({"github": 1}, ".github: expected true or false, found 1"),
    (
        {"baseline_optionnal": True},
        ".baseline_optionnal: not a setting (did you mean baseline_optional?)",
    ),
    (
        {"fail_under": 3, "sure": 95},
        ".sure: expected a number from 0.5 to 0.999, found 95",
    ),
    ({"fail_under": 0.5}, ".fail_under: expected a number from 1 to 5, found 0.5"),
    (
        {"fail_under": float("nan")},
        ".fail_under: expected a number from 1 to 5, found nan",
    ),
    ({"min_coverage": 90}, ".min_coverage: expected a number from 0 to 1, found 90"),
    ({"baseline": 7}, ".baseline: expected a report's path, found 7"),
    ({"baseline": ""}, ".baseline: expected a report's path, found ''"),
    (
        {"fail_under": defaultdict(dict)},
        ".fail_under: expected a number from 1 to 5, found a mapping",
    ),
    (
        {"fail_under": 10**5000},
        ".fail_under: expected a number from 1 to 5, found a number of too many digits",
    ),
    ({"formula": "garrak"}, ".formula: expected documented or garak, found 'garrak'"),
    ({"formula": [1]}, ".formula: expected documented or garak, found [1]"),
    (
        {"repeat": "same"},
        ".repeat: expected same-prompts or fresh-prompts, found 'same'",
    ),
    ({"repeat": True}, ".repeat: expected same-prompts or fresh-prompts, found True"),
    ({"time_limit": 0}, ".time_limit: expected seconds from 1 to 86400, found 0"),
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
