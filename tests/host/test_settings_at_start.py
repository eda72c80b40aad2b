# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Settings under ``reporting.tbsa`` are checked when garak starts, before a scan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.host.scans import Ended, run_many, scan, small_scan

if TYPE_CHECKING:
    from pathlib import Path

WRONG: dict[str, tuple[object, str]] = {
    # case: (what is under reporting.tbsa, how it is told)
    "dash": (
        {"fail-under": 4},
        "reporting.tbsa.fail-under: not a setting (did you mean fail_under?)",
    ),
    "mapping": (
        {"fail_under": {"tbsa": 4}},
        "reporting.tbsa.fail_under: expected a number from 1 to 5, found a mapping",
    ),
    "disabled": (
        {"enabled": False, "fail-under": 4},
        "reporting.tbsa.fail-under: not a setting (did you mean fail_under?)",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wrong")


@pytest.fixture(scope="module")
def ended(folder: Path) -> dict[str, Ended]:
    cases = {}
    for name, (settings, _) in WRONG.items():
        document = {"reporting": {"tbsa": settings}}
        (folder / f"{name}.json").write_text(json.dumps(document))
        cases[name] = [*small_scan(), "--config", f"{name}.json"]
    swapped = {"reporting": {"TSBA": {"fail_under": 4}}}
    (folder / "swapped.json").write_text(json.dumps(swapped))
    cases["swapped"] = [*small_scan(), "--config", "swapped.json"]
    return run_many(folder, cases)


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_setting_stops_garak_in_one_line(
    case: str, ended: dict[str, Ended]
) -> None:
    assert ended[case].code == 2
    assert ended[case].our_errors == [
        f"garak-tbsa: {WRONG[case][1]}; the scan was not started"
        " (GARAK_TBSA=0 turns this off)"
    ]


def test_a_section_with_its_letters_swapped_is_told(ended: dict[str, Ended]) -> None:
    (line,) = ended["swapped"].our_errors
    assert ended["swapped"].code == 2
    assert "reporting.TSBA: not a setting (did you mean tbsa?)" in line


def test_no_scan_was_started(folder: Path, ended: dict[str, Ended]) -> None:
    """No report file: a ten-hour scan would not have started."""
    assert len(ended) == len(WRONG) + 1
    assert not (folder / "data" / "garak" / "garak_runs").exists()
    assert all("reporting to" not in case.out for case in ended.values())


def test_a_process_of_its_own_ends_with_2(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text("reporting:\n  tbsa:\n    fail-under: 4\n")
    done = scan(tmp_path, "--config", str(config))
    assert done.code == 2
    assert len(done.our_errors) == 1
    assert not done.runs.exists()


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
