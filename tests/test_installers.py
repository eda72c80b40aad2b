# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel on every Python of the machine, by each installer, without dependencies.

``make dist-test`` does the same with all of them, which takes minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from garak_tbsa import __version__
from tests.gold import FOLDER
from tests.installed import built_wheel
from tests.installers import (
    INSTALLERS,
    OLDEST,
    UV,
    Installed,
    pythons,
    ran,
    with_uv,
)

if TYPE_CHECKING:
    from pathlib import Path

SUPPORTED = [minor for minor in pythons() if minor >= OLDEST]
REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
BARE = [name for name in INSTALLERS if name != "pipx"]
"""pipx refuses a package without its dependencies."""


def test_there_is_a_python_to_try() -> None:
    assert SUPPORTED


@pytest.mark.parametrize("installer", BARE)
@pytest.mark.parametrize("minor", SUPPORTED, ids=lambda minor: f"3.{minor}")
def test_each_installer_makes_a_command_that_says_what_it_lacks(
    minor: int, installer: str, tmp_path: Path
) -> None:
    installed = INSTALLERS[installer](
        pythons()[minor], built_wheel(), tmp_path, bare=True
    )
    assert _said(installed, "--version") == (0, f"garak-tbsa {__version__}\n", "")
    for module, command in (
        ("msgspec", ("detectors", "rank")),
        ("msgspec", ("show", REPORT)),
    ):
        lacking = (
            f"garak-tbsa: this needs {module}, and {installed.python} does not have it;"
            " pip install garak-tbsa installs all that is needed\n"
        )
        assert _said(installed, *command) == (1, "", lacking)


@pytest.mark.parametrize("minor", SUPPORTED, ids=lambda minor: f"3.{minor}")
def test_without_anything_else_it_says_what_is_there(
    minor: int, tmp_path: Path
) -> None:
    installed = with_uv(pythons()[minor], built_wheel(), tmp_path, bare=True)
    for command in (("status",), ("score", REPORT)):
        code, out, problems = _said(installed, *command)
        assert (code, out) == (1, "")
        assert problems.startswith(
            (
                "garak-tbsa: this needs msgspec, and ",
                "garak-tbsa: this needs numpy, and",
            )
        )
        assert problems.count("\n") == 1
    # the start-up hook is of no consequence to other programs
    quiet = ran([str(installed.python), "-c", "pass"])
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def _said(installed: Installed, *arguments: str) -> tuple[int, str, str]:
    done = ran([str(installed.command), *arguments], {"PYTHONIOENCODING": "utf-8"})
    return done.returncode, done.stdout, done.stderr


def test_an_older_python_is_refused_by_the_installer(tmp_path: Path) -> None:
    if OLDEST - 1 not in pythons():
        pytest.skip(f"no Python 3.{OLDEST - 1} on this machine")
    python = str(pythons()[OLDEST - 1])
    target = ["--no-deps", "--target", str(tmp_path / "target"), str(built_wheel())]
    with_pip = ran([python, "-m", "pip", "install", "--no-index", *target])
    assert with_pip.returncode == 1
    assert "requires a different Python: 3.9" in with_pip.stderr
    assert "not in '>=3.10'" in with_pip.stderr
    with_uv = ran([*UV, "pip", "install", "--python", python, *target])
    assert with_uv.returncode == 1
    assert "Python>=3.10" in with_uv.stderr
