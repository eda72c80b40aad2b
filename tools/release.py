# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make a release: ``make release VERSION=X.Y.Z``.

It sets the version, heads the changes with it, makes what holds the version, runs every
check and test, commits, builds, and tags. Where one of them fails, the clone is as it
was before. Nothing is pushed or uploaded: it ends by saying how.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
CODE = Path("garak_tbsa/version.py")
CHANGES = Path("CHANGELOG.md")
UNRELEASED = "## [Unreleased]\n"
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
ASSIGNED = re.compile(r'^__version__ = "([^"]*)"$', re.MULTILINE)
STEPS = ("data", "check", "test", "test-surroundings")
"""Targets of make, before the commit; the detectors' summary holds the version."""


class ReleaseError(Exception):
    """Why there is no release, in one line."""


def main(arguments: list[str] | None = None) -> int:
    """Make a release, or print the changes of one."""
    parser = argparse.ArgumentParser(prog="python -m tools.release")
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument(
        "--notes", action="store_true", help="print the changes of a release, no more"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="run every step, then leave the clone as it was",
    )
    parser.add_argument("--make", default="make", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        if options.notes:
            print(notes((ROOT / CHANGES).read_text("utf-8"), options.version))
        else:
            release(ROOT, options.version, make=options.make, keep=not options.dry_run)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


def release(repository: Path, version: str, *, make: str, keep: bool) -> None:
    """Commit, build and tag a version of a clean clone.

    Parameters
    ----------
    repository : Path
        A git checkout.
    version : str
        Three numbers.
    make : str
        Command that makes the targets.
    keep : bool
        False undoes all of it at the end.

    Raises
    ------
    ReleaseError
        What is missing, or the step that failed; the clone is then as it was.
    """
    code = repository / CODE
    changes = repository / CHANGES
    branch = _ready(repository, version, code.read_text("utf-8"))
    headed = head_changes(changes.read_text("utf-8"), version, _today())
    before = _git(repository, "rev-parse", "HEAD").strip()
    kept = False
    try:
        code.write_text(
            ASSIGNED.sub(f'__version__ = "{version}"', code.read_text("utf-8")), "utf-8"
        )
        changes.write_text(headed, "utf-8")
        for step in STEPS:
            _make(repository, make, step)
        _git(repository, "commit", "-q", "-a", "-m", f"Release {version}")
        _make(repository, make, "dist")
        _built(repository, version)
        if keep:
            _git(repository, "tag", "-a", f"v{version}", "-m", f"garak-tbsa {version}")
        kept = keep
    finally:
        if not kept:
            # the clone was clean: nothing but what was made here is undone
            _git(repository, "reset", "-q", "--hard", before)
    print(_next_steps(version, branch) if keep else f"{version} can be released")


def _ready(repository: Path, version: str, code: str) -> str:
    """Return the branch of a clone from which a version can be released."""
    if not VERSION.fullmatch(version):
        raise ReleaseError(
            f"{version!r} is no version; expected three numbers such as 0.2.0"
        )
    (now,) = ASSIGNED.findall(code)
    if Version(version) <= Version(now):
        raise ReleaseError(f"{version} is not above {now}, the version in {CODE}")
    changed = _git(repository, "status", "--porcelain").splitlines()
    if changed:
        raise ReleaseError(
            f"the clone is not clean ({changed[0][3:]}); commit or stash first"
        )
    if _git(repository, "tag", "--list", f"v{version}").strip():
        raise ReleaseError(f"there is a tag v{version} already; take the next version")
    branch = _git(repository, "branch", "--show-current").strip()
    if not branch:
        raise ReleaseError(
            "no branch is checked out; a release is a commit on a branch"
        )
    return branch


def head_changes(changes: str, version: str, date: str) -> str:
    """Put the unreleased changes under a version, and nothing under unreleased.

    Raises
    ------
    ReleaseError
        There is no such heading, or nothing below it.
    """
    if changes.count(UNRELEASED) != 1:
        raise ReleaseError(f"{CHANGES} has no heading {UNRELEASED.strip()!r}")
    headed = changes.replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {date}\n")
    if not notes(headed, version):
        raise ReleaseError(f"{CHANGES} has no change under {UNRELEASED.strip()!r}")
    return headed


def notes(changes: str, version: str) -> str:
    """Return what a changelog says of one version.

    Raises
    ------
    ReleaseError
        It does not name that version.
    """
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)",
        changes,
        re.DOTALL | re.MULTILINE,
    )
    if found is None:
        raise ReleaseError(f"{CHANGES} has no heading for {version}")
    return found[1].strip()


def _make(repository: Path, make: str, target: str) -> None:
    print(f"release: make {target}", flush=True)
    done = subprocess.run([make, "-C", str(repository), target], check=False)
    if done.returncode:
        raise ReleaseError(
            f"make {target} failed; nothing is released, and the clone is as it was"
            " before"
        )


def _built(repository: Path, version: str) -> None:
    for name in (
        f"garak_tbsa-{version}.tar.gz",
        f"garak_tbsa-{version}-py3-none-any.whl",
    ):
        if not (repository / "dist" / name).is_file():
            raise ReleaseError(f"make dist made no {name}; nothing is released")


def _next_steps(version: str, branch: str) -> str:
    return f"""\
garak-tbsa {version} is committed, built into dist/ and tagged. Nothing has left this
machine. To publish it:

  git push --atomic REMOTE {branch} v{version}
  twine upload dist/garak_tbsa-{version}*        # where there is an index to take it

To take it back instead:

  git tag -d v{version} && git reset --hard HEAD~1"""


def _today() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch else None
    return (now or datetime.now(timezone.utc)).strftime("%Y-%m-%d")


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["without a word"]
        raise ReleaseError(f"git {arguments[0]} failed: {said[-1]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
