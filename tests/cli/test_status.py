# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa status`` in environments where we are active, and where we are not."""

from __future__ import annotations

import json
import os
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from garak_tbsa.cli import status as command
from garak_tbsa.garak_api import installed
from garak_tbsa.host import _register
from tests.installed import (
    HOST_VARIABLE,
    Environment,
    built_wheel,
    new_environment,
    with_wheel,
)
from tests.numpy_alone import numpy_alone

if TYPE_CHECKING:
    import subprocess

STATUS = ("-m", "garak_tbsa", "status")
OFF = "❌ scans do not end with their score: "


def reason(done: subprocess.CompletedProcess[str]) -> str:
    """Why the hook is off, as the text has it."""
    assert (done.returncode, done.stderr) == (1, "")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(OFF)]
    return line.removeprefix(OFF)


def test_an_installed_package_is_active(tmp_path: Path) -> None:
    done = with_wheel().run(*STATUS, "--json", "status.json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "✔️ scans end with their score\n" in done.stdout
    assert done.stdout.count("provided by garak-tbsa") == 2
    assert ": supported\n" in done.stdout
    assert re.search(r"calibration: of \d{4}-\d\d-\d\d, ", done.stdout)
    document = json.loads((tmp_path / "status.json").read_text())
    assert document["follows_scans"] is True
    assert document["hook"] == {"active": True, "off_because": None}
    assert {name for name, entry in document["served"].items() if entry["ours"]} == {
        "garak.analyze.tbsa",
        "garak.analyze.detector_eval",
    }
    assert document["garak"]["calibration"]["pairs"] > 50
    # nothing of garak's was imported for that, so nothing was written
    assert {path.name for path in tmp_path.iterdir()} == {"status.json"}


def test_the_switch(tmp_path: Path) -> None:
    done = with_wheel().run(*STATUS, folder=tmp_path, settings={"GARAK_TBSA": "0"})
    assert reason(done) == "GARAK_TBSA=0 is set in the environment"


def test_the_site_configuration(tmp_path: Path) -> None:
    site = tmp_path / "config" / "garak"
    site.mkdir(parents=True)
    (site / "garak.site.yaml").write_text("reporting: {tbsa: false}\n")
    done = with_wheel().run(*STATUS, folder=tmp_path)
    assert reason(done) == (
        "reporting.tbsa.enabled is false in garak's site configuration"
    )
    (site / "garak.site.yaml").write_text("reporting: {tbsa: {fail-under: 3}}\n")
    done = with_wheel().run(*STATUS, "--json", "-", folder=tmp_path)
    assert done.returncode == 0
    problem = "reporting.tbsa.fail-under: not a setting (did you mean fail_under?)"
    assert f"❌ site configuration: {problem}\n" in done.stderr
    assert f'"site_settings_problem": "{problem}"' in done.stdout


@pytest.fixture(scope="module")
def bare() -> Environment:
    """An environment with garak and without us."""
    return new_environment()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``pip install --target`` makes of the wheel."""
    folder = tmp_path_factory.mktemp("target")
    with zipfile.ZipFile(built_wheel()) as wheel:
        wheel.extractall(folder)
    return folder


def test_a_target_folder(bare: Environment, target: Path, tmp_path: Path) -> None:
    done = bare.run(*STATUS, folder=tmp_path, settings={"PYTHONPATH": str(target)})
    assert reason(done) == (
        f"{target} is not a site-packages folder of this Python, as with"
        " pip install --target, so its .pth files are not read"
    )
    assert "❌ garak.analyze.detector_eval is not there, not by" in done.stdout
    assert "❌ garak.analyze.tbsa is provided by" in done.stdout


def test_a_checkout(bare: Environment, target: Path, tmp_path: Path) -> None:
    (tmp_path / "garak_tbsa").symlink_to(target / "garak_tbsa")
    done = bare.run(*STATUS, folder=tmp_path)
    assert reason(done) == (
        "garak_tbsa_register.pth is in no site-packages folder of this Python;"
        " pip install garak-tbsa"
    )


@pytest.mark.skipif(HOST_VARIABLE in os.environ, reason="a garak is on the path")
def test_no_site(bare: Environment, target: Path, tmp_path: Path) -> None:
    found = os.pathsep.join([str(target), str(numpy_alone(tmp_path))])
    done = bare.run("-S", *STATUS, folder=tmp_path, settings={"PYTHONPATH": found})
    assert reason(done) == "Python runs with -S, so it reads no .pth files"
    assert "❌ garak: no garak is installed here; pip install garak" in done.stdout


def test_an_archive(bare: Environment, tmp_path: Path) -> None:
    archive = tmp_path / "app.pyz"
    archive.write_bytes(built_wheel().read_bytes())
    with zipfile.ZipFile(archive, "a") as app:
        app.writestr("__main__.py", "import runpy; runpy.run_module('garak_tbsa')")
    done = bare.run(*STATUS, folder=tmp_path, settings={"PYTHONPATH": str(archive)})
    assert reason(done) == (
        f"the package is in an archive ({archive}), where .pth files are not read"
    )


def test_a_registration_that_fails(tmp_path: Path) -> None:
    broken = new_environment()
    broken.install_wheel()
    package = broken.packages / "garak_tbsa"
    (package / "host" / "_register.py").write_text("raise RuntimeError\n")
    done = broken.run(*STATUS, folder=tmp_path)
    assert reason(done) == (
        f"garak_tbsa_register.pth in {broken.packages} failed; python -c 'import"
        " garak_tbsa.host._register' may show why"
    )


def test_the_modules_that_we_serve_are_known() -> None:
    assert set(command.SERVED) == set(_register.SERVED)
    assert _register.__name__ == command.REGISTER


# an installed garak that is not as it should be


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a garak that has nothing."""
    garak = tmp_path / "garak"
    garak.mkdir()
    monkeypatch.setattr(installed, "garak_folder", lambda: str(garak))
    monkeypatch.setattr(installed, "user_data_folder", lambda: str(tmp_path / "u"))
    monkeypatch.setattr(installed, "find_calibration", lambda _: None)
    return garak


def said() -> str:
    return "\n".join(
        command.lines({**command.status(), "installed_detector_metrics": []})
    )


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("0.17.1", "✔️ garak 0.17.1 in {0}: supported"),
        ("0.14.0.pre1", "✔️ garak 0.14.0.pre1 in {0}: supported"),
        ("0.13.3", "⚠️ garak 0.13.3 in {0}: not supported; the oldest is 0.14"),
        ("0.18", "⚠️ garak 0.18 in {0}: not tested, 0.14 to 0.17 are"),
        ("1.0", "⚠️ garak 1.0 in {0}: not tested, 0.14 to 0.17 are"),
        ("next", "⚠️ garak next in {0}: not tested, 0.14 to 0.17 are"),
    ],
)
def test_the_version_of_garak(version: str, line: str, folder: Path) -> None:
    (folder / "__init__.py").write_text(f'__version__ = "{version}"\n')
    assert line.format(folder) in said().splitlines()


