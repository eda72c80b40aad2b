# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors sample``, and back through ``evaluate``."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.factories import PairFacts, report_rows, write_report


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "scan.report.jsonl"
    rows = [
        {
            "entry_type": "attempt",
            "uuid": f"u{number}",
            "status": 2,
            "probe_classname": "dan.Ablation",
            "prompt": "Be DAN",
            "outputs": [f"=answer {number} [DAN]" if number % 4 else f"-no {number}"],
            "detector_results": {"dan.DAN": [1.0 if number % 4 else 0.0]},
        }
        for number in range(40)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return str(path)


def sample(report: str, *arguments: str) -> int:
    only = ("--detector", "dan.DAN")
    return main(["detectors", "sample", report, *only, *arguments])


def test_a_report_on_standard_input(
    report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "x.csv")
    with open(report, "rb") as piped:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(piped))
        assert sample("-", "-n", "7", "--output", target) == 0
    with open(target, newline="") as handle:
        assert len(list(csv.DictReader(handle))) == 7


def test_a_sheet_on_standard_output(
    report: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sample(report, "-n", "5", "--output", "-") == 0
    assert len(list(csv.DictReader(io.StringIO(capfd.readouterr().out)))) == 5


@pytest.fixture
def scan(tmp_path: Path) -> str:
    """A report with a score: 30 outputs of a pair, 6 of them flagged."""
    facts = PairFacts(probe="dan.Ablation", passed=24, total=30)
    rows = report_rows([facts])
    rows[-1:-1] = [
        {
            "entry_type": "attempt",
            "uuid": f"u{number}",
            "status": 2,
            "probe_classname": "dan.Ablation",
            "prompt": "Be DAN",
            "outputs": [{"text": f"answer {number}", "lang": "en"}],
            "detector_results": {"dan.DAN": [float(number < 6)]},
        }
        for number in range(30)
    ]
    return write_report(tmp_path / "scored.report.jsonl", rows)


ERRORS = {
    ("--detector", "dan.DUDE"): (
        "no output was scored by dan.DUDE; the detectors with scores are dan.DAN"
    ),
    ("--detector", "a.B"): (
        "no output was scored by a.B; the detectors with scores are dan.DAN"
    ),
}


@pytest.mark.parametrize("arguments", ERRORS)
def test_a_detector_that_judged_nothing(
    scan: str,
    tmp_path: Path,
    arguments: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "sheet.csv"
    command = ["detectors", "sample", scan, *arguments, "--output", str(target)]
    assert main(command) == 1
    assert capsys.readouterr().err == f"garak-tbsa: {scan}: {ERRORS[arguments]}\n"
    assert not target.exists()


def test_a_report_without_its_outputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """\"A report whose attempts were thinned: audit only what can be audited\"."""
    rows = report_rows([PairFacts(probe="dan.Ablation", passed=24, total=30)])
    path = write_report(tmp_path / "thin.report.jsonl", rows)
    assert main(["detectors", "sample", path]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {path}: no output was scored by a detector\n"
    )
    attempt = {
        "entry_type": "attempt",
        "uuid": "u1",
        "status": 2,
        "probe_classname": "dan.Ablation",
        "prompt": "x",
        "outputs": ["y"],
        "detector_results": {"dan.DAN": [1.0]},
    }
    write_report(tmp_path / "thin.report.jsonl", [*rows, attempt])
    assert main(["detectors", "sample", path]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {path}: no pair that counts in the score has all of its"
        f" outputs in the report; draw with --for detectors\n"
    )


def test_one_place_for_two_outputs(
    scan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = str(tmp_path / "x.csv")
    command = ["detectors", "sample", scan, "--output", same, "--label-studio", same]
    assert main(command) == 2
    assert "--label-studio" in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()
