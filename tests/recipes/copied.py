# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A temporary copy of the repository, to follow CONTRIBUTING's recipes in.

A recipe is a section of CONTRIBUTING.md; its commands are the lines of its ``sh``
blocks. A test changes files as the numbered steps say, runs these very lines, and
looks at what came out.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
LEFT_BEHIND = (
    ".git",
    ".venv",
    ".cache",
    ".hypothesis",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "_build",
    "dist",
    "*.part",
)
TIME_LIMIT = 280


@dataclass(frozen=True, kw_only=True)
class CopiedRepository:
    """A copy that nothing else uses; its commands import its own code."""

    root: Path

    def __truediv__(self, path: str) -> Path:
        return self.root / path

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace the one occurrence of ``old`` in a file."""
        file = self / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path}: {text.count(old)} times {old!r}"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        """Put ``text`` at the end of a file, which need not exist yet."""
        with (self / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def run(self, command: str, *, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command line of CONTRIBUTING inside the copy.

        ``python``, ``garak-tbsa``, ``pytest`` and the like are those of the
        interpreter that runs the tests; ``make`` installs nothing.
        """
        result = subprocess.run(
            self._words(command),
            cwd=self.root,
            env=self._environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=TIME_LIMIT,
            check=False,
        )
        assert result.returncode == code, (
            f"{command}: exit {result.returncode}\n{result.stdout}\n{result.stderr}"
        )
        return result

    def _words(self, command: str) -> list[str]:
        program, *arguments = shlex.split(command)
        if program == "make":
            nothing = ("INSTALLED=", "TESTERS=", "CHECKERS=")
            return [program, *arguments, f"BIN={_scripts()}", *nothing]
        python = {
            "python": (),
            "garak-tbsa": ("-m", "garak_tbsa"),
            "pytest": ("-m", "pytest", "-p", "no:cacheprovider"),
        }
        if program in python:
            return [sys.executable, *python[program], *arguments]
        return [program, *arguments]

    def _environment(self) -> dict[str, str]:
        # where the package is installed as editable, the copy must still come first
        return os.environ | {
            "PYTHONPATH": str(self.root),
            "PATH": f"{_scripts()}{os.pathsep}{os.environ.get('PATH', '')}",
        }


def _scripts() -> Path:
    return Path(sys.executable).parent


def copied_repository(
    target: Path, *, without: tuple[str, ...] = ()
) -> CopiedRepository:
    """Copy the repository to ``target``, leaving out what is made or installed.

    Parameters
    ----------
    without : tuple of str
        Further names or patterns that the recipe does not need, such as ``docs``.
    """
    ignored = shutil.ignore_patterns(*LEFT_BEHIND, *without)
    shutil.copytree(REPOSITORY, target, ignore=ignored, dirs_exist_ok=True)
    return CopiedRepository(root=target)


def commands_of(title: str) -> list[str]:
    """The commands of a section of CONTRIBUTING.md, in its order."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {title}\n")
    assert found, f"CONTRIBUTING.md has no section {title!r}"
    section = rest.partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]
