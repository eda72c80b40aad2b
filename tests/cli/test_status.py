# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa status`` in environments where we are active, and where we are not."""

from __future__ import annotations

import json
import os
import re
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.behaviour.product import tbsa
from tests.installed import HOST_VARIABLE, built_wheel, new_environment, with_wheel
from tests.numpy_alone import numpy_alone

STATUS = ("-m", "garak_tbsa", "status")
ON = (
    "✔️ the hook is in place in this Python: scans end with their score, and gates in"
    " garak's configuration are judged"
)
NOT = (
    "scans do not end with their score, and gates in garak's configuration are not"
    " judged"
)


def off(why: str, *, is_in_place: bool = True) -> str:
    if is_in_place:
        return f"❌ the hook is in place in this Python, but {why}: {NOT}"
    return f"❌ the hook is not in place in this Python: {NOT}; {why}"


NOT_READ = (
    "this Python has read no garak_tbsa_register.pth, as it does not with -S, from an"
    " archive, or below pip install --target; pip install garak-tbsa puts it into"
    " site-packages"
)
METRICS = Path("detectors_eval", "detector_metrics_summary.json")
MODULES = {"garak.analyze.tbsa", "garak.analyze.detector_eval"}
NOT_A_SETTING = "reporting.tbsa.fail-under: not a setting (did you mean fail_under?)"


def test_an_installed_package_is_active(tmp_path: Path) -> None:
    done = with_wheel().run(*STATUS, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{ON}\n" in done.stdout
    ours = re.findall(r"^✔️ (.*): provided by garak-tbsa$", done.stdout, re.MULTILINE)
    assert set(ours) == MODULES
    assert ": supported\n" in done.stdout
    assert re.search(r"calibration: of \d{4}-\d\d-\d\d, \d{2,} pairs, ", done.stdout)
    # nothing of garak's was imported for that, so nothing was written
    assert list(tmp_path.iterdir()) == []


@pytest.mark.surroundings
def test_an_installation_without_our_place_in_garak_says_why(tmp_path: Path) -> None:
    bare, broken = new_environment(), new_environment()
    broken.install_wheel()
    register = broken.packages / "garak_tbsa" / "host" / "_register.py"
    register.write_text("raise RuntimeError\n")
    target, archive = tmp_path / "target", tmp_path / "app.pyz"
    with zipfile.ZipFile(built_wheel()) as wheel:
        wheel.extractall(target)
    archive.write_bytes(built_wheel().read_bytes())
    with zipfile.ZipFile(archive, "a") as app:
        app.writestr("__main__.py", "import runpy; runpy.run_module('garak_tbsa')")
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "garak_tbsa").symlink_to(target / "garak_tbsa")
    alone = os.pathsep.join([str(target), str(numpy_alone(tmp_path))])
    cases = [
        (
            bare.run(*STATUS, folder=tmp_path, settings={"PYTHONPATH": str(target)}),
            NOT_READ,
        ),
        (
            bare.run(*STATUS, folder=checkout),
            NOT_READ,
        ),
        (
            bare.run(*STATUS, folder=tmp_path, settings={"PYTHONPATH": str(archive)}),
            NOT_READ,
        ),
        (
            broken.run(*STATUS, folder=tmp_path),
            f"garak_tbsa_register.pth in {broken.packages} failed; python -c 'import"
            " garak_tbsa.host._register' may show why",
        ),
    ]
    # an older host is a garak on the path, which wants more than the numpy there
    if HOST_VARIABLE not in os.environ:
        settings = {"PYTHONPATH": alone}
        done = bare.run("-S", *STATUS, folder=tmp_path, settings=settings)
        cases.append((done, NOT_READ))
    for done, reason in cases:
        assert (done.returncode, done.stderr) == (1, "")
        assert f"{off(reason, is_in_place=False)}\n" in done.stdout
    assert "❌ garak.analyze.detector_eval is not there, not by" in cases[0][0].stdout
    assert "❌ garak.analyze.tbsa is provided by" in cases[0][0].stdout
    if HOST_VARIABLE not in os.environ:
        last = cases[-1][0].stdout
        assert "❌ garak: no garak is installed here; pip install garak\n" in last


