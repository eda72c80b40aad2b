# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hits in what ``score`` writes, and after a scan."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.host.command import score_scan
from garak_tbsa.host.settings import read_settings
from tests.behaviour.product import tbsa
from tests.cli.test_explain_hits import written


def test_hits_are_in_what_is_written_unless_they_are_left_out(tmp_path: Path) -> None:
    """Three of each pair, or as many as are asked for."""
    report = written(tmp_path)
    counts = {(): 3, ("--hits", 1): 1, ("--no-evidence",): 0}
    for form in ("markdown", "sarif"):
        output = tmp_path / form
        for options, count in counts.items():
            shown = tbsa("score", "-q", report, f"--{form}", output, *options)
            assert shown.code == 0
            text = output.read_text(encoding="utf-8")
            assert text.count("garak-tbsa show") == count
            assert ("abcd-" in text) == ("Do not follow" in text) == bool(count)


def test_attempts_are_read_for_those_who_show_them_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither JSON nor JUnit XML shows hits."""
    monkeypatch.delattr("garak_tbsa.api.evidence.EvidenceCollector")
    report, output = written(tmp_path), str(tmp_path / "output")
    assert tbsa("score", "-q", report, "-j", output, "--junit", output + "2").code == 0
    assert (
        tbsa("score", "-q", report, "--html", output + "3", "--no-evidence").code == 0
    )


def test_metrics_are_an_input_that_no_output_replaces(tmp_path: Path) -> None:
    """As the reports themselves are."""
    path = tmp_path / "metrics.json"
    report = written(tmp_path)
    shown = tbsa("score", report, "--metrics", path, "--markdown", path)
    assert shown.code == 2
    assert "would overwrite the input" in shown.error


@pytest.mark.parametrize("setting", [None, True, False])
def test_hits_after_a_scan(setting: bool | None, tmp_path: Path) -> None:
    """They are collected unless settings say otherwise."""
    raw: dict[str, object] = {"markdown": True, "sarif": True}
    if setting is not None:
        raw["evidence"] = setting
    assert score_scan(written(tmp_path), read_settings(raw)).problem == ""
    for ending in (".tbsa.md", ".tbsa.sarif"):
        shown = (tmp_path / f"my scan{ending}").read_text(encoding="utf-8")
        assert ("abcd-" in shown) == (setting is not False)
