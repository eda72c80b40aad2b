# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is published: of the commit alone, the same bytes twice, checked, whole."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.installed import REPOSITORY
from tools.distribution import (
    SUMS,
    SURROUNDINGS,
    DistributionError,
    built,
    distribution,
    main,
)

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "garak-tbsa"
version = "9"
description = "a small package that is built as ours is"
readme = "README.rst"
[tool.hatch.build.targets.wheel]
packages = ["garak_tbsa"]
[tool.hatch.build.hooks.custom]
"""
NO_HOOK = "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
HOOK = f"""{NO_HOOK}
import os
class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        with open("garak_tbsa/zone.py", "w") as file:
            file.write("ZONE = %r\\n" % os.environ["TZ"])
"""


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular."""
    person = {
        f"GIT_{role}_{what}": "tests@example.invalid"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **person, "GIT_COMMITTER_DATE": "1795219200 +0900"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A committed package that takes a second to build."""
    folder = tmp_path / "small"
    (folder / "garak_tbsa").mkdir(parents=True)
    (folder / "garak_tbsa" / "__init__.py").write_text("VALUE = 1\n")
    (folder / "README.rst").write_text("Small\n=====\n\nText.\n")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "hatch_build.py").write_text(
        f"{NO_HOOK}class Hook(BuildHookInterface):\n    pass\n"
    )
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "small")
    return folder


def names(wheel: Path) -> set[str]:
    """The modules of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if name.endswith(".py")}


def test_what_is_not_committed_is_not_built(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small / "garak_tbsa" / "secret.py").write_text("KEY = 'a'\n")
    (small / "garak_tbsa" / "__init__.py").write_text("VALUE = 2\n")
    output = tmp_path / "dist"
    output.mkdir()
    (output / "garak_tbsa-8-py3-none-any.whl").write_text("of an earlier build")
    wheel, sdist = distribution(small, output)
    assert names(wheel) == {"garak_tbsa/__init__.py"}
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("garak_tbsa/__init__.py") == b"VALUE = 1\n"
    assert capsys.readouterr().err == (
        "dist: 2 changed files are not committed, and so not in it:"
        " garak_tbsa/__init__.py, ...\n"
    )
    assert {path.name for path in output.iterdir()} == {wheel.name, sdist.name, SUMS}
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=output, check=True)


def test_every_file_bears_the_date_of_the_commit(small: Path, tmp_path: Path) -> None:
    wheel, sdist = distribution(small, tmp_path / "dist")
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert {member.mtime for member in members} == {1795219200}
    assert {(member.uname, member.gname, member.uid) for member in members} == {
        ("", "", 0)
    }
    with zipfile.ZipFile(wheel) as built:
        assert {info.date_time for info in built.infolist()} == {
            (2026, 11, 21, 0, 0, 0)
        }


def test_a_build_that_differs_from_itself_is_not_published(
    small: Path, tmp_path: Path
) -> None:
    (small / "hatch_build.py").write_text(HOOK)
    git(small, "commit", "-qam", "a build that asks for the time zone")
    with pytest.raises(DistributionError, match=r"^two builds of one commit differ in"):
        distribution(small, tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_a_finding_of_a_check_is_told(small: Path, tmp_path: Path) -> None:
    (small / "README.rst").write_text("Small\n===\n\n`text\n")
    git(small, "commit", "-qam", "a page that no index shows")
    with pytest.raises(DistributionError, match=r"-m twine check .* failed"):
        distribution(small, tmp_path / "dist")


def test_without_a_commit_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.distribution.ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["--output", str(tmp_path / "dist")]) == 1
    assert capsys.readouterr().err.startswith("dist: git -C ")


needs_a_clone = pytest.mark.skipif(
    not (REPOSITORY / ".git").exists(), reason="this is no clone: nothing to commit"
)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of this repository's last commit, built once."""
    folder = tmp_path_factory.mktemp("dist")
    _, found = built(REPOSITORY, folder / "once", "1795219200", SURROUNDINGS[0])
    return found


@needs_a_clone
def test_the_sdist_has_every_file_of_the_repository_and_its_own(sdist: Path) -> None:
    """So its tests find what they find in a clone."""
    committed = git(REPOSITORY, "ls-tree", "-r", "-z", "--name-only", "HEAD")
    with tarfile.open(sdist) as archive:
        found = {
            member.name.partition("/")[2]
            for member in archive.getmembers()
            if member.isfile()
        }
    assert found == {*committed.rstrip("\0").split("\0"), "PKG-INFO"}


@needs_a_clone
def test_the_sdist_runs_its_tests(sdist: Path, tmp_path: Path) -> None:
    """Some of them here; ``make dist-test`` runs more."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("tests/test_dependencies.py", "tests/test_safe_text.py"),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
