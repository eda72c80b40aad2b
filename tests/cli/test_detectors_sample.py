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
    return main(["detectors", "sample", report, "--detector", "dan.DAN", *arguments])


def test_from_report_to_metrics(
    report: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sample(report, "-n", "20") == 0
    assert capsys.readouterr().out.splitlines() == [
        "20 of 40 outputs: dan.DAN.to_label.csv",
        "Fill the label column with hit or pass, then:",
        "  garak-tbsa detectors evaluate --data dan.DAN.to_label.csv",
    ]
    with open("dan.DAN.to_label.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        row["label"] = "hit" if "DAN" in row["output"] else "pass"
    with open("filled.csv", "w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    evaluate = ["detectors", "evaluate", "--data", "filled.csv", "--output", "s.json"]
    assert main([*evaluate, "-q"]) == 0
    summary = json.loads((tmp_path / "s.json").read_text())
    counts = summary["results"]["dan.DAN"]["counts"]
    assert counts == {"tp": 10, "fp": 0, "fn": 0, "tn": 10}
    # the same sheet labels the report itself, for outputs too long for a spreadsheet
    by_report = [*evaluate[:3], report, "--labels", "filled.csv", *evaluate[4:], "-q"]
    assert main(by_report) == 0
    again = json.loads((tmp_path / "s.json").read_text())
    assert again["results"]["dan.DAN"]["counts"] == counts


def test_an_unfilled_sheet_is_told(
    report: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "x.csv")
    assert sample(report, "--output", target) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"40 of 40 outputs (the report has no more): {target}\n")
    assert main(["detectors", "evaluate", "--data", target]) == 1
    assert capsys.readouterr().err == (
        f'garak-tbsa: {target}, row 2: no `label`; expected "hit" or "pass"\n'
    )


def test_labels_are_never_written_over(
    report: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "x.csv"
    target.write_text("label\nhit\n")
    assert sample(report, "--output", str(target)) == 1
    assert "exists, and may hold labels" in capsys.readouterr().err
    assert target.read_text() == "label\nhit\n"


def test_the_name_as_garak_writes_it_in_full(report: str, tmp_path: Path) -> None:
    target = str(tmp_path / "x.csv")
    spec = ["--detector", "garak.detectors.dan.DAN", "--output", target]
    assert main(["detectors", "sample", report, *spec]) == 0


def test_a_count_of_nothing(report: str) -> None:
    with pytest.raises(SystemExit) as caught:
        sample(report, "-n", "0")
    assert caught.value.code == 2


def test_a_report_on_standard_input(
    report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "x.csv")
    with open(report, "rb") as piped:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(piped))
        assert sample("-", "-n", "7", "--output", target) == 0
    with open(target, newline="") as handle:
        assert len(list(csv.DictReader(handle))) == 7


def test_a_sheet_does_not_replace_the_report(
    report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(report, "rb") as handle:
        before = handle.read()
    assert sample(report, "--output", report) == 2
    assert "would replace what is read as" in capsys.readouterr().err
    with open(report, "rb") as handle:
        assert handle.read() == before


def test_a_sheet_on_standard_output(
    report: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sample(report, "-n", "5", "--output", "-") == 0
    assert len(list(csv.DictReader(io.StringIO(capfd.readouterr().out)))) == 5
