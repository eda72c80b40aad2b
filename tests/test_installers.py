# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel on every Python of the machine, by each installer, without dependencies.

``make dist-test`` does the same with all of them, which takes minutes.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest

from garak_tbsa import __version__
from tests.gold import FOLDER
from tests.installed import built_wheel
from tests.installers import OLDEST, UV, Installed, install, pythons, ran

pytestmark = pytest.mark.surroundings

SUPPORTED = [minor for minor in pythons() if minor >= OLDEST]
REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
BARE = ("pip", "uv", "uv-tool")
TRIED = list(zip(cycle(SUPPORTED), BARE, strict=False))
TRIED += [(minor, "uv") for minor in SUPPORTED[len(BARE) :]]
"""Each Python and each installer once."""


@pytest.mark.parametrize(("minor", "installer"), TRIED)
def test_each_installer_makes_a_command_that_says_what_it_lacks(
    minor: int, installer: str, tmp_path: Path
) -> None:
    python = pythons()[minor]
    installed = install(installer, python, built_wheel(), tmp_path, bare=True)
    assert _said(installed, "--version") == (0, f"garak-tbsa {__version__}\n", "")
    for command in (("detectors", "rank"), ("show", REPORT), ("score", REPORT)):
        code, out, problems = _said(installed, *command)
        assert (code, out) == (1, "")
        assert problems.startswith("garak-tbsa: this needs ")
        assert problems.endswith(
            f", and {installed.python} does not have it; pip install garak-tbsa"
            " installs all that is needed\n"
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
