# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Other garak releases as hosts: ``python -m tests.older_garak 0.15.1``.

Without a release, the oldest that is supported, with the tests of our life inside garak
alone: that is what CI runs, beside the whole suite with the newest one.

A release is its wheel, unpacked and first on the path of the same environment; what it
depends on is near enough to what the newest one does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

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
    "tests/garak_api/test_own_number.py",
)
"""What another garak may break: hook, served modules, tiers, garak's own number."""
TESTS = (*INSIDE_GARAK, "tests/cli/test_*.py", "tests/tbsa/**/test_*.py")
NEWEST_ONLY = ("tests/cli/test_detectors*.py",)
"""The detector evaluation is held to the newest garak's detectors and options."""


class NotAvailableError(Exception):
    """That release could not be downloaded."""


def unpacked(version: str) -> Path:
    """Return the folder of a garak release, downloaded where it is not at hand."""
    return _kept(version, "*.whl", "--only-binary", ":all:")


def source_of(version: str) -> Path:
    """Return the folder of a release's sdist, downloaded where it is not at hand."""
    return _kept(f"{version}-sdist", "*.tar.gz", "--no-binary", "garak")


def _kept(name: str, archive: str, *options: str) -> Path:
    """Return an unpacked archive; NotAvailableError where no index has it."""
    folder = CACHE / name
    CACHE.mkdir(parents=True, exist_ok=True)
    # one at a time: tests of several processes may want the same release
    with FileLock(CACHE / "lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=CACHE) as beside:
                version = name.removesuffix("-sdist")
                _pip_download(version, Path(beside), *options)
                (found,) = Path(beside).glob(archive)
                top = Path(beside) / "unpacked"
                shutil.unpack_archive(
                    found, top, "zip" if archive == "*.whl" else "gztar"
                )
                (top if archive == "*.whl" else next(top.iterdir())).rename(folder)
    return folder


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
    """Run the tests that meet garak against one release, or the oldest."""
    if len(sys.argv) > 2:
        print("usage: python -m tests.older_garak [RELEASE]", file=sys.stderr)
        return 2
    try:
        if len(sys.argv) == 2:
            return _run(sys.argv[1], TESTS)
        return _run(OLDEST, INSIDE_GARAK)
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
