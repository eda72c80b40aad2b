# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel in environments of its own, by each installer and Python at hand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.installed import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

OLDEST = 10
"""Of the Pythons 3 that ``requires-python`` takes."""
CONSTRAINTS = REPOSITORY / "constraints.txt"
UV = [sys.executable, "-m", "uv"]
PIPX = [*UV, "tool", "run", "pipx==1.17.10"]


def pythons() -> dict[int, Path]:
    """Interpreters of this machine by their minor version, one of each; none is run."""
    found: dict[int, Path] = {}
    for minor, path in _candidates():
        found.setdefault(minor, path)
    return dict(sorted(found.items()))


def _candidates() -> Iterator[tuple[int, Path]]:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for folder in sorted(root.glob("versions/3.*")):
        match = re.fullmatch(r"3\.(\d+)\.\d+", folder.name)
        if match and (folder / "bin" / "python").is_file():
            yield int(match[1]), folder / "bin" / "python"
    for minor in range(OLDEST - 1, OLDEST + 10):
        # a shim of pyenv is there for versions that it then does not run
        if (path := shutil.which(f"python3.{minor}")) and "shims" not in path:
            yield minor, Path(path)


@dataclass(frozen=True, kw_only=True)
class Installed:
    """What an installer made: our command, and the Python that runs it."""

    command: Path
    python: Path


def with_pip(python: Path, wheel: Path, folder: Path, *, bare: bool) -> Installed:
    """Install into a virtual environment, with the pip of its Python."""
    venv = folder / "venv"
    checked([str(python), "-m", "venv", "--without-pip", str(venv)])
    command = [str(python), "-m", "pip", "--python", str(venv / "bin" / "python")]
    command += ["install", "-q", "--disable-pip-version-check"]
    checked([*command, *(["--no-deps"] if bare else constraints(python)), str(wheel)])
    return _in(venv)


def with_uv(
    python: Path, wheel: Path, folder: Path, *, bare: bool, without: Sequence[str] = ()
) -> Installed:
    """Install into a virtual environment with uv alone."""
    venv = folder / "venv"
    checked([*UV, "venv", "-q", "--python", str(python), str(venv)])
    command = [*UV, "pip", "install", "-q", "--python", str(venv / "bin" / "python")]
    command += ["--no-deps"] if bare else constraints(python)
    checked([*command, *_excluding(without, folder), str(wheel)])
    return _in(venv)


def with_uv_tool(
    python: Path, wheel: Path, folder: Path, *, bare: bool, without: Sequence[str] = ()
) -> Installed:
    """Install as a tool with an environment that nobody sees, as pipx does."""
    command = [*UV, "tool", "install", "-q", "--python", str(python)]
    command += [] if bare else constraints(python)
    excluded = declared_dependencies(wheel) if bare else without
    variables = {
        "UV_TOOL_DIR": str(folder / "tools"),
        "UV_TOOL_BIN_DIR": str(folder / "bin"),
    }
    checked([*command, *_excluding(excluded, folder), str(wheel)], variables)
    return Installed(
        command=folder / "bin" / "garak-tbsa",
        python=folder / "tools" / "garak-tbsa" / "bin" / "python",
    )


def with_pipx(python: Path, wheel: Path, folder: Path, *, bare: bool) -> Installed:
    """Install with pipx, which refuses a package without its dependencies."""
    assert not bare
    variables = {
        "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
    }
    if constraints(python):
        variables["PIP_CONSTRAINT"] = str(CONSTRAINTS)
    checked([*PIPX, "install", "--python", str(python), str(wheel)], variables)
    return Installed(
        command=folder / "bin" / "garak-tbsa",
        python=folder / "pipx" / "venvs" / "garak-tbsa" / "bin" / "python",
    )


INSTALLERS: dict[str, Callable[..., Installed]] = {
    "pip": with_pip,
    "uv": with_uv,
    "uv-tool": with_uv_tool,
    "pipx": with_pipx,
}


WITHOUT = ("uv", "uv-tool")
"""Installers that can leave a dependency of a dependency out."""


def constraints(python: Path) -> list[str]:
    """Options of pip and uv for the versions that the project is tested with."""
    if pythons().get(OLDEST) == python:
        return []  # the newest garak, and so its versions, are for 3.11 and later
    options = ["--constraint", str(CONSTRAINTS)]
    for folder in os.environ.get("PIP_FIND_LINKS", "").split():
        options += ["--find-links", folder]
    return options


def declared_dependencies(wheel: Path) -> list[str]:
    """Names of what a wheel requires without any extra."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        fields = archive.read(name).decode("utf-8").partition("\n\n")[0]
    required = re.findall(r"^Requires-Dist: ([\w.-]+)(.*)$", fields, re.MULTILINE)
    return [name for name, rest in required if "extra ==" not in rest]


def checked(command: list[str], variables: Mapping[str, str] | None = None) -> str:
    """Run a command that has to succeed, and return its output."""
    done = ran(command, variables)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def ran(
    command: list[str],
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command without the checkout on its path."""
    environment = {**os.environ, **(variables or {})}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        command,
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def _excluding(names: Sequence[str], folder: Path) -> list[str]:
    if not names:
        return []
    listed = folder / "excluded.txt"
    listed.write_text("\n".join(names), encoding="utf-8")
    return ["--excludes", str(listed)]


def _in(venv: Path) -> Installed:
    return Installed(
        command=venv / "bin" / "garak-tbsa", python=venv / "bin" / "python"
    )
