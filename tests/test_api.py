# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans from Python: what the commands write, the same errors, nothing printed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa as tbsa
from garak_tbsa.api.score import IncompleteScanError
from garak_tbsa.cli.main import main
from garak_tbsa.errors import (
    GarakTbsaError,
    NotComparableError,
    NotScorableError,
    ReportError,
    ReportMissingError,
    UsageError,
)
from tests.demo_scans import AFTER, BEFORE, copied_to, written
from tests.gold import FOLDER

OLDER = str(FOLDER / "garak-0.14.1.report.jsonl")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_to(tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize(
    ("arguments", "options", "code"),
    [
        ({}, [], 0),
        ({"interval": False}, ["--no-interval"], 0),
        ({"formula": "garak"}, ["--formula", "garak"], 0),
        ({"calibration": "installed"}, ["--calibration", "installed"], 0),
        ({"repeat": "fresh-prompts"}, ["--repeat", "fresh-prompts"], 0),
        (
            {"fail_under": 3, "sure": 0.9, "min_coverage": 0.5},
            ["--fail-under", "3", "--sure", "0.9", "--min-coverage", "0.5"],
            3,
        ),
        ({"require_tier1_grade": 1}, ["--require-tier1-grade", "1"], 0),
    ],
)
def test_a_score_has_the_document_of_the_command(
    demo: Path, arguments: dict[str, Any], options: list[str], code: int
) -> None:
    path = demo / BEFORE
    found = tbsa.score(path, **arguments)
    assert found.to_dict() == written(demo, "score", str(path), *options, code=code)
    assert found.gate is None or found.gate.passed == (code == 0)


def test_a_path_to_nothing_is_an_error_as_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="does not exist; name a folder of reports"):
        tbsa.history(str(tmp_path / "nofolder"))


def test_what_is_left_out_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.report.jsonl").write_bytes(Path(OLDER).read_bytes())
    os.mkfifo(tmp_path / "b.report.jsonl")
    found = tbsa.history(tmp_path)
    (warning,) = found.warnings
    assert warning.startswith(f"{tmp_path}/b.report.jsonl: is a folder, pipe or device")
    assert "b.report.jsonl" in found._repr_html_()
    assert len(found.scans) == 1


def line_of(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    """What the command prints as its error, without its name."""
    capsys.readouterr()
    assert main([*command]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    return line.partition(": ")[2] if line.startswith("garak-tbsa") else line


@pytest.mark.parametrize(
    ("call", "command", "error"),
    [
        (lambda: tbsa.score("none.jsonl"), ["score", "none.jsonl"], ReportMissingError),
        (
            lambda: tbsa.score(OLDER, calibration="none.json"),
            ["score", OLDER, "--calibration", "none.json"],
            ReportError,
        ),
        (
            lambda: tbsa.score(OLDER, strict=True),
            ["score", OLDER, "--strict", "-q"],
            IncompleteScanError,
        ),
        (
            lambda: tbsa.compare(OLDER, FOLDER / "garak-0.17.1.report.jsonl"),
            ["compare", OLDER, str(FOLDER / "garak-0.17.1.report.jsonl")],
            NotComparableError,
        ),
        (lambda: tbsa.audit(OLDER), ["audit", OLDER], NotScorableError),
    ],
)
def test_an_error_is_the_line_of_the_command(
    call: Callable[[], object],
    command: list[str],
    error: type[GarakTbsaError],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value) in line_of(capsys, *command)


def test_a_folder_and_two_rules_for_one_thing_are_refused(demo: Path) -> None:
    with pytest.raises(UsageError, match=r"is a folder; garak_tbsa\.history scores"):
        tbsa.score(demo)
    with pytest.raises(UsageError, match=r"^common and force: give one of them$"):
        tbsa.compare(OLDER, OLDER, common=True, force=True)


def test_nothing_is_printed(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    results = (
        tbsa.score(demo / BEFORE, fail_under=5, hits=1),
        tbsa.compare(demo / BEFORE, demo / AFTER, replicates=50),
        tbsa.history(demo),
        tbsa.audit(demo / BEFORE),
        tbsa.load_summary(),
    )
    for result in results:
        assert repr(result).startswith(f"<{type(result).__name__} ")
        result.to_dict()
    assert capfd.readouterr() == ("", "")
