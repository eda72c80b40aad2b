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

pytestmark = pytest.mark.surroundings
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


def test_what_is_not_committed_is_not_built(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small / "garak_tbsa" / "secret.py").write_text("KEY = 'a'\n")
    (small / "garak_tbsa" / "__init__.py").write_text("VALUE = 2\n")
    output = tmp_path / "dist"
    output.mkdir()
    (output / "garak_tbsa-8-py3-none-any.whl").write_text("of an earlier build")
    wheel, sdist = distribution(small, output)
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith(".py")]
        assert modules == ["garak_tbsa/__init__.py"]
        assert archive.read(modules[0]) == b"VALUE = 1\n"
    assert capsys.readouterr().err == (
        "dist: 2 changed files are not committed, and so not in it:"
        " garak_tbsa/__init__.py, ...\n"
    )
    assert {path.name for path in output.iterdir()} == {wheel.name, sdist.name, SUMS}
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=output, check=True)
    # every file bears the date of the commit
    with tarfile.open(sdist) as archive:
        owners = {(each.mtime, each.uname, each.gname, each.uid) for each in archive}
    assert owners == {(1795219200, "", "", 0)}
    with zipfile.ZipFile(wheel) as archive:
        dates = {info.date_time for info in archive.infolist()}
    assert dates == {(2026, 11, 21, 0, 0, 0)}


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("hatch_build.py", HOOK, r"^two builds of one commit differ in"),
        ("README.rst", "Small\n===\n\n`text\n", r"-m twine check .* failed"),
    ],
)
def test_what_differs_from_itself_or_fails_a_check_is_not_published(
    file: str, text: str, told: str, small: Path, tmp_path: Path
) -> None:
    """A build that asks for the time zone, a page that no index shows."""
    (small / file).write_text(text)
    git(small, "commit", "-qam", "spoilt")
    with pytest.raises(DistributionError, match=told):
        distribution(small, tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


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


@needs_a_clone
def test_the_sdist_has_every_file_of_the_repository_and_runs_its_tests(
    tmp_path: Path,
) -> None:
    """Some of them here."""
    _, sdist = built(REPOSITORY, tmp_path / "once", "1795219200", SURROUNDINGS[0])
    committed = git(REPOSITORY, "ls-tree", "-r", "-z", "--name-only", "HEAD")
    with tarfile.open(sdist) as archive:
        files = {each.name.partition("/")[2] for each in archive if each.isfile()}
        archive.extractall(tmp_path / "unpacked", filter="data")
    assert files == {*committed.rstrip("\0").split("\0"), "PKG-INFO"}
    (folder,) = (tmp_path / "unpacked").iterdir()
    tests = ("tests/test_dependencies.py", "tests/test_terminal.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
