# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The package installed and removed: our place in garak's namespace."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from garak_tbsa.host import _register
from garak_tbsa.host.gates import GATES
from tests.installed import Environment, built_wheel, new_environment, with_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

WHERE = "import {0}; print({0}.__file__)"
MODULES = "import sys; print(*sorted(sys.modules))"
ANALYZE = ("-m", "garak.analyze.tbsa")


def where(environment: Environment, module: str, folder: Path) -> str:
    """The file that a module comes from, after an import that says nothing."""
    done = environment.run("-c", WHERE.format(module), folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.parametrize("install", ["install_wheel", "install_editable"])
def test_both_names_are_ours_until_we_are_uninstalled(
    install: str, tmp_path: Path, gold_folder: str
) -> None:
    environment = new_environment()
    getattr(environment, install)()
    assert where(environment, "garak.analyze.tbsa", tmp_path).endswith("served_tbsa.py")
    assert where(environment, "garak.analyze.detector_eval", tmp_path).endswith(
        "served_detector_eval.py"
    )
    report = f"{gold_folder}/garak-0.16.0.report.jsonl"
    done = environment.run(*ANALYZE, "-r", report, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "TBSA sums a scan up" in done.stdout

    environment.uninstall()
    garaks = where(environment, "garak.analyze.tbsa", tmp_path)
    assert garaks.endswith("garak/analyze/tbsa.py")
    assert "garak_tbsa" not in garaks
    gone = environment.run("-c", "import garak.analyze.detector_eval", folder=tmp_path)
    assert "No module named 'garak.analyze.detector_eval'" in gone.stderr
    # folders count too: an empty garak_tbsa/ could still be imported
    left = [path.name for path in environment.packages.rglob("*")]
    assert left == ["shared.pth"]


def test_the_description_on_an_index_page_needs_no_file_beside_it() -> None:
    with zipfile.ZipFile(built_wheel()) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        description = wheel.read(name).decode().partition("\n\n")[2]
    links = re.findall(r"\]\(([^)]*)\)", description)
    assert links
    assert all(link.startswith(("https://", "#")) for link in links), links
    assert "(`docs/how_to/after_a_scan.md`)" in description


def test_the_metadata_names_each_python_that_is_tested_and_no_invented_host() -> None:
    with zipfile.ZipFile(built_wheel()) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        fields = wheel.read(name).decode().partition("\n\n")[0].splitlines()
    pythons = "Classifier: Programming Language :: Python :: 3."
    assert [field.removeprefix(pythons) for field in fields if pythons in field] == [
        *("10", "11", "12", "13")
    ]
    urls = [field for field in fields if field.startswith("Project-URL")]
    assert urls == ["Project-URL: garak, https://github.com/NVIDIA/garak"]


def test_the_wheel_has_the_labelled_data_and_not_its_curation() -> None:
    with zipfile.ZipFile(built_wheel()) as wheel:
        names = wheel.namelist()
    data = "garak_tbsa/data/detectors-eval/"
    found = {
        name.removeprefix(data).partition("/")[0]
        for name in names
        if name.startswith(data)
    }
    assert found == {
        "README.md",
        "detector_metrics_summary.json",
        "labelled",
        "served_by.json",
    }
    assert sum(name.startswith(f"{data}labelled/") for name in names) > 80
    assert not [name for name in names if "labelled_data" in name]


def test_nothing_is_installed_into_garaks_own_folders() -> None:
    with zipfile.ZipFile(built_wheel()) as wheel:
        tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "garak_tbsa",
        "garak_tbsa_register.pth",
    }


def test_the_wheel_holds_all_that_is_read_at_run_time() -> None:
    """Templates, schemas and tables of the package, and its labelled rows."""
    with zipfile.ZipFile(built_wheel()) as wheel:
        names = set(wheel.namelist())
    root = Path(__file__).parents[2]
    files = {
        path.relative_to(root).as_posix()
        for path in (root / "garak_tbsa").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert len(files) > 200
    assert files - names == set()
    assert "garak_tbsa/data/detectors-eval/labelled/dan.DAN.jsonl" in names


def test_an_installed_package_makes_pages_and_finds_its_data(
    tmp_path: Path, gold_folder: str
) -> None:
    report = f"{gold_folder}/garak-0.16.0.report.jsonl"
    page = ("score", "-q", "--html", "page.html", report)
    done = with_wheel().run("-m", "garak_tbsa", *page, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "<h1>TBSA of a garak scan</h1>" in (tmp_path / "page.html").read_text()
    data = (
        "from garak_tbsa.detector_eval import shipped; print(shipped.shipped_folder())"
    )
    done = with_wheel().run("-c", data, folder=tmp_path)
    assert done.stdout.startswith(str(with_wheel().packages))


def test_start_up_imports_our_three_modules_and_nothing_else(tmp_path: Path) -> None:
    """An interpreter that never touches garak imports nothing for us but these."""
    bare = new_environment(shared=False)
    # Python 3.13 imports an encoding for the first .pth file, whoever it belongs to
    (bare.packages / "another.pth").write_text("# another package's\n")
    without = set(bare.run("-c", MODULES, folder=tmp_path).stdout.split())
    bare.install_wheel()
    with_ours = set(bare.run("-c", MODULES, folder=tmp_path).stdout.split())
    assert with_ours - without == {
        "garak_tbsa",
        "garak_tbsa.host",
        "garak_tbsa.host._register",
    }


def syntax_error(package: Path) -> None:
    (package / "host" / "_register.py").write_text("def (:\n")


def no_package(package: Path) -> None:
    package.rename(package.with_name("elsewhere"))


def raising_register(package: Path) -> None:
    (package / "host" / "_register.py").write_text("raise SystemExit('broken')\n")


def raising_hook(package: Path) -> None:
    (package / "host" / "hook.py").write_text("raise RuntimeError('broken')\n")


def exiting_hook(package: Path) -> None:
    (package / "host" / "hook.py").write_text("raise SystemExit(0)\n")


def no_served_module(package: Path) -> None:
    (package / "host" / "served_tbsa.py").unlink()


@pytest.fixture(scope="module")
def breakable() -> Environment:
    environment = new_environment()
    environment.install_wheel()
    return environment


@pytest.mark.parametrize(
    "breaking",
    [
        syntax_error,
        no_package,
        raising_register,
        raising_hook,
        exiting_hook,
        no_served_module,
    ],
)
def test_a_broken_install_harms_no_other_program(
    breaking: Callable[[Path], None], breakable: Environment, tmp_path: Path
) -> None:
    package = breakable.packages / "garak_tbsa"
    kept = {path: path.read_bytes() for path in package.rglob("*.py")}
    breaking(package)
    try:
        quiet = breakable.run("-c", "pass", folder=tmp_path)
        assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
        # garak.cli is wrapped only where the command modules are executed
        version = breakable.run("-m", "garak", "--version", folder=tmp_path)
        assert (version.returncode, version.stderr) == (0, "")
        assert version.stdout.count("\n") == 1
        assert version.stdout.startswith("garak LLM vulnerability scanner v")
        found = where(breakable, "garak.analyze.tbsa", tmp_path)
        if breaking not in (raising_hook, exiting_hook):
            assert found.endswith("garak/analyze/tbsa.py")
    finally:
        if not package.exists():
            package.with_name("elsewhere").rename(package)
        for path, content in kept.items():
            path.write_bytes(content)


def test_a_broken_hook_lets_no_gate_pass(
    breakable: Environment, tmp_path: Path
) -> None:
    """And does not judge where none is set, or where garak only lists."""
    hook = breakable.packages / "garak_tbsa" / "host" / "hook.py"
    kept = hook.read_bytes()
    raising_hook(breakable.packages / "garak_tbsa")
    (tmp_path / "run.yaml").write_text("reporting: {tbsa: {fail_under: 1}}\n")
    try:
        gated = breakable.run("-m", "garak", "--config", "run.yaml", folder=tmp_path)
        assert gated.returncode == 3
        assert gated.stderr == _register.BROKEN
        for arguments in (["--config", "run.yaml", "--list_detectors"], []):
            done = breakable.run("-m", "garak", *arguments, folder=tmp_path)
            assert (done.returncode, done.stderr) == (0, "")
        off = {"GARAK_TBSA": "0"}
        done = breakable.run(
            *("-m", "garak", "--config", "run.yaml"), folder=tmp_path, settings=off
        )
        assert (done.returncode, done.stderr) == (0, "")
    finally:
        hook.write_bytes(kept)


def test_the_gates_are_those_that_can_be_set() -> None:
    assert _register.GATES == GATES


def test_garaks_other_modules_and_other_finders_are_left_alone(tmp_path: Path) -> None:
    program = """
import sys
from garak_tbsa.host._register import Finder
finders = [finder for finder in sys.meta_path if isinstance(finder, Finder)]
assert len(finders) == 1, finders
for name in ("garak", "garak.analyze", "garak.attempt", "json", "tbsa", "nothing"):
    assert finders[0].find_spec(name, []) is None, name
# a module that is not there is not made up
assert finders[0].find_spec("garak.cli", []) is None
import importlib, garak.command
assert garak.command.end_run.__wrapped__
importlib.reload(garak.command)
assert not hasattr(garak.command.end_run.__wrapped__, "__wrapped__"), "wrapped twice"
"""
    done = with_wheel().run("-c", program, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
