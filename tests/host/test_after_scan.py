# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows a scan, told to a listener instead of a user."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from garak_tbsa.host import after_scan
from garak_tbsa.host.after_scan import score_scan
from garak_tbsa.host.settings import read_settings
from tests.factories import pairs_named, report_rows, write_alike, write_report
from tests.gold import FOLDER
from tests.repeats import repeats

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.statistics.repeat import RepeatDistribution
    from garak_tbsa.tbsa.assessment import Assessment


class Told:
    """A listener that keeps the lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.commands: list[str] = []

    def __call__(self, kind: str, value: Any) -> None:
        """Keep lines, and fail over what cannot be written: all can be here."""
        assert kind != "not_written", value
        self.lines += value if kind == "show" else ()
        self.commands += value if kind == "annotate" else ()


@pytest.mark.parametrize(
    ("settings", "repeat"),
    [
        ({}, "same-prompts"),
        ({"html": True}, "same-prompts"),
        ({"repeat": "fresh-prompts"}, "fresh-prompts"),
        ({"fail_under": 1, "sure": 0.5}, "same-prompts"),
    ],
)
def test_text_gate_and_every_output_tell_of_the_same_repeat(
    settings: dict[str, object], repeat: str, tmp_path: Path
) -> None:
    told = Told()
    score_scan(write_alike(tmp_path), read_settings(settings), told)
    on = f" on {repeat.replace('-', ' ')}".replace("same", "the same")
    assert any(f"a repeat of this scan{on} would score" in x for x in told.lines)
    document = json.loads((tmp_path / "alike.tbsa.json").read_text(encoding="utf-8"))
    assert document["repeat_interval"]["repeat"] == repeat
    assert document["repeat_interval"]["pairs_with_attempts"] == 3
    if "html" in settings:
        page = (tmp_path / "alike.tbsa.html").read_text(encoding="utf-8")
        assert "A repeat of this scan on the same prompts would score" in page
    if "sure" in settings:
        (said,) = [line for line in told.lines if "fail-under" in line]
        assert "of repeats on the same prompts" in said


def test_attempts_that_would_take_all_the_time_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is written by the counts, and says why."""
    monkeypatch.setattr(after_scan, "BYTES_A_SECOND", 1.0)
    settings = read_settings({"html": True, "time_limit": 2})
    score_scan(write_alike(tmp_path), settings, Told())
    page = (tmp_path / "alike.tbsa.html").read_text(encoding="utf-8")
    assert "of attempts were not read within a time_limit of 2 s): how" in page


@pytest.mark.parametrize("formula", ["documented", "garak"])
def test_an_interval_is_that_of_the_formula_that_was_chosen(
    formula: str, tmp_path: Path
) -> None:
    """garak's own number never comes with the documented formula's interval."""
    report = tmp_path / "x.report.jsonl"
    report.write_bytes((FOLDER / "garak-0.17.1.report.jsonl").read_bytes())
    told = Told()
    score_scan(str(report), read_settings({"formula": formula}), told)
    document = json.loads((tmp_path / "x.tbsa.json").read_text(encoding="utf-8"))
    is_documented = formula == "documented"
    assert document["formula"] == formula
    assert (document["repeat_interval"]["lower"] is not None) == is_documented
    assert any("would score" in line for line in told.lines) == is_documented


def test_a_gate_that_repeats_would_mostly_fail_says_so_once_they_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict does not wait for the distribution; what it says then does."""
    report = tmp_path / "x.report.jsonl"
    report.write_bytes((FOLDER / "garak-0.17.1.report.jsonl").read_bytes())

    def mostly_low(assessment: Assessment, *asked: object) -> RepeatDistribution:
        return repeats((1.5, 0.75), (4.1, 0.25))

    monkeypatch.setattr(after_scan, "repeat_of_scan", mostly_low)
    told = Told()
    score_scan(str(report), read_settings({"fail_under": 2}), told)
    said = [line for line in told.lines if "fail-under" in line]
    assert [line.partition("found ")[2] for line in said] == [
        "TBSA 4.1, but 75 % of repeats would fail this rule"
    ]
    told = Told()
    score_scan(str(report), read_settings({"fail_under": 2, "github": True}), told)
    (doubt,) = [line for line in told.commands if "fail-under" in line]
    assert doubt.startswith("::warning title=gate passed%2C with a doubt%3A fail-under")
    assert doubt.endswith("but 75 %25 of repeats would fail this rule")
    document = json.loads((tmp_path / "x.tbsa.json").read_text(encoding="utf-8"))
    assert document["gate"]["passed"]
    assert document["gate"]["rules"][0]["found"] in said[0]
    told = Told()
    score_scan(
        str(report), read_settings({"fail_under": 2, "sure": 0.9, "json": False}), told
    )
    # judged by the distribution itself, before any of it is shown
    assert sum("fail-under" in line for line in told.lines) == 1


def test_github_is_told_where_that_is_set(tmp_path: Path) -> None:
    pairs = pairs_named((1, 4, 40), (1, 40, 40))
    report = write_report(tmp_path / "x.report.jsonl", report_rows(pairs))
    told = Told()
    score_scan(report, read_settings({"require_tier1_grade": 3}), told)
    assert told.commands == []
    raw = {"require_tier1_grade": 3, "github": True}
    score_scan(report, read_settings(raw), told)
    assert told.commands == [
        "::error title=gate failed%3A require-tier1-grade::"
        f"{report}: expected every Tier 1 pair at grade 3 or better; found 1 below:"
        " probe.P00+D at 2"
    ]
