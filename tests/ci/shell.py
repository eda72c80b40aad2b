# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run the scripts of a pipeline where pip installs nothing and garak scans nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.ci.local_runner import ROOT
from tests.gold import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PYTHON = """#!/bin/sh
echo "python $*" >> "$CALLS"
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" \\
    && cp "$(dirname "$0")/garak-tbsa" "$3/bin/garak-tbsa" ;;
  "-m pip") ;;
  "-m garak")
    for word; do prefix=$word; done
    cp "$SCANNED" "$prefix.report.jsonl" ;;
  *) exit 97 ;;
esac
"""


@dataclass
class Machine:
    """A folder to work in, and commands that do as much as a test needs."""

    folder: Path
    scanned: Path = FOLDER / "garak-0.17.1.report.jsonl"
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work = self.folder / "work"
        self.bin = self.folder / "bin"
        self.calls = self.folder / "calls"
        for place in (self.work, self.bin):
            place.mkdir()
        self.calls.write_text("")
        self._command("python", PYTHON)
        self._command("python3", PYTHON)
        own = f'exec "{sys.executable}" "{ROOT / "ci" / "github"}" run "$@"\n'
        self._command("garak-tbsa", f"#!/bin/sh\n{own}")

    def _command(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o700)

    def run_all(
        self, scripts: Iterable[str], variables: Mapping[str, str], *, shell: str
    ) -> tuple[int, str]:
        """Run scripts until one fails; return the last exit code and what all said."""
        log = ""
        for script in scripts:
            done = self.run(script, variables, shell=shell)
            log += done.stdout
            if done.returncode:
                return done.returncode, log
        return 0, log

    def run(
        self, script: str, variables: Mapping[str, str], *, shell: str = "bash"
    ) -> subprocess.CompletedProcess[str]:
        """Run one script as a CI system does: it ends where a command fails."""
        return subprocess.run(
            [shell, "-e", "-c", script],
            cwd=self.work,
            env={
                **os.environ,
                "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
                "CALLS": str(self.calls),
                "SCANNED": str(self.scanned),
                **self.variables,
                **variables,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def checks(self, script: str, *, shell: str = "bash") -> str:
        """What the shell says of a script without running it."""
        return subprocess.run(
            [shell, "-n", "-c", script], capture_output=True, text=True, check=False
        ).stderr

    def file(self, name: str) -> str:
        return (self.work / name).read_text("utf-8")

    def put(self, name: str, gold: str = "garak-0.17.1") -> None:
        place = self.work / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(FOLDER / f"{gold}.report.jsonl", place)
