# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Build what is published: ``python -m tools.distribution --output dist``.

The last commit is built twice, in different folders, time zones, languages and rights,
and both must give the same bytes. Nothing that is not committed gets in. The result is
checked as an index checks it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMS = "SHA256SUMS"
SURROUNDINGS = (
    {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1", "UMASK": "022"},
    {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2", "UMASK": "077"},
)
"""What a build may not depend on."""


class DistributionError(Exception):
    """Why there is nothing to publish, in one line."""


def main(arguments: list[str] | None = None) -> int:
    """Build, compare, check, and put the files into a folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.distribution")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    options = parser.parse_args(arguments)
    try:
        files = distribution(ROOT, options.output)
    except DistributionError as error:
        print(f"dist: {error}", file=sys.stderr)
        return 1
    for path in files:
        print(f"{_sha256(path)}  {path.name}")
    return 0


def distribution(repository: Path, output: Path) -> list[Path]:
    """Build the last commit of a repository into a folder, and return its files.

    What an earlier build left there is removed. DistributionError for no commit, a
    build that fails or differs from itself, or a finding of a check.
    """
    date = _git(repository, "log", "-1", "--format=%ct").strip()
    changed = _git(repository, "status", "--porcelain").splitlines()
    if changed:
        print(
            f"dist: {len(changed)} changed files are not committed, and so not in it:"
            f" {changed[0][3:]}{', ...' if changed[1:] else ''}",
            file=sys.stderr,
        )
    with tempfile.TemporaryDirectory(prefix="garak-tbsa-dist-") as temporary:
        builds = []
        for number, surroundings in enumerate(SURROUNDINGS):
            folder = Path(temporary) / f"build{'-elsewhere' * number}"
            builds.append(built(repository, folder, date, surroundings))
        _assert_same(*builds)
        _check(builds[0])
        return _placed(builds[0], output)


def _assert_same(one: list[Path], other: list[Path]) -> None:
    """Hold two builds of one commit against each other."""
    for left, right in zip(one, other, strict=True):
        if left.name != right.name or left.read_bytes() != right.read_bytes():
            raise DistributionError(
                f"two builds of one commit differ in {left.name} ({_sha256(left)[:12]}"
                f" and {_sha256(right)[:12]}); python -m tarfile -l or zipfile -l"
                " shows members, and pyproject.toml says what goes in"
            )


def built(
    repository: Path, folder: Path, date: str, surroundings: dict[str, str]
) -> list[Path]:
    """Build sdist, and the wheel from it, as others will."""
    source, output = folder / "source", folder / "output"
    source.mkdir(parents=True)
    archive = folder / "source.tar"
    _git(repository, "archive", "-o", str(archive), "HEAD")
    umask = int(surroundings["UMASK"], 8)
    _run(["tar", "-xf", str(archive), "-C", str(source)], umask=umask)
    _run(
        [
            *(sys.executable, "-m", "build", "--no-isolation"),
            *("--outdir", str(output), str(source)),
        ],
        variables={**surroundings, "SOURCE_DATE_EPOCH": date},
        umask=umask,
    )
    return sorted(output.iterdir())


def _check(files: list[Path]) -> None:
    """Check metadata, the page that an index would show, and what the wheel holds."""
    _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)])
    wheels = [str(path) for path in files if path.suffix == ".whl"]
    _run([sys.executable, "-m", "check_wheel_contents", *wheels])


def _placed(files: list[Path], output: Path) -> list[Path]:
    output.mkdir(parents=True, exist_ok=True)
    for old in (*output.glob("garak_tbsa-*"), output / SUMS):
        old.unlink(missing_ok=True)
    placed = []
    for path in files:
        placed.append(output / path.name)
        placed[-1].write_bytes(path.read_bytes())
    lines = [f"{_sha256(path)}  {path.name}\n" for path in placed]
    (output / SUMS).write_text("".join(lines), encoding="utf-8")
    return placed


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _git(repository: Path, *arguments: str) -> str:
    return _run(["git", "-C", str(repository), *arguments])


def _run(
    command: list[str], *, variables: dict[str, str] | None = None, umask: int = -1
) -> str:
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **(variables or {})},
            umask=umask,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise DistributionError(f"{command[0]} is not installed") from error
    if done.returncode:
        said = (done.stdout + done.stderr).strip() or "without a word"
        raise DistributionError(f"{' '.join(command[:4])} ... failed:\n{said}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
