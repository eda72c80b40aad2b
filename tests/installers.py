# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel in environments of its own, by each installer and Python at hand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.installed import REPOSITORY

OLDEST = 10
"""Of the Pythons 3 that ``requires-python`` takes."""
CONSTRAINTS = REPOSITORY / "constraints.txt"
UV = [sys.executable, "-m", "uv"]


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


INTO_VENV = "venv/bin/garak-tbsa", "venv/bin/python"
INSTALLERS = {
    "pip": (
        "{python} -m venv --without-pip {folder}/venv",
        "{python} -m pip --python {folder}/{own} install -q {options} {wheel}",
        *INTO_VENV,
    ),
    "uv": (
        "{uv} venv -q --python {python} {folder}/venv",
        "{uv} pip install -q --python {folder}/{own} {options} {wheel}",
        *INTO_VENV,
    ),
    "uv-tool": (
        "{uv} tool install -q --python {python} {options} {wheel}",
        *("bin/garak-tbsa", "tools/garak-tbsa/bin/python"),
    ),
    "pipx": (
        "{uv} tool run pipx==1.17.10 install --python {python} {wheel}",
        *("bin/garak-tbsa", "pipx/venvs/garak-tbsa/bin/python"),
    ),
}
"""What each runs, where it puts our command, and the Python that runs that."""
FOLDERS = {
    "UV_TOOL_DIR": "tools",
    "UV_TOOL_BIN_DIR": "bin",
    "PIPX_HOME": "pipx",
    "PIPX_BIN_DIR": "bin",
    "PIPX_MAN_DIR": "man",
}
"""Variables that keep uv's and pipx's own folders below the test's."""


def install(
    name: str,
    python: Path,
    wheel: Path,
    folder: Path,
    *,
    bare: bool,
    without: Sequence[str] = (),
) -> Installed:
    """Install the wheel by an installer; ``bare``: without its dependencies.

    pipx refuses a package without its dependencies, and pip cannot leave others out.
    """
    is_tool = name == "uv-tool"
    options = constraints(python)
    if bare:
        options = [] if is_tool else ["--no-deps"]
        without = declared_dependencies(wheel) if is_tool else ()
    if without:
        listed = folder / "excluded.txt"
        listed.write_text("\n".join(without), encoding="utf-8")
        options += ["--excludes", str(listed)]
    variables = {key: str(folder / place) for key, place in FOLDERS.items()}
    if constraints(python):
        variables["PIP_CONSTRAINT"] = str(CONSTRAINTS)
    *commands, command, own = INSTALLERS[name]
    for each in commands:
        words = each.format(
            python=python,
            folder=folder,
            own=own,
            wheel=wheel,
            uv=shlex.join(UV),
            options=shlex.join(options),
        )
        checked(shlex.split(words), variables)
    return Installed(command=folder / command, python=folder / own)


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
