# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Resolve every dependency once and write constraints.txt; needs ``uv``."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# Every version that the project is built, tested and measured with (Python 3.11).
# They fit Python 3.12 and 3.13 too, except that torch is then a build of several GB.
# Made with: make constraints
"""
PINNED = "garak==0.17.1\ntorch==2.13.0\n"


def main() -> None:
    """Write constraints.txt beside pyproject.toml."""
    command = ["uv", "pip", "compile", "--all-extras", "--python-version", "3.11"]
    command += ["--no-annotate", "--no-header", "-q", "pyproject.toml", "-"]
    for folder in os.environ.get("PIP_FIND_LINKS", "").split():
        command += ["--find-links", folder]
    resolved = subprocess.run(
        command, cwd=ROOT, input=PINNED, check=True, capture_output=True, text=True
    ).stdout
    # a local build of torch takes the place of the released one
    (ROOT / "constraints.txt").write_text(HEADER + resolved.replace("+cpu", ""))


if __name__ == "__main__":
    main()
