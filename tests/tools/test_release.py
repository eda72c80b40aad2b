# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A release: every step in its order, all of it or nothing, and nothing leaves."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from tests.installed import REPOSITORY
from tests.tools.test_distribution import git
from tools import release as tool
from tools.release import ReleaseError, head_changes, main, notes

if TYPE_CHECKING:
    from pathlib import Path

CHANGES = """# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-11-21

- The first.
"""
MAKE = """#!{python}
import re, sys
from pathlib import Path
folder, target = Path(sys.argv[2]), sys.argv[3]
with open({calls!r}, "a") as calls:
    calls.write(target + "\\n")
if target == {failing!r}:
    sys.exit(2)
version = re.search('"(.*)"', (folder / "garak_tbsa/version.py").read_text())[1]
if target == "data":
    (folder / "summary.json").write_text(version)
if target == "dist":
    (folder / "dist").mkdir(exist_ok=True)
    for end in (".tar.gz", "-py3-none-any.whl"):
        (folder / "dist" / ("garak_tbsa-" + version + end)).write_text("")
"""
STEPS = ["data", "check", "test", "test-surroundings", "dist"]


@dataclass
class Clone:
    """A clone of a small project, and a make that does little."""

    folder: Path
    calls: Path
    make: Path

    def fail_at(self, target: str) -> None:
        text = MAKE.format(python=sys.executable, calls=str(self.calls), failing=target)
        self.make.write_text(text)
        self.make.chmod(0o700)

    def state(self) -> tuple[str, ...]:
        """All that a release may change."""
        return (
            git(self.folder, "rev-parse", "HEAD"),
            git(self.folder, "status", "--porcelain"),
            git(self.folder, "tag"),
            (self.folder / "CHANGELOG.md").read_text(),
        )

    def release(self, version: str, *more: str) -> int:
        return main([version, "--make", str(self.make), *more])


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    folder = tmp_path / "clone"
    (folder / "garak_tbsa").mkdir(parents=True)
    (folder / "garak_tbsa" / "version.py").write_text('__version__ = "0.2.0.dev0"\n')
    (folder / "CHANGELOG.md").write_text(CHANGES)
    (folder / "summary.json").write_text("0.1.0")
    (folder / ".gitignore").write_text("dist/\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "a project")
    git(folder, "config", "user.name", "a maintainer")
    git(folder, "config", "user.email", "tests@example.invalid")
    monkeypatch.setattr(tool, "ROOT", folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795219200")
    made = Clone(folder, tmp_path / "calls", tmp_path / "make")
    made.fail_at("nothing")
    return made


def test_a_release_is_a_commit_a_build_and_a_tag(
    clone: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clone.release("0.2.0") == 0
    assert clone.calls.read_text().split() == STEPS
    assert git(clone.folder, "status", "--porcelain") == ""
    assert git(clone.folder, "log", "--format=%s").splitlines() == [
        "Release 0.2.0",
        "a project",
    ]
    assert git(clone.folder, "cat-file", "-t", "v0.2.0") == "tag\n"
    assert git(clone.folder, "rev-parse", "v0.2.0^{}", "HEAD").split()[0] in git(
        clone.folder, "rev-parse", "HEAD"
    )
    code = (clone.folder / "garak_tbsa" / "version.py").read_text()
    assert code == '__version__ = "0.2.0"\n'
    # what holds the version was made again, and belongs to the release
    assert git(clone.folder, "show", "HEAD:summary.json") == "0.2.0"
    changes = (clone.folder / "CHANGELOG.md").read_text()
    assert "## [Unreleased]\n\n## [0.2.0] - 2026-11-21\n\n### Added\n" in changes
    said = capsys.readouterr().out
    assert "Nothing has left this\nmachine." in said
    assert "git push --atomic REMOTE main v0.2.0" in said
    assert git(clone.folder, "remote") == ""


@pytest.mark.parametrize("step", [*STEPS, ""])
def test_a_step_that_fails_and_a_dry_run_leave_the_clone_as_it_was(
    step: str, clone: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    clone.fail_at(step)
    before = clone.state()
    assert clone.release("0.2.0", *([] if step else ["--dry-run"])) == bool(step)
    assert clone.state() == before
    done = STEPS[: STEPS.index(step) + 1] if step else STEPS
    assert clone.calls.read_text().split() == done
    said = capsys.readouterr()
    if step:
        assert said.err == (
            f"release: make {step} failed; nothing is released, and the clone is as it"
            " was before\n"
        )
    else:
        assert said.out.endswith("0.2.0 can be released\n")


TAGGED = ("git tag v0.2.0",)
CHANGED = ("printf mine > summary.json",)
DETACHED = ("git checkout -q --detach",)
WITHOUT_CHANGES = ("sed -i '/Added/,/thing/d' CHANGELOG.md", "git commit -qam none")
WITHOUT_HEADING = ("sed -i s/Unreleased/Later/ CHANGELOG.md", "git commit -qam none")


@pytest.mark.parametrize(
    ("spoil", "version", "problem"),
    [
        (
            (),
            "v0.2",
            "'v0.2' is no version; expected three numbers such as 0.2",
        ),
        ((), "0.1.0", "0.1.0 is not above 0.2.0.dev0, the version in garak_"),
        ((), "0.0.9", "0.0.9 is not above 0.2.0.dev0"),
        (TAGGED, "0.2.0", "there is a tag v0.2.0 already; take the next version"),
        (CHANGED, "0.2.0", "the clone is not clean (summary.json); commit or stash"),
        (DETACHED, "0.2.0", "no branch is checked out; a release is a commit on a"),
        (WITHOUT_CHANGES, "0.2.0", "CHANGELOG.md has no change under '## [Unrel"),
        (WITHOUT_HEADING, "0.2.0", "CHANGELOG.md has no heading '## [Unreleased]'"),
    ],
)
def test_what_is_not_ready_is_one_line_and_nothing_is_run(
    spoil: tuple[str, ...],
    version: str,
    problem: str,
    clone: Clone,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in spoil:
        subprocess.run(command, cwd=clone.folder, shell=True, check=True)
    before = clone.state()
    assert clone.release(version) == 1
    assert clone.state() == before
    assert not clone.calls.exists()
    said = capsys.readouterr().err
    assert said.startswith(f"release: {problem}")
    assert said.count("\n") == 1


def test_the_notes_of_a_release_are_its_part_of_the_changelog(
    clone: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    headed = head_changes(CHANGES, "0.2.0", "2026-11-22")
    assert notes(headed, "0.2.0") == "### Added\n\n- A thing."
    assert clone.release("0.1.0", "--notes") == 0
    assert capsys.readouterr().out == "- The first.\n"
    with pytest.raises(ReleaseError, match=r"has no heading for 0.3.0"):
        notes(headed, "0.3.0")


def test_our_own_changelog_and_version_are_what_it_reads() -> None:
    """Before a release, and after it, when nothing new is to be told yet."""
    changes = (REPOSITORY / tool.CHANGES).read_text("utf-8")
    assert changes.count(tool.UNRELEASED) == 1
    code = (REPOSITORY / tool.CODE).read_text("utf-8")
    (version,) = tool.ASSIGNED.findall(code)
    assert notes(changes, "Unreleased" if Version(version).is_devrelease else version)