def test_a_garak_that_says_nothing(folder: Path) -> None:
    assert f"⚠️ garak of unknown version in {folder}: not tested, 0.14 to" in said()
    assert "⚠️ calibration: none, garak has none that can be read" in said()
    assert "   detector metrics: none, this garak has none" in said()


def test_whose_detector_metrics(folder: Path) -> None:
    """A user's hide garak's own, from garak 0.17 on."""
    users = folder.parent / "u" / installed.METRICS
    own = folder / "data" / installed.METRICS
    for path, detectors in ((users, ["dan.DAN"]), (own, ["dan.DAN", "dan.STAN"])):
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"results": dict.fromkeys(detectors, 0)}))
    (folder / "__init__.py").write_text('__version__ = "0.17.0"\n')
    assert (
        "   detector metrics: 1 detectors, the user's, in place of garak's own,"
        f" {users}" in said()
    )
    (folder / "__init__.py").write_text('__version__ = "0.16.0"\n')
    assert f"   detector metrics: 2 detectors, garak's own, {own}" in said()
    own.write_text("[]")
    assert f"none, {own} cannot be read, expected garak's summary" in said()


def test_no_garak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "garak_folder", lambda: None)
    found = command.status()
    assert not found["follows_scans"]
    assert found["site_settings_problem"] is None
    assert found["garak"] == {
        "installed": False,
        "missing_because": "no garak is installed here",
    }
