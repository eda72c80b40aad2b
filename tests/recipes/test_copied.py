# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The copy that the recipes' tests work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recipes import copied
from tests.recipes.copied import REPOSITORY, commands_of, copied_repository, recipe


def test_the_copy_runs_its_own_code_and_leaves_ours_alone(tmp_path: Path) -> None:
    copy = copied_repository(tmp_path / "copy", without=("data", "docs"))
    assert not (copy / ".git").exists()
    assert not (copy / "data").exists()
    copy.append("garak_tbsa/version.py", "\n__version__ = '99.9'\n")
    assert copy.run("garak-tbsa --version").stdout == "garak-tbsa 99.9\n"
    assert "99.9" not in (REPOSITORY / "garak_tbsa/version.py").read_text()


def test_a_command_that_fails_is_told_with_its_output(tmp_path: Path) -> None:
    copy = copied_repository(tmp_path / "copy", without=("data", "docs", "tests"))
    with pytest.raises(AssertionError, match=r"exit 2\n\n.*is not a command"):
        copy.run("garak-tbsa nothing")
    assert copy.run("garak-tbsa nothing", code=2)


def test_a_replacement_is_of_one_place(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two two")
    copy = copied.CopiedRepository(root=tmp_path)
    copy.replace("a.txt", "one", "1")
    assert (tmp_path / "a.txt").read_text() == "1 two two"
    with pytest.raises(AssertionError, match="2 times 'two'"):
        copy.replace("a.txt", "two", "2")


def test_the_commands_of_a_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "CONTRIBUTING.md").write_text(
        "# C\n\n## One\n\n1. Do:\n\n   ```sh\n   make x\n   ```\n2. And:\n"
        "   ```sh\n   python -m y\n   ```\n\n## Two\n\n```sh\nmake z\n```\n"
    )
    monkeypatch.setattr(copied, "REPOSITORY", tmp_path)
    assert commands_of("One") == ["make x", "python -m y"]
    assert "make z" not in recipe("One")
    with pytest.raises(AssertionError, match="no section 'Three'"):
        recipe("Three")
