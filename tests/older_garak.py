# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Older garak releases as hosts: ``python -m tests.older_garak 0.14.1``.

A release is its wheel, unpacked and first on the path of the same environment;
what it depends on is near enough to what the newest one does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.installed import HOST_VARIABLE, REPOSITORY

CACHE = REPOSITORY / ".cache" / "garak"
OLDER = ("0.14.0", "0.15.1", "0.16.0")
TESTS = ("tests/test_*.py", "tests/cli/test_*.py", "tests/tbsa/**/test_*.py")
NEWEST_ONLY = ("tests/cli/test_detectors*.py", "tests/tbsa/test_attempts.py")
"""The detector evaluation is held to the newest garak's detectors and options."""


class NotAvailableError(Exception):
    """That release could not be downloaded."""


def unpacked(version: str) -> Path:
    """Return the folder of a garak release, downloaded where it is not at hand.

    Raises
    ------
    NotAvailableError
        The package index cannot be reached or does not have it.
    """
    folder = CACHE / version
    if (folder / "garak" / "__init__.py").is_file():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    # beside, then renamed: tests of several processes may want the same release
    with tempfile.TemporaryDirectory(dir=CACHE) as beside:
        _download(version, Path(beside))
        try:
            (Path(beside) / "unpacked").rename(folder)
        except OSError:  # another process was first
            if not (folder / "garak" / "__init__.py").is_file():
                raise
    return folder


def _download(version: str, folder: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "-q", "--no-deps"),
            *("--only-binary", ":all:", "--dest", str(folder), f"garak=={version}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotAvailableError(done.stderr.strip().splitlines()[-1:])
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")


def main() -> int:
    """Run the tests that meet garak against an older one."""
    if len(sys.argv) != 2:
        print("usage: python -m tests.older_garak VERSION", file=sys.stderr)
        return 2
    host = unpacked(sys.argv[1])
    variables = {
        **os.environ,
        HOST_VARIABLE: str(host),
        "PYTHONPATH": os.pathsep.join((str(host), str(REPOSITORY))),
    }
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile"]
    command += _tests()
    return subprocess.run(
        command, cwd=REPOSITORY, env=variables, check=False
    ).returncode


def _tests() -> list[str]:
    found = {path for pattern in TESTS for path in REPOSITORY.glob(pattern)}
    left_out = {path for pattern in NEWEST_ONLY for path in REPOSITORY.glob(pattern)}
    return sorted(str(path) for path in found - left_out)


if __name__ == "__main__":
    sys.exit(main())
