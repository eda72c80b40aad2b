# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The package as users have it: built, installed in a fresh environment, run there.

An environment sees garak and its dependencies through a ``.pth`` to the running
one's packages, so that making it takes a second.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tests.unmeasured import MEASURING, unmeasured

REPOSITORY = Path(__file__).parents[1]
SHARED = sysconfig.get_path("purelib")
MEASURED = MEASURING in os.environ
MEASURE = "import coverage; coverage.process_startup()" if MEASURED else ""
"""Coverage starts itself only where it is installed, and here it is shared."""
HOST_VARIABLE = "GARAK_TBSA_TEST_HOST"
"""Folder of an older garak that the environments are to run instead."""


@lru_cache(maxsize=1)
def built_wheel() -> Path:
    """Build the wheel, once per test process."""
    folder = _temporary_folder()
    _checked(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation"],
        ["--outdir", str(folder), str(REPOSITORY)],
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A virtual environment and what it installs."""

    folder: Path

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.folder / "bin" / "python")

    @property
    def packages(self) -> Path:
        """Its own site-packages."""
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.folder / "lib" / version / "site-packages"

    def pip(self, *arguments: str) -> None:
        """Run the running environment's pip on this one."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "-q"]
        pip.append("--disable-pip-version-check")
        _checked(pip, list(arguments))

    def install_wheel(self) -> None:
        """Install the package as users do."""
        self.pip("install", "--no-deps", "--no-index", str(built_wheel()))

    def install_editable(self) -> None:
        """Install the package as developers do."""
        self.pip(
            *("install", "--no-deps", "--no-index", "--no-build-isolation"),
            *("-e", str(REPOSITORY)),
        )

    def uninstall(self) -> None:
        """Remove the package."""
        self.pip("uninstall", "-y", "garak-tbsa")

    def run(
        self,
        *arguments: str,
        folder: Path,
        settings: dict[str, str] | None = None,
        host: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run its Python in a folder that is no checkout, with garak's folders there.

        Parameters
        ----------
        arguments : str
            What follows ``python``.
        folder : Path
            Working folder; garak writes below it.
        settings : dict, optional
            Further environment variables.
        host : Path, optional
            An unpacked garak to run in place of the installed one.
        """
        variables = dict(os.environ)
        # garak, imported by another test, names its log to its children
        variables.pop("GARAK_LOG_FILE", None)
        for name in ("data", "config", "cache"):
            variables[f"XDG_{name.upper()}_HOME"] = str(folder / name)
        garak = str(host) if host else os.environ.get(HOST_VARIABLE, "")
        # what a test adds to the path comes first, as a user's would
        given = (settings or {}).get("PYTHONPATH", "")
        variables |= settings or {}
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, (given, garak)))
        variables["PYTHONIOENCODING"] = "utf-8"
        return subprocess.run(
            [self.python, *arguments],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def new_environment(*, shared: bool = True) -> Environment:
    """Make an environment without the package."""
    environment = Environment(folder=_temporary_folder() / "venv")
    venv.create(environment.folder, with_pip=False)
    if shared:
        (environment.packages / "shared.pth").write_text(f"{SHARED}\n{MEASURE}\n")
    return environment


@lru_cache(maxsize=1)
def with_wheel() -> Environment:
    """Return the environment with the wheel, once per test process; read-only."""
    environment = new_environment()
    environment.install_wheel()
    return environment


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="garak-tbsa-installed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _checked(command: list[str], arguments: list[str]) -> None:
    done = subprocess.run(
        [*command, *arguments],
        env=unmeasured(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