def test_the_switch_and_the_site_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "garak" / "garak.site.yaml"
    site.parent.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    shown = tbsa("status")
    assert (shown.code, shown.err) == (0, "")
    assert ON in shown.lines
    assert "❌" not in shown.out
    assert f"garak {version('garak')} in " in shown.out
    site.write_text("reporting: {tbsa: {fail-under: 3}}\n")
    shown = tbsa("status")
    assert (shown.code, shown.err) == (0, "")
    assert ON in shown.lines
    assert f"❌ site configuration: {NOT_A_SETTING}" in shown.lines
    site.write_text("run: {fail_under: 3}\n")
    (line,) = [line for line in tbsa("status").lines if "❌" in line]
    assert line.startswith(
        f"❌ site configuration: {site}, line 1: run.fail_under: not"
    )
    site.write_text("reporting: {tbsa: false}\n")
    why = "reporting.tbsa.enabled is false in garak's site configuration"
    assert off(why) in tbsa("status").lines
    for value in ("0", "garak"):
        monkeypatch.setenv("GARAK_TBSA", value)
        shown = tbsa("status")
        assert shown.code == 1
        assert off(f"GARAK_TBSA={value} is set in the environment") in shown.lines
        assert ("❌ garak.analyze.tbsa" in shown.out) == (value == "garak")


@pytest.fixture
def garak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a garak that has nothing."""
    folder = tmp_path / "garak"
    folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "users"))
    return folder


OTHERS = "not tested, 0.14 to 0.17 are"


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("0.17.1", "✔️ garak 0.17.1 in {}: supported"),
        ("0.17.2.dev3", "✔️ garak 0.17.2.dev3 in {}: supported"),
        ("0.14.0.pre1", "✔️ garak 0.14.0.pre1 in {}: supported"),
        ("0.13.3", "⚠️ garak 0.13.3 in {}: not supported; the oldest is 0.14"),
        ("0.18", f"⚠️ garak 0.18 in {{}}: {OTHERS}"),
        ("1.0", f"⚠️ garak 1.0 in {{}}: {OTHERS}"),
        ("next", f"⚠️ garak next in {{}}: {OTHERS}"),
        (None, f"⚠️ garak of unknown version in {{}}: {OTHERS}"),
    ],
)
def test_the_version_of_garak(stated: str | None, said: str, garak: Path) -> None:
    text = "" if stated is None else f'__version__ = "{stated}"\n'
    (garak / "__init__.py").write_text(text)
    assert said.format(garak) in tbsa("status").lines


def test_whose_detector_metrics(garak: Path) -> None:
    """A user's hide garak's own, from garak 0.17 on."""
    (garak / "__init__.py").write_text('__version__ = "0.17.0"\n')
    lines = tbsa("status").lines
    assert "⚠️ calibration: none, garak has none that can be read" in lines
    said = "   detector metrics: none, this garak has none and makes no use of them"
    assert said in lines
    users = garak.parent / "users" / "garak" / "data" / METRICS
    own = garak / "data" / METRICS
    for path, detectors in ((users, ["dan.DAN"]), (own, ["dan.DAN", "dan.STAN"])):
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"results": dict.fromkeys(detectors, 0)}))
    assert (
        "   detector metrics: 1 detectors, the user's, in place of garak's own,"
        f" {users}" in tbsa("status").lines
    )
    (garak / "__init__.py").write_text('__version__ = "0.16.0"\n')
    said = f"   detector metrics: 2 detectors, garak's own, {own}"
    assert said in tbsa("status").lines
    own.write_text("[]")
    assert f"none, {own} cannot be read, expected garak's summary" in tbsa("status").out


def test_no_garak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("garak_tbsa.report.garak_here.garak_folder", lambda: None)
    shown = tbsa("status")
    assert shown.code == 1
    assert shown.lines[2:] == [
        off("there is no garak"),
        "❌ garak: no garak is installed here; pip install garak",
    ]
