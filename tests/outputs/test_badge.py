# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A badge for shields.io; ``whole/`` has those of other scans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.behaviour.product import GOLD, tbsa
from tests.outputs.samples import HOSTILE
from tests.outputs.written import Written

REPORT = GOLD / "garak-0.17.1.report.jsonl"


def test_what_a_reader_must_know_is_in_the_badge(
    scores: dict[str, Written], tmp_path: Path
) -> None:
    """A failed gate is red whatever the score; no text of the report is in it."""
    text = scores["hostile"].forms["--badge"]
    assert '"1.5, partial scan, gate failed"' in text
    assert text.isascii()
    assert not any(each in text for each in HOSTILE)
    place = tmp_path / "badge.json"
    rules = ("--fail-under", 1)
    assert tbsa("score", REPORT, "-q", *rules, "--badge", place).code == 0
    shown = json.loads(place.read_bytes())
    assert (shown["message"], shown["color"]) == ("4.1", "green")


def test_a_badge_ends_as_json_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong use, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    shown = tbsa("score", REPORT, "--badge", "badge.png")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.splitlines()[-1] == (
        "garak-tbsa: argument --badge: expected a path that ends with .json, found"
        " 'badge.png'"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_badge_replaces_no_report(tmp_path: Path) -> None:
    """Also where a report's name ends as a badge's."""
    report = tmp_path / "report.json"
    report.write_bytes(REPORT.read_bytes())
    shown = tbsa("score", report, "--badge", report)
    assert shown.code == 2
    assert "--badge " in shown.error
    assert report.read_bytes() == REPORT.read_bytes()
