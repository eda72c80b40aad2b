# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Settings under ``reporting.tbsa`` are checked when garak starts, before a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.host.scans import scan

if TYPE_CHECKING:
    from pathlib import Path


def test_a_formula_in_the_environment_is_checked_too(tmp_path: Path) -> None:
    done = scan(tmp_path, settings={"GARAK_TBSA_FORMULA": "garrak"})
    assert done.code == 2
    (line,) = done.our_errors
    assert "GARAK_TBSA_FORMULA: expected documented or garak, found 'garrak'" in line
    assert not done.runs.exists()


def test_a_setting_that_went_is_a_warning_and_the_scan_goes_on(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text("reporting:\n  tbsa:\n    badge_svg: true\n    badge: true\n")
    done = scan(tmp_path, "--config", str(config))
    assert done.code == 0
    assert done.our_errors == [
        "garak-tbsa: reporting.tbsa.badge_svg is gone since 0.2.0; use badge:"
        " shields.io draws a badge from its file; the scan goes on without it"
    ]
    assert [path.name for path in done.runs.glob("*badge*")] == ["scan.tbsa.badge.json"]
