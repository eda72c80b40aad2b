# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors evaluate`` in a checkout of garak writes where that keeps its metrics."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.detectors import garak_module
from tests.installed import REPOSITORY
from tests.older_garak import NotAvailableError, unpacked
from tests.unmeasured import unmeasured

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


def checkout_of(package: Path, folder: Path) -> Path:
    """A checkout: the release's package, and the project file that wheels lack."""
    folder.mkdir()
    shutil.copytree(package, folder / "garak")
    (folder / "pyproject.toml").write_text('[project]\nname = "garak"\n')
    return folder


def files_of(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


@pytest.mark.parametrize(
    ("version", "place"),
    [("0.16.0", "detectors-eval"), ("installed", "detectors_eval")],
)
def test_in_a_checkout(tmp_path: Path, version: str, place: str) -> None:
    """Under garak's name, with the checkout's own detectors; no stray folder."""
    package = package_of(version)
    if not (package / "data" / place).is_dir():
        pytest.skip(f"the installed garak has no {place}")
    checkout = checkout_of(package, tmp_path / "checkout")
    before = files_of(checkout)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "garak.analyze.detector_eval"),
            *("--data", rows(tmp_path), "--replicates", "20"),
        ],
        cwd=checkout,
        env=unmeasured(PYTHONPATH=os.pathsep.join((str(checkout), str(REPOSITORY)))),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = f"garak/data/{place}/{NAME}"
    assert done.stdout.splitlines()[-1] == (
        f"written: {written} (where this checkout of garak keeps its metrics)"
    )
    summary = json.loads((checkout / written).read_text())
    assert list(summary["results"]) == ["dan.DAN"]
    assert files_of(checkout) == before | {written}


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


def test_an_output_that_is_named_is_taken(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(tmp_path, "--output", "own.json") == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == "written: own.json"
    assert said.err == ""
    assert (checkout / "own.json").is_file()


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


def test_elsewhere_the_default_is_as_it_was(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evaluate(tmp_path) == 0
    path = f"data/detectors-eval/{NAME}"
    assert capsys.readouterr().out.splitlines()[-1] == f"written: {path}"
    assert (tmp_path / path).is_file()
    with pytest.raises(SystemExit):
        main(["detectors", "evaluate", "--help"])
    said = "".join(capsys.readouterr().out.split())
    assert f"(default:{path};inacheckoutofgarak,wheregarakhasitsown)" in said
