# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Other garak releases as hosts: ``python -m tests.older_garak 0.15.1``.

Without a release, the oldest and the newest that are supported, with the tests of our
life inside garak alone: that is what CI runs.

A release is its wheel, unpacked and first on the path of the same environment; what it
depends on is near enough to what the newest one does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tests.installed import HOST_VARIABLE, REPOSITORY

CACHE = REPOSITORY / ".cache" / "garak"
OLDER = ("0.14.0", "0.15.1", "0.16.0")
OLDEST, NEWEST = OLDER[0], "0.17.1"
INSIDE_GARAK = (
    "tests/host/test_*.py",
    "tests/garak_api/test_plugins.py",
    "tests/garak_api/test_scoring.py",
    "tests/cli/test_score.py",
    "tests/cli/test_status.py",
    "tests/tbsa/test_garak_formula.py",
)
"""What another garak may break: hook, served modules, tiers, garak's own number."""
TESTS = (*INSIDE_GARAK, "tests/cli/test_*.py", "tests/tbsa/**/test_*.py")
NEWEST_ONLY = ("tests/cli/test_detectors*.py",)
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


def source_of(version: str) -> Path:
    """Return the folder of a release's sdist, downloaded where it is not at hand.

    Raises
    ------
    NotAvailableError
        The package index cannot be reached or does not have it.
    """
    folder = CACHE / f"{version}-sdist"
    if not folder.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as beside:
            _pip_download(version, Path(beside), "--no-binary", "garak")
            (sdist,) = Path(beside).glob("*.tar.gz")
            with tarfile.open(sdist) as archive:
                archive.extractall(Path(beside) / "unpacked", filter="data")
            (top,) = (Path(beside) / "unpacked").iterdir()
            top.rename(folder)
    return folder


def _download(version: str, folder: Path) -> None:
    _pip_download(version, folder, "--only-binary", ":all:")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")


def _pip_download(version: str, folder: Path, *options: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options),
            *("--dest", str(folder), f"garak=={version}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines() or ["pip said nothing"]
        raise NotAvailableError(
            f"garak {version} cannot be downloaded ({reason[-1].strip()})"
        )


def main() -> int:
    """Run the tests that meet garak against one release, or the oldest and newest."""
    if len(sys.argv) > 2:
        print("usage: python -m tests.older_garak [RELEASE]", file=sys.stderr)
        return 2
    try:
        if len(sys.argv) == 2:
            return _run(sys.argv[1], TESTS)
        return max(_run(release, INSIDE_GARAK) for release in (OLDEST, NEWEST))
    except NotAvailableError as error:
        print(f"{error}; this needs a package index", file=sys.stderr)
        return 1


def _run(release: str, patterns: tuple[str, ...]) -> int:
    host = unpacked(release)
    variables = {
        **os.environ,
        HOST_VARIABLE: str(host),
        "PYTHONPATH": os.pathsep.join((str(host), str(REPOSITORY))),
    }
    print(f"garak {release} as host", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
    command += _tests(patterns)
    return subprocess.run(
        command, cwd=REPOSITORY, env=variables, check=False
    ).returncode


def _tests(patterns: tuple[str, ...]) -> list[str]:
    found = {path for pattern in patterns for path in REPOSITORY.glob(pattern)}
    left_out = {path for pattern in NEWEST_ONLY for path in REPOSITORY.glob(pattern)}
    return sorted(str(path) for path in found - left_out)


if __name__ == "__main__":
    sys.exit(main())
