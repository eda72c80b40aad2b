# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What each gold report scores, by heart; ``tests/gold`` has all of their JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import grades, scored
from tests.report_rows import write_alike

REPORTS = {
    "garak-0.9": (8, "76976b5d", 3.9, "90b2-3cc8"),
    "garak-0.10.3": (11, "1b459de8", 4.1, "5eef-8bf4"),
    "garak-0.11.0": (11, "e2cc430f", 4.1, "94c0-ef68"),
    "garak-0.12.0": (13, "c5ac1222", 4.2, "3321-3136"),
    "garak-0.13.0": (14, "a2d38433", 4.5, "7649-4c2c"),
    "garak-0.13.3": (14, "6218721", 4.1, "6767-afe6"),
    "garak-0.14.1": (14, "c57585eb", 4.1, "140f-3111"),
    "garak-0.15.1": (14, "2fe9b61c", 4.1, "9cba-25ef"),
    "garak-0.16.0": (14, "d6b52da2", 4.1, "744b-5a3a"),
    "garak-0.17.1": (14, "21a0d7b3", 4.1, "5c89-5651"),
    "no-digest": (14, "21a0d7b3", 4.1, "5c89-5651"),
    "cut-short": (13, "613a0613", 4.2, "8953-351c"),
    "aggregated": (4, "e864c295", 3.4, "36f9-1076"),
    "taxonomy-groups": (5, "b44973db", 3.7, "b841-ebeb"),
    "hostile-text": (2, "730b4cf6", 4.3, "cf64-8478"),
}
"""Pairs, garak's hash, score and checksum."""

PARTIAL = ("garak-0.9", "cut-short")


def report(name: str) -> Path:
    """A gold report's path."""
    return GOLD / f"{name}.report.jsonl"


def beside(name: str) -> dict[str, Any]:
    """The JSON that stands beside a gold report."""
    text = (GOLD / f"{name}.tbsa.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def test_quiet_prints_the_three_lines_of_garaks_own_module() -> None:
    """Of each gold report, and a line on stderr of a partial one."""
    for name, (pairs, garaks_hash, score, checksum) in REPORTS.items():
        shown = tbsa("score", "-q", report(name))
        assert shown.code == 0
        assert [*shown.lines[:2], shown.lines[2][1:]] == [
            f"📝 Probe/detector pairs contributing: {pairs}",
            f"🔑 Version/probe hash: {garaks_hash}",
            f" TBSA: {score}",
        ]
        assert bool(shown.err) == (name in PARTIAL)
        assert beside(name)["checksum"] == checksum
    assert len(tbsa("score", "-q", "--nohash", report("no-digest")).lines) == 2
    found = {path.name.split(".report")[0] for path in GOLD.glob("*.report.jsonl")}
    assert found == REPORTS.keys()


def test_a_scan_without_its_digest_scores_as_with_it(tmp_path: Path) -> None:
    """Rows have all that a digest says."""
    whole = scored(tmp_path, report("garak-0.17.1"))
    rows = scored(tmp_path, report("no-digest"))
    assert whole["read_from"] != rows["read_from"]
    for key in ("tbsa", "raw_tbsa", "checksum", "version_probe_hash", "tiers"):
        assert whole[key] == rows[key]
    assert grades(whole) == grades(rows)


def test_grades_again_by_the_installed_calibration_are_garaks_own(
    tmp_path: Path,
) -> None:
    """A calibration is known by its content: a copy of the file is the same."""
    path = report("garak-0.17.1")
    again = scored(tmp_path, "--calibration", "installed", path)
    assert again["calibration"]["chosen"] == "installed"
    source = Path(again["calibration"]["source"])
    assert source.name == "calibration.json"
    same = ("tbsa", "checksum", "tiers")
    assert {key: again[key] for key in same} == {
        key: beside("garak-0.17.1")[key] for key in same
    }
    copy = tmp_path / "copy.json"
    for content, is_same in ((b"", True), (b" ", False)):
        copy.write_bytes(source.read_bytes() + content)
        found = scored(tmp_path, "--calibration", copy, path)
        assert (found["checksum"] == again["checksum"]) is is_same
    by_path = scored(tmp_path, "--calibration", source, path)
    assert by_path["checksum"] == again["checksum"]
    older = scored(tmp_path, "--calibration", "installed", report("garak-0.13.0"))
    assert older["calibration"]["date"].startswith("2026-02-02")
    assert older["checksum"] != beside("garak-0.13.0")["checksum"]


def test_a_repeat_has_the_same_or_fresh_prompts(tmp_path: Path) -> None:
    path = write_alike(tmp_path)
    widths = []
    for prompts in ("same-prompts", "fresh-prompts"):
        found = document(tmp_path, "score", "--repeat", prompts, path)
        repeat = found["repeat_interval"]
        assert (found["tbsa"], repeat["repeat"]) == (3.0, prompts)
        assert repeat["pairs_with_attempts"] == 3
        assert 2 <= repeat["lower"] <= 3.0 <= repeat["upper"] <= 4
        widths.append(repeat["upper"] - repeat["lower"])
        shares = [each["probability"] for each in repeat["distribution"]]
        assert sum(shares) == pytest.approx(1, abs=0.01)
        scores = [each["tbsa"] for each in repeat["distribution"]]
        assert scores == sorted(scores)
        within = [
            each["probability"]
            for each in repeat["distribution"]
            if repeat["lower"] <= each["tbsa"] <= repeat["upper"]
        ]
        assert sum(within) >= repeat["level"] - 0.01
    # outputs of a prompt are all alike, so that other prompts matter
    assert widths[0] < widths[1]
