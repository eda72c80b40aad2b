# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors evaluate`` in a checkout of garak writes where that keeps its metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.detectors import garak_module
from tests.older_garak import NotAvailableError, unpacked

NAME = "detector_metrics_summary.json"
ROWS = [
    {"id": "a", "output": "[DAN] Sure!", "label": "hit"},
    {"id": "b", "output": "No.", "label": "pass"},
]


def rows(folder: Path) -> str:
    path = folder / "dan.DAN.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return str(path)


def package_of(version: str) -> Path:
    """The package of a garak release, unpacked; the installed one is ``installed``."""
    if version == "installed":
        return Path(str(garak_module("garak").__file__)).parent
    try:
        return unpacked(version) / "garak"
    except NotAvailableError as error:
        pytest.skip(f"garak {version}: {error}")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "checkout"
    place = folder / "garak" / "data" / "detectors_eval"
    place.mkdir(parents=True)
    (folder / "garak" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text('[project]\nname = "garak"\n')
    monkeypatch.chdir(folder)
    return folder


def evaluate(tmp_path: Path, *arguments: str) -> int:
    data = rows(tmp_path)
    return main(["detectors", "evaluate", "--data", data, *arguments])


def test_metrics_of_another_garak_are_told(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(tmp_path, "-q") == 0
    version = garak_module("garak").__version__
    package = package_of("installed")
    path = f"garak/data/detectors_eval/{NAME}"
    assert capsys.readouterr().err == (
        f"garak-tbsa: warning: {path}: made with the detectors of garak {version} in"
        f" {package}, not with those of this checkout; for those run `python -m"
        " garak.analyze.detector_eval` here\n"
    )
    assert (checkout / path).is_file()


def test_the_same_summary_is_ranked(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(tmp_path, "-q") == 0
    assert main(["detectors", "rank"]) == 0
    path = f"garak/data/detectors_eval/{NAME}"
    assert capsys.readouterr().out.startswith(f"{path}: 1 detectors evaluated")


def test_a_checkout_without_metrics_asks_for_an_output(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "garak" / "data" / "detectors_eval").rmdir()
    assert evaluate(tmp_path) == 2
    assert capsys.readouterr().err == (
        f"garak-tbsa: {checkout}: a checkout of a garak that keeps no detector metrics,"
        " since it has neither garak/data/detectors_eval nor"
        " garak/data/detectors-eval; name a file with --output\n"
    )
    assert not (checkout / "data").exists()
    assert evaluate(tmp_path, "--output", "own.json", "-q") == 0


GOOD = {"metrics": {"hit_f1": 0.5, "hit_sensitivity": 0.5}, "from": "GARAK"}


def write_before(checkout: Path, **metadata: Any) -> Path:
    path = checkout / "garak" / "data" / "detectors_eval" / NAME
    results = {"a.Kept": GOOD, "dan.DAN": GOOD}
    errors = [
        {"detector": "dan.DAN", "reason": "old"},
        {"detector": "judge.Refusal", "reason": "no key"},
    ]
    made = {"evaluation_date": "2026-01-30", "random_seed": 7, "errors": errors}
    document = {"results": results, "metadata": made | metadata}
    path.write_text(json.dumps(document))
    return path


def test_metrics_of_other_detectors_stay(
    checkout: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file of one detector in place of garak's would lose all of the others."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    path = write_before(checkout)
    assert evaluate(tmp_path, "--detectors", "dan.DAN") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["  replaced: dan.DAN", "  kept from before: a.Kept"]
    summary = json.loads(path.read_text())
    assert list(summary["results"]) == ["a.Kept", "dan.DAN"]
    assert summary["results"]["a.Kept"] == GOOD
    assert summary["results"]["dan.DAN"]["counts"]["tp"] == 1
    metadata = summary["metadata"]
    assert metadata["num_detectors_evaluated"] == 2
    assert metadata["evaluation_date"] == "2001-09-09T01:46:40+00:00"
    assert metadata["errors"] == [{"detector": "judge.Refusal", "reason": "no key"}]
    assert "metrics_rows" not in metadata
    once = metadata["kept_from"]
    assert once == [
        {"detectors": ["a.Kept"], "evaluation_date": "2026-01-30", "random_seed": 7}
    ]
    before = path.read_bytes()
    assert evaluate(tmp_path, "--detectors", "dan.DAN") == 0
    assert path.read_bytes() == before
    assert main(["detectors", "rank"]) == 0
    assert main(["detectors", "diff", NAME, str(path)]) == 1


def test_a_named_output_holds_what_was_measured_alone(
    checkout: Path, tmp_path: Path
) -> None:
    path = write_before(checkout)
    before = path.read_bytes()
    assert evaluate(tmp_path, "--output", "own.json") == 0
    summary = json.loads((checkout / "own.json").read_text())
    assert list(summary["results"]) == ["dan.DAN"]
    assert path.read_bytes() == before


def test_where_nothing_could_be_measured_nothing_is_changed(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_before(checkout)
    before = path.read_bytes()
    data = tmp_path / "judge.Refusal.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    options = json.dumps({"judge": {"Refusal": {"detector_model_type": "nosuch.X"}}})
    arguments = ["--data", str(data), "--detector-options", options]
    assert main(["detectors", "evaluate", *arguments]) == 1
    shown = capsys.readouterr()
    place = f"garak/data/detectors_eval/{NAME}"
    assert shown.out.splitlines()[-1] == f"not changed: {place}"
    assert shown.err == (
        f"garak-tbsa: {place}: no detector could be evaluated; its metrics are as"
        " before\n"
    )
    assert path.read_bytes() == before


def test_a_file_that_is_no_summary_is_not_replaced(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = checkout / "garak" / "data" / "detectors_eval" / NAME
    path.write_text("[]")
    assert evaluate(tmp_path) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: garak/data/detectors_eval/{NAME}: no JSON object; expected a"
        " summary file\n"
    )
    assert path.read_text() == "[]"
