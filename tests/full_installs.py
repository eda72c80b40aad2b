# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What users install, with all it needs: ``python -m tests.full_installs``.

The wheel of ``make dist`` is installed beside garak by each installer on each Python of
the machine, a scan is run there, and the sdist's own tests are run from the sdist. This
takes minutes, and gigabytes where torch comes with its CUDA libraries; the scan needs
none of it, so ``--without torch`` tries the rest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.gold import FOLDER
from tests.installed import REPOSITORY
from tests.installers import (
    INSTALLERS,
    OLDEST,
    WITHOUT,
    Installed,
    checked,
    install,
    pythons,
)

DIST = REPOSITORY / "dist"
SCAN = ["-m", "garak", "--target_type", "function.Single"]
SCAN += ["--target_name", "garak_tbsa.demo_target#respond", "--generations", "1"]
SCAN += ["--probes", "web_injection.MarkdownImageExfil", "--report_prefix", "tried"]
OF_THE_SDIST = ["tests/test_*.py", "tests/gold", "tests/ci"]


def main() -> int:
    """Return 1 where an installation does not work."""
    parser = argparse.ArgumentParser(prog="python -m tests.full_installs")
    parser.add_argument("--python", action="append", metavar="3.N", default=[])
    parser.add_argument("--without", action="append", metavar="PACKAGE", default=[])
    options = parser.parse_args()
    (wheel,) = DIST.glob("*.whl")
    (sdist,) = DIST.glob("*.tar.gz")
    failed = 0
    for minor, python in pythons().items():
        if minor < OLDEST or f"3.{minor}" not in (options.python or [f"3.{minor}"]):
            continue
        for name in WITHOUT if options.without else INSTALLERS:
            title = " without ".join((f"Python 3.{minor}, {name}", *options.without))
            failed += not _tried(title, name, python, wheel, options.without)
    failed += not _sdist_runs_its_tests(sdist)
    return bool(failed)


def _tried(
    title: str, name: str, python: Path, wheel: Path, without: list[str]
) -> bool:
    with tempfile.TemporaryDirectory(prefix="garak-tbsa-full-") as folder:
        try:
            installed = install(
                name, python, wheel, Path(folder), bare=False, without=without
            )
            garak = _works(installed, Path(folder))
        except AssertionError as error:
            print(f"{title}: FAILED\n{error}", flush=True)
            return False
    print(f"{title}: a scan by garak {garak} ends with its score", flush=True)
    return True


def _works(installed: Installed, folder: Path) -> str:
    """Score, rank, scan; return the version of the garak that came with us."""
    variables = {
        f"XDG_{name}_HOME": str(folder) for name in ("DATA", "CONFIG", "CACHE")
    }
    variables["PYTHONIOENCODING"] = "utf-8"
    command = str(installed.command)
    report = str(FOLDER / "garak-0.17.1.report.jsonl")
    assert "TBSA: 4.1" in checked([command, "score", report, "-q"], variables)
    page = str(folder / "page.html")
    checked([command, "score", report, "-q", "--html", page], variables)
    assert "dan.DAN" in checked([command, "detectors", "rank"], variables)
    status = checked([command, "status"], variables)
    assert "❌" not in status, status
    scanned = checked([str(installed.python), *SCAN], variables)
    assert "TBSA sums a scan up" in scanned, scanned
    version = "import importlib.metadata as m; print(m.version('garak'))"
    return checked([str(installed.python), "-c", version], variables).strip()


def _sdist_runs_its_tests(sdist: Path) -> bool:
    with tempfile.TemporaryDirectory(prefix="garak-tbsa-sdist-") as temporary:
        with tarfile.open(sdist) as archive:
            archive.extractall(temporary, filter="data")
        (folder,) = Path(temporary).iterdir()
        tests = [
            str(path.relative_to(folder))
            for pattern in OF_THE_SDIST
            for path in sorted(folder.glob(pattern))
        ]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            check=False,
        )
    print(f"sdist: its tests end with {done.returncode}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
