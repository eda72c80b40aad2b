# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hits in what ``score`` writes, and after a scan."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.api import score as task
from garak_tbsa.cli.main import main
from garak_tbsa.host import after_scan
from garak_tbsa.host.settings import read_settings
from garak_tbsa.tbsa.evidence import HOSTILE
from tests.cli.test_explain_hits import written

SHOWING = ("markdown", "sarif")


def silent(kind: str, value: object) -> None:
    """Tell nobody how a scan's scoring goes."""


@pytest.mark.parametrize("form", SHOWING)
def test_hits_are_in_what_is_written_unless_they_are_left_out(
    form: str, tmp_path: Path
) -> None:
    report, output = written(tmp_path), tmp_path / "output"
    command = ["score", "-q", report, f"--{form}", str(output)]
    assert main(command) == 0
    shown = output.read_text(encoding="utf-8")
    assert HOSTILE in shown
    assert shown.count("garak-tbsa show") == 3
    assert main([*command, "--hits", "1"]) == 0
    assert output.read_text(encoding="utf-8").count("garak-tbsa show") == 1
    assert main([*command, "--no-evidence"]) == 0
    assert "abcd-" not in output.read_text(encoding="utf-8")


def test_attempts_are_read_for_those_who_show_them_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(task, "evidence_of")
    report, output = written(tmp_path), str(tmp_path / "output")
    assert main(["score", "-q", report, "-j", output, "--junit", output + "2"]) == 0
    assert main(["score", "-q", report, "--html", output, "--no-evidence"]) == 0


def test_metrics_are_an_input_that_no_output_replaces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "metrics.json")
    report = written(tmp_path)
    assert main(["score", report, "--metrics", path, "--markdown", path]) == 2
    assert "would overwrite the input" in capsys.readouterr().err


@pytest.mark.parametrize("setting", [None, True, False])
def test_hits_after_a_scan(setting: bool | None, tmp_path: Path) -> None:
    report = written(tmp_path)
    raw: dict[str, object] = dict.fromkeys(SHOWING, True)
    if setting is not None:
        raw["evidence"] = setting
    after_scan.score_scan(report, read_settings(raw), silent)
    for ending in (".tbsa.md", ".tbsa.sarif"):
        shown = (tmp_path / f"my scan{ending}").read_text(encoding="utf-8")
        assert ("abcd-" in shown) == (setting is not False)


def test_a_report_too_large_for_the_time_limit_has_its_outputs_without_hits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(after_scan, "BYTES_A_SECOND", 1)
    settings = read_settings({"markdown": True, "time_limit": 5})
    after_scan.score_scan(written(tmp_path), settings, silent)
    shown = (tmp_path / "my scan.tbsa.md").read_text(encoding="utf-8")
    assert "were not read within a time" in shown
    assert "abcd-" not in shown


def test_an_output_is_there_before_hits_are_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page does not wait for what may take long."""

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(after_scan, "evidence_of", fail)
    settings = read_settings({"markdown": True})
    with pytest.raises(KeyboardInterrupt):
        after_scan.score_scan(written(tmp_path), settings, silent)
    shown = (tmp_path / "my scan.tbsa.md").read_text(encoding="utf-8")
    assert "hits are collected last" in shown
