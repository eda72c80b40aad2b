# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors diff``."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.detector_eval.summaries import COUNTS, as_first_version, write_summary

WORSE = {**COUNTS, "dan.DAN": {"tp": 3, "fp": 10, "fn": 27, "tn": 20}}
STRESS = {"dan.DAN": {"tp": 15, "fn": 2, "tn": 10, "fp": 10}}


@pytest.fixture
def old(tmp_path: Path) -> str:
    return write_summary(tmp_path / "old.json", COUNTS, stress=STRESS)


def test_nothing_changed(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detectors", "diff", old, old, "--fail-on-regression"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "typical: 3 unchanged",
        "stress hits: 1 unchanged",
        "stress passes: 1 unchanged",
    ]


def test_the_first_version_s_metrics_are_of_other_rows(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """68 of 71 detectors were called better, where only the rows had changed."""
    first = as_first_version(write_summary(tmp_path / "1.json", WORSE))
    assert main(["detectors", "diff", first, old]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "metrics_rows: typical and stress -> typical"
    assert lines[-4:] == [
        "typical: 3 not comparable",
        "stress: no rows that both summaries state",
        "3 of the changed detectors were measured on other rows: dan.DAN,"
        " goodside.PlainJSON, mitigation.Prefixes",
        "Not comparable: one summary made its metrics from typical rows, the other from"
        " stress rows too; make the older one again",
    ]
    assert main(["detectors", "diff", first, old, "--fail-on-regression"]) == 3
    assert "dan.DAN (typical not comparable), " in capsys.readouterr().err
    assert main(["detectors", "diff", first, first, "--fail-on-regression"]) == 0


def test_other_settings_and_other_rows_are_told(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = write_summary(tmp_path / "new.json", WORSE, threshold=0.4, data="1")
    assert main(["detectors", "diff", old, new]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "eval_threshold: 0.5 -> 0.4"
    assert (
        lines[-1] == "1 of the changed detectors were measured on other rows: dan.DAN"
    )
