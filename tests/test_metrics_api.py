# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Detector metrics from Python: the summary of the command."""

from __future__ import annotations

from pathlib import Path

import pytest

import garak_tbsa as tbsa
from garak_tbsa.cli.main import main
from tests.demo_scans import ALL_LABELS, BEFORE, copied_to


def test_labels_of_a_scan_are_weighed_as_the_command_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    demo = copied_to(tmp_path)
    report, labels, output = demo / BEFORE, demo / ALL_LABELS, tmp_path / "s.json"
    found = tbsa.evaluate(report, labels=labels, detectors="mitigation")
    command = (
        f"detectors evaluate --data {report} --labels {labels} --detectors mitigation"
        f" --output {output} -q"
    )
    assert main(command.split()) == 0
    assert found.to_json() == output.read_text("utf-8")
